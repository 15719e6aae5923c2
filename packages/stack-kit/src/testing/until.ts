// Polls for a condition that no event reports.
import { setTimeout as sleep } from 'node:timers/promises';

export interface UntilOptions {
  /** 15 s: only what never comes true takes as long. */
  readonly deadlineMs?: number | undefined;
}

/** Resolves once the condition holds; rejects, naming what was waited for, when it does not in time. */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  { deadlineMs = 15_000 }: UntilOptions = {},
): Promise<void> {
  const endMs = performance.now() + deadlineMs;
  while (!(await condition())) {
    if (performance.now() > endMs) throw new Error(`waited ${deadlineMs} ms in vain: ${what}`);
    await sleep(5);
  }
}
