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

const firstUs = 3600e6;
const longestUs = 31 * 86_400e6;

/** Of those whose coming is archived, read back from `untilUs`. */
export async function readCame(names: readonly string[], untilUs: number): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  let until = untilUs;
  for (let length = firstUs; until > untilUs - longestUs; length *= 8) {
    const since = Math.max(untilUs - longestUs, until - length);
    const wanted = names.filter((name) => !found.has(name));
    if (wanted.length === 0) break;
    const interval = { names: wanted, since: toTimestamp(since), until: toTimestamp(until) };
    for (const [name, records] of Object.entries(await client.archive.readMany('alarms', interval))) {
      const came = records.findLast(({ state }) => state === 'ACT_UNACK');
      if (came !== undefined) found.set(name, fromTimestamp(came.t));
    }
    until = since;
  }
  return found;
}
