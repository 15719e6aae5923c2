// The transitions that the history has read so far, and the reading of older ones.
import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { readTransitions, type Transition, type TransitionsWanted } from '../../data/alarm-history.ts';
import { type HistoryFilter, wantedOf } from './history-filter.ts';

export interface Transitions {
  readonly rows: readonly Transition[];
  readonly isLoading: boolean;
  /** There is nothing older in the interval. */
  readonly isDone: boolean;
  /** There is more, and the browser holds no more of them. */
  readonly isCapped: boolean;
  readonly error: unknown;
}

/** So many at once: mostly all that somebody looks at. */
const pageRows = 1000;
const mostRows = 50_000;

const nothing: Transitions = { rows: [], isLoading: true, isDone: false, isCapped: false, error: undefined };

interface Reading {
  readonly wanted: TransitionsWanted;
  readonly end: AbortController;
  before?: string | undefined;
}

/** Reads anew where the filter or `turn` changes. `shownUs` is the end of an interval that has none. */
export function useTransitions(filter: HistoryFilter, shownUs: ReadonlySignal<number>, turn: number) {
  const state = useSignal<Transitions>(nothing);
  const reading = useRef<Reading | undefined>(undefined);

  const more = async () => {
    const own = reading.current;
    if (own === undefined) return;
    const { wanted, end, before } = own;
    const tell = (changes: Partial<Transitions>) => {
      if (!end.signal.aborted) state.value = { ...state.peek(), ...changes };
    };
    tell({ isLoading: true, error: undefined });
    try {
      const { rows, next } = await readTransitions(wanted, { limit: pageRows, before, signal: end.signal });
      own.before = next;
      const all = [...state.peek().rows, ...rows];
      const isDone = next === undefined;
      tell({ rows: all, isLoading: false, isDone, isCapped: !isDone && all.length >= mostRows });
    } catch (error) {
      tell({ isLoading: false, error });
    }
  };

  useEffect(() => {
    const end = new AbortController();
    reading.current = { wanted: wantedOf(filter, shownUs.peek()), end };
    state.value = nothing;
    void more();
    return () => end.abort();
  }, [filter, turn]);

  return {
    transitions: state as ReadonlySignal<Transitions>,
    /** Does nothing while it reads already, or there is no more. */
    more: () => {
      const { isLoading, isDone, isCapped } = state.peek();
      if (!isLoading && !isDone && !isCapped) void more();
    },
  };
}
