// Something that a person has asked for and that may fail: whether it is under way, and why it failed. What becomes of actions
// on the plant itself is left to use-action.ts.
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

export interface Task {
  readonly isUnderway: boolean;
  readonly error: unknown;
  /** Resolves with whether it succeeded; one at a time. The signal ends it when the component goes. */
  readonly run: (work: (signal: AbortSignal) => Promise<unknown>) => Promise<boolean>;
  readonly forget: () => void;
  readonly stop: () => void;
}

export function useTask(): Task {
  const state = useSignal<{ readonly isUnderway: boolean; readonly error: unknown }>(idle);
  const end = useRef(new AbortController());
  const stop = () => {
    end.current.abort();
    end.current = new AbortController();
  };
  useEffect(() => stop, []);
  const run = async (work: (signal: AbortSignal) => Promise<unknown>) => {
    if (state.peek().isUnderway) return false;
    state.value = { isUnderway: true, error: undefined };
    const { signal } = end.current;
    try {
      await work(signal);
      state.value = idle;
      return true;
    } catch (error) {
      state.value = signal.aborted ? idle : { isUnderway: false, error };
      return false;
    }
  };
  const forget = () => {
    if (!state.peek().isUnderway) state.value = idle;
  };
  return { ...state.value, run, forget, stop };
}

const idle = { isUnderway: false, error: undefined } as const;
