// When alarms came: a live alarm tells of its last transition alone, which may be that somebody acknowledged it. What the page has not
// seen itself is in the archive, where the alarm is archived.
import type { AlarmState } from '@telltale/schema';
import { fromTimestamp, toTimestamp } from '@telltale/schema/values';
import { client } from './service.ts';

interface Transition {
  readonly state: AlarmState;
  /** Microseconds since 1970. */
  readonly t: number;
}

/** 0: that is not known. `before`: the transition that came before, if nothing was missed since. */
export function cameOf({ state, t }: Transition, before: (Transition & { readonly came: number }) | undefined): number {
  if (state === 'INACT_ACK') return 0;
  if (state === 'ACT_UNACK') return t;
  if (before === undefined) return 0;
  const isSame = before.state === state && before.t === t;
  // It came acknowledged, as those do that want no acknowledgement.
  if (state === 'ACT_ACK' && before.state !== 'ACT_UNACK' && !isSame) return t;
  return before.came;
}

const longestUs = 31 * 86_400e6;
/** Of these, names are asked for one by one; more are found among all transitions. */
const mostNames = 100;
const mostTransitions = 10_000;

/** Of those whose coming is archived, in the month before `untilUs`. */
export async function readCame(names: readonly string[], untilUs: number): Promise<ReadonlyMap<string, number>> {
  const { transitions } = await client.archive.transitions({
    names: names.length <= mostNames ? names : undefined,
    states: ['ACT_UNACK'],
    since: toTimestamp(untilUs - longestUs),
    until: toTimestamp(untilUs),
    limit: mostTransitions,
  });
  // The newest is first: of several of an alarm it counts.
  return new Map(transitions.toReversed().map(({ name, t }) => [name, fromTimestamp(t)]));
}
