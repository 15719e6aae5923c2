// What changes many times a second, as people can read it: the newest, at most so often.
import { effect, type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/** Changes at once after a pause, and otherwise no sooner than `periodMs` after its last change. */
export function useCalm<T>(source: ReadonlySignal<T>, periodMs: number): ReadonlySignal<T> {
  const calm = useSignal(source.peek());
  useEffect(() => {
    let lastMs = Number.NEGATIVE_INFINITY;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = effect(() => {
      if (source.value === calm.peek() || timer !== undefined) return;
      timer = setTimeout(
        () => {
          timer = undefined;
          lastMs = performance.now();
          calm.value = source.peek();
        },
        Math.max(0, lastMs + periodMs - performance.now()),
      );
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [source, periodMs]);
  return calm;
}
