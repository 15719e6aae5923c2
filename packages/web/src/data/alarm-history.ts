// Transitions of all alarms, the newest first, as they are wanted: read from the archive interval by interval, back in time. How
// long an interval is follows from how much was in the ones before.
import type { AlarmState } from '@telltale/schema';
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

export interface TransitionInterval {
  /** Microseconds since 1970. */
  readonly since: number;
  /** Not in the interval itself. */
  readonly until: number;
  /** Of these alarms alone. */
  readonly names?: readonly string[];
}

const firstUs = 10 * 60e6;
const shortestUs = 1e6;
/** An interval with fewer transitions is followed by a longer one, one with more by a shorter one. */
const fewest = 100;
const most = 2000;

export class TransitionReader {
  readonly #interval: TransitionInterval;
  #until: number;
  #lengthUs = firstUs;

  constructor(interval: TransitionInterval) {
    this.#interval = interval;
    this.#until = interval.until;
  }

  get isDone(): boolean {
    return this.#until <= this.#interval.since;
  }

  /** How far back everything has been read. */
  get readTo(): number {
    return Math.max(this.#until, this.#interval.since);
  }

  /** The next ones back in time; none where nothing was in the interval, which does not mean that it is done. */
  async next(signal: AbortSignal): Promise<Transition[]> {
    const until = this.#until;
    const since = Math.max(this.#interval.since, until - this.#lengthUs);
    const found = await client.archive.readMany('alarms', {
      names: this.#interval.names,
      since: toTimestamp(since),
      until: toTimestamp(until),
      signal,
    });
    const transitions = Object.entries(found).flatMap(([name, records]) => {
      const { severity, area = '' } = alarms.peek().get(name) ?? {};
      return records.map(({ t, state, authority, description }) => {
        return { name, t: fromTimestamp(t), state, authority, description, severity, area };
      });
    });
    this.#until = since;
    if (transitions.length < fewest) this.#lengthUs *= 4;
    else if (transitions.length > most) this.#lengthUs = Math.max(shortestUs, this.#lengthUs / 4);
    return transitions.sort((a, b) => b.t - a.t || (a.name < b.name ? -1 : 1));
  }
}

/** At most so many transitions of one alarm, the newest first. */
export async function readTransitionsOf(
  name: string,
  interval: Omit<TransitionInterval, 'names'>,
  most: number,
  signal: AbortSignal,
): Promise<Transition[]> {
  const reader = new TransitionReader({ ...interval, names: [name] });
  const found: Transition[] = [];
  while (found.length < most && !reader.isDone) found.push(...(await reader.next(signal)));
  return found.slice(0, most);
}
