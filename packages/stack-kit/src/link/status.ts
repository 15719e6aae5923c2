// What is known of a running connector or provider.
import type { WriteOutcome } from './link-writes.ts';

export type Role = 'connector' | 'provider';

export interface ConnectionStatus {
  /** `down`: it will be tried again by and by; `failed`: not before the configuration changes. */
  readonly state: 'connecting' | 'up' | 'down' | 'failed';
  /** Since when the link is up, or is not. */
  readonly sinceUs: number;
  readonly lastError: { readonly text: string; readonly timeUs: number } | undefined;
  readonly counters: Counters;
}

export type Counters = ReturnType<typeof zeroCounters>;

export function zeroCounters() {
  return {
    /** Readings and batches that came from a connector over its link, or went to a provider. */
    values: 0,
    batches: 0,
    /** How often the link came up. */
    connects: 0,
    errors: 0,
    /** Values that were replaced by newer ones of their points because the receiver was slow. */
    conflated: 0,
    /** Published without a link, and passed over. */
    dropped: 0,
    writesAccepted: 0,
    writesRefused: 0,
    writesTimedOut: 0,
    writesNotConnected: 0,
  };
}

/** Returns the outcome. */
export function countWrite(counters: Counters, outcome: WriteOutcome): WriteOutcome {
  if (outcome.kind === 'accepted') counters.writesAccepted++;
  else if (outcome.kind === 'refused') counters.writesRefused++;
  else if (outcome.kind === 'timeout') counters.writesTimedOut++;
  else counters.writesNotConnected++;
  return outcome;
}

/** Adds to each sum what its counter has risen by. */
export function addRise<C extends Readonly<Record<keyof C, number>>>(
  sum: { -readonly [K in keyof C]: number },
  from: C,
  to: C,
): void {
  for (const name of Object.keys(sum) as (keyof C)[]) sum[name] += to[name] - from[name];
}
