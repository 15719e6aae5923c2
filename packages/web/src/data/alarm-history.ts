// Transitions of all alarms, or of some, the newest first, a page at a time.
import type { AlarmState, AlarmTransition } from '@telltale/schema';
import { fromTimestamp, toTimestamp } from '@telltale/schema/values';
import { alarms } from './alarms.ts';
import { client } from './service.ts';

export interface Transition {
  readonly name: string;
  /** Microseconds since 1970. */
  readonly t: number;
  /** That it led to. */
  readonly state: AlarmState;
  readonly authority: string;
  readonly description: string;
  /** The archive has neither of them: they are those of today. */
  readonly severity: number | undefined;
  readonly area: string;
}

export interface TransitionsWanted {
  /** Microseconds since 1970. */
  readonly since: number;
  /** Not in the interval itself. */
  readonly until: number;
  /** Of these alarms alone. */
  readonly names?: readonly string[] | undefined;
  readonly area?: string | undefined;
  readonly severity?: number | undefined;
  readonly states?: readonly AlarmState[] | undefined;
  /** Words, all of which are in the name or the description. */
  readonly search?: string | undefined;
}

export interface TransitionsPage {
  readonly rows: readonly Transition[];
  /** Undefined: there are no older ones. */
  readonly next: string | undefined;
}

/** At most `limit`, from the newest on, or from `next` of the page before. */
export async function readTransitions(
  { since, until, ...wanted }: TransitionsWanted,
  {
    limit,
    before,
    signal,
  }: { readonly limit: number; readonly before?: string | undefined; readonly signal: AbortSignal },
): Promise<TransitionsPage> {
  if (since >= until) return { rows: [], next: undefined };
  const interval = { since: toTimestamp(since), until: toTimestamp(until) };
  const { transitions, next } = await client.archive.transitions({ ...wanted, ...interval, limit, before, signal });
  return { rows: transitions.map(withToday), next };
}

function withToday({ t, ...transition }: AlarmTransition): Transition {
  const { severity, area = '' } = alarms.peek().get(transition.name) ?? {};
  return { ...transition, t: fromTimestamp(t), severity, area };
}
