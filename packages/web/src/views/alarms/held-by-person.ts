// Whether somebody is about to do something in a list: the pointer is over it, the keyboard is in it, or a finger has just
// touched it. What is selected, or open over it, is left to the view.
import { type ReadonlySignal, useComputed, useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';

/** A finger leaves nothing behind: after so long, its person does something else. */
const touchMs = 5000;

export interface Hands {
  readonly isHeld: ReadonlySignal<boolean>;
  /** For the element that has the list in it. */
  readonly listeners: {
    readonly onPointerEnter: (event: PointerEvent) => void;
    readonly onPointerLeave: (event: PointerEvent) => void;
    readonly onPointerDown: (event: PointerEvent) => void;
    readonly onFocusIn: (event: FocusEvent) => void;
    readonly onFocusOut: (event: FocusEvent) => void;
    readonly onKeyUp: (event: KeyboardEvent) => void;
    readonly onTouchMove: () => void;
  };
}

export function useHands(): Hands {
  const isOver = useSignal(false);
  const hasKeys = useSignal(false);
  const touched = useSignal(0);
  const isTouched = useSignal(false);
  useEffect(() => {
    if (touched.value === 0) return;
    isTouched.value = true;
    const timer = setTimeout(() => {
      isTouched.value = false;
    }, touchMs);
    return () => clearTimeout(timer);
  }, [touched.value]);
  const isHeld = useComputed(() => isOver.value || hasKeys.value || isTouched.value);
  const listeners = useMemo(() => {
    // The focus that a click leaves behind holds nothing: the pointer does, as long as it is there.
    const look = (event: Event) => {
      hasKeys.value = (event.currentTarget as HTMLElement).matches(':has(:focus-visible)');
    };
    const touch = () => {
      touched.value++;
    };
    return {
      onPointerEnter: (event: PointerEvent) => {
        if (event.pointerType !== 'touch') isOver.value = true;
      },
      onPointerLeave: (event: PointerEvent) => {
        if (event.pointerType !== 'touch') isOver.value = false;
      },
      onPointerDown: (event: PointerEvent) => {
        if (event.pointerType === 'touch') touch();
      },
      onFocusIn: look,
      onFocusOut: () => {
        hasKeys.value = false;
      },
      onKeyUp: look,
      onTouchMove: touch,
    };
  }, []);
  return { isHeld, listeners };
}
