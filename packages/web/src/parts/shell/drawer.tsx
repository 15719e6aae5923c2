// A drawer over a view, which stays in use on a wide screen: Escape closes it, the focus moves into it and back. It goes out of the
// way of what has the focus below it.
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { moment } from '../../data/moment.ts';
import { siteName } from '../../data/sites.ts';
import { words } from '../../words/words.ts';
import { momentText } from '../times.ts';

export interface DrawerProps {
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

export function Drawer({ onClose, children }: DrawerProps) {
  const ref = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const before = document.activeElement;
    ref.current?.focus({ preventScroll: true });
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    };
  }, []);
  useLayoutEffect(() => {
    // Heard everywhere: where what had the focus is gone, such as a button that was used, nothing has it. A dialog or a menu that is
    // open is closed first.
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented) return;
      const focused = document.activeElement;
      if (focused !== null && focused !== document.body && !ref.current?.contains(focused)) return;
      if (document.querySelector('dialog[open], :popover-open') !== null) return;
      event.preventDefault();
      onClose();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, [onClose]);
  const isAside = useSignal(false);
  useLayoutEffect(() => {
    const onFocusIn = ({ target }: FocusEvent) => {
      const drawer = ref.current;
      if (drawer === null || !(target instanceof Element)) return;
      const isBelow = drawer.parentElement?.contains(target) === true && !drawer.contains(target);
      isAside.value = isBelow && target.getBoundingClientRect().left >= drawer.offsetLeft;
    };
    addEventListener('focusin', onFocusIn);
    return () => removeEventListener('focusin', onFocusIn);
  }, []);
  return (
    <aside class={`drawer ${isAside.value ? 'aside' : ''}`} ref={ref} tabIndex={-1}>
      <button type="button" class="plain drawer-close" aria-label={words.value.common.close} onClick={onClose}>
        ✕
      </button>
      {siteName.value !== '' && (
        <p class="drawer-site">
          <span class="site-tag">{siteName.value}</span>
        </p>
      )}
      {moment.value !== undefined && (
        <p class="drawer-past">
          <strong>◀ {words.value.shell.past}</strong> {momentText(moment.value)}
        </p>
      )}
      {children}
    </aside>
  );
}
