// What a view reads once, or again from time to time: loading, the answer, or why there is none.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { link, Unreachable } from '../data/service.ts';

export interface Read<T> {
  readonly value: T | undefined;
  readonly error: unknown;
  readonly isLoading: boolean;
  readonly again: () => void;
}

export interface ReadOptions {
  /** Read again after so long, while the page is seen. */
  readonly everyMs?: number;
}

/** Reads when the component comes, and whenever one of `keys` changes. An earlier answer stays while the next one comes. */
export function useRead<T>(
  read: (signal: AbortSignal) => Promise<T>,
  keys: readonly unknown[],
  { everyMs }: ReadOptions = {},
): Read<T> {
  const state = useSignal<Omit<Read<T>, 'again'>>({ value: undefined, error: undefined, isLoading: true });
  const turn = useSignal(0);
  const isConnected = link.value.state === 'connected';
  // What failed while there was no link is read when it is back.
  useEffect(() => {
    if (isConnected && state.peek().error instanceof Unreachable) turn.value++;
  }, [isConnected]);
  useEffect(() => {
    const end = new AbortController();
    state.value = { ...state.peek(), isLoading: true };
    read(end.signal).then(
      (value) => {
        if (!end.signal.aborted) state.value = { value, error: undefined, isLoading: false };
      },
      (error: unknown) => {
        if (!end.signal.aborted) state.value = { value: state.peek().value, error, isLoading: false };
      },
    );
    return () => end.abort();
  }, [...keys, turn.value]);
  useEffect(() => {
    if (everyMs === undefined) return;
    const timer = setInterval(() => {
      if (!document.hidden) turn.value++;
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return { ...state.value, again: () => turn.value++ };
}
