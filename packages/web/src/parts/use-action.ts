// Something that is done once, and what became of it. Whoever closes what it was begun in reads its outcome in a notice.
import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Outcome } from '../data/point-actions.ts';
import { words } from '../words/words.ts';
import { notify } from './notices.tsx';
import { presentUs } from './now.ts';
import { clockText } from './times.ts';

export type Progress = 'idle' | 'underway' | Outcome;

export interface Action {
  readonly progress: ReadonlySignal<Progress>;
  /** Nothing, while one is under way. */
  readonly run: (ask: () => Promise<Outcome>) => Promise<Outcome | undefined>;
  /** What became of it was read. */
  readonly forget: () => void;
}

export function useAction(): Action {
  const progress = useSignal<Progress>('idle');
  const isGone = useRef(false);
  useEffect(() => {
    isGone.current = false;
    return () => {
      isGone.current = true;
    };
  }, []);
  const run = async (ask: () => Promise<Outcome>) => {
    if (progress.peek() === 'underway') return undefined;
    progress.value = 'underway';
    const outcome = await ask();
    progress.value = outcome;
    if (isGone.current) notifyOutcome(outcome);
    return outcome;
  };
  const forget = () => {
    if (progress.peek() !== 'underway') progress.value = 'idle';
  };
  return { progress, run, forget };
}

export function notifyOutcome({ name, kind, error }: Outcome): void {
  const { outcome } = words.value.point;
  const text = {
    done: outcome.done(clockText(presentUs())),
    waiting: outcome.waiting,
    'reason-needed': error?.message ?? '',
    'signature-needed': error?.message ?? '',
    refused: `${outcome.refused} ${error?.message ?? ''}`,
    unknown: `${outcome.unknown} ${outcome.look}`,
  }[kind];
  notify(outcome.of(name, text), { isFailure: kind !== 'done' && kind !== 'waiting' });
}
