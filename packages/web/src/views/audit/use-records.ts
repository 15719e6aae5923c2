// The records that were read so far, and the reading of older ones.
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { type AuditChoice, AuditReader, type AuditRecord } from '../../data/audit.ts';

export interface Records {
  readonly rows: readonly AuditRecord[];
  readonly isLoading: boolean;
  /** There is nothing older in the interval. */
  readonly isDone: boolean;
  readonly error: unknown;
}

/** The browser holds no more of them: who wants others narrows the choice. */
export const mostRows = 20_000;

const nothing: Records = { rows: [], isLoading: true, isDone: false, error: undefined };

/** Reads anew where one of `keys` changes. */
export function useRecords(choose: () => AuditChoice, keys: readonly unknown[]) {
  const state = useSignal<Records>(nothing);
  const reading = useRef<{ readonly reader: AuditReader; readonly end: AbortController } | undefined>(undefined);

  const read = async () => {
    const own = reading.current;
    if (own === undefined) return;
    const { reader, end } = own;
    const { rows } = state.peek();
    state.value = { ...state.peek(), isLoading: true, error: undefined };
    try {
      const found = await reader.next(end.signal);
      const all = [...rows, ...found];
      if (!end.signal.aborted) state.value = { ...nothing, rows: all, isLoading: false, isDone: reader.isDone };
    } catch (error) {
      if (!end.signal.aborted) state.value = { ...state.peek(), isLoading: false, error };
    }
  };
  useEffect(() => {
    const end = new AbortController();
    reading.current = { reader: new AuditReader(choose()), end };
    state.value = nothing;
    void read();
    return () => end.abort();
  }, keys);
  return {
    ...state.value,
    /** Does nothing while it reads already, or there is no more. */
    more: () => {
      const { rows, isLoading, isDone, error } = state.peek();
      if (!isLoading && !isDone && error === undefined && rows.length < mostRows) void read();
    },
  };
}
