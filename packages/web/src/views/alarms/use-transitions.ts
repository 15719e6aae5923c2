// The transitions that the history has read so far, and the reading of older ones.
import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { type Transition, TransitionReader } from '../../data/alarm-history.ts';
import { type HistoryFilter, intervalOf, transitionMatcher } from './history-filter.ts';

export interface Transitions {
  readonly rows: readonly Transition[];
  readonly isLoading: boolean;
  /** There is nothing older in the interval. */
  readonly isDone: boolean;
  /** There may be more, and the browser holds no more of them. */
  readonly isCapped: boolean;
  /** How far the reading has come, back in time; microseconds since 1970. */
  readonly readTo: number;
  readonly error: unknown;
}

/** So many at once: a screen, and what is scrolled to next. */
const pageRows = 200;
const mostRows = 50_000;

const nothing: Transitions = { rows: [], isLoading: true, isDone: false, isCapped: false, readTo: 0, error: undefined };

/** Reads anew where the filter or `turn` changes. `shownUs` is the end of an interval that has none. */
export function useTransitions(filter: HistoryFilter, shownUs: ReadonlySignal<number>, turn: number) {
  const state = useSignal<Transitions>(nothing);
  const reading = useRef<{ readonly reader: TransitionReader; readonly end: AbortController } | undefined>(undefined);
  const matches = transitionMatcher(filter);

  const more = async () => {
    const own = reading.current;
    if (own === undefined) return;
    const { reader, end } = own;
    const found: Transition[] = [];
    const tell = (changes: Partial<Transitions>) => {
      if (!end.signal.aborted) state.value = { ...state.peek(), ...changes };
    };
    tell({ isLoading: true, error: undefined });
    const { rows } = state.peek();
    try {
      while (!reader.isDone && found.length < pageRows) {
        for (const each of await reader.next(end.signal)) if (matches(each)) found.push(each);
        tell({ readTo: reader.readTo });
      }
      const all = [...rows, ...found];
      tell({
        rows: all.slice(0, mostRows),
        isLoading: false,
        isDone: reader.isDone && all.length <= mostRows,
        isCapped: all.length >= mostRows && !(reader.isDone && all.length === mostRows),
      });
    } catch (error) {
      tell({ isLoading: false, error });
    }
  };

  useEffect(() => {
    const end = new AbortController();
    reading.current = { reader: new TransitionReader(intervalOf(filter, shownUs.peek())), end };
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
