// What was written to commands and what was answered; what the devices have received and what reads show must fit it. The
// number of a write never ends with a zero, so that the raw value tells it, and by which factor it was made.
import type { Received } from './traffic-devices.ts';
import { mediumUnder } from './traffic-plant.ts';
import type { Moment, Timeline, Version } from './traffic-timeline.ts';

/** What is written is the number of the write times this. */
const scale = 1000;

/** How often a device may have received a write: once, never, or nobody knows. */
export type Outcome = 'accepted' | 'notSent' | 'unknown';

interface Write extends Moment {
  readonly name: string;
  untilMs: number;
  outcome: Outcome | 'open';
  answer: string;
}

export class WriteLedger {
  readonly #timeline: Timeline;
  readonly #writes = new Map<number, Write>();
  readonly #byName = new Map<string, Write[]>();
  /** By number of the write. */
  readonly #times = new Map<number, number>();
  #last = 0;

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
  }

  /** Gives the value to write, and what to call with the answer. */
  ask(name: string): { readonly value: number; readonly done: (outcome: Outcome, answer: string) => void } {
    do this.#last++;
    while (this.#last % 10 === 0);
    const write: Write = {
      name,
      fromMs: performance.now(),
      untilMs: Number.POSITIVE_INFINITY,
      outcome: 'open',
      answer: '',
    };
    this.#writes.set(this.#last, write);
    const ofName = this.#byName.get(name) ?? [];
    this.#byName.set(name, ofName);
    ofName.push(write);
    const done = (outcome: Outcome, answer: string) => {
      Object.assign(write, { outcome, answer, untilMs: performance.now() });
    };
    return { value: this.#last * scale, done };
  }

  /** Why the command cannot show this value at the moment. */
  faultOf(version: Version, name: string, value: number, { fromMs, untilMs }: Moment): string | undefined {
    const begun = version.begun.commands[name];
    if (begun === undefined) return `${name} has not begun`;
    const ofName = this.#byName.get(name) ?? [];
    const isOver = (sinceMs: number) => ofName.some((other) => isAccepted(other, sinceMs, fromMs));
    if (value === 0) return isOver(begun.ackedMs) ? `${name} shows nothing, after a write` : undefined;
    const write = this.#writes.get(value / scale);
    if (write === undefined || write.name !== name || write.fromMs > untilMs)
      return `${name} shows ${value}, never written`;
    if (write.outcome === 'notSent') return `${name} shows ${value}, answered: ${write.answer}`;
    if (write.untilMs < begun.askedMs) return `${name} shows ${value}, written before it was another`;
    if (isOver(Math.max(write.untilMs, begun.ackedMs))) return `${name} shows ${value}, after a later write`;
    return undefined;
  }

  /** Throws where the devices have received what no configuration makes of a write; all writes have been answered. */
  receive(received: readonly Received[]): void {
    for (const { medium, place, raw } of received) {
      const [number, factor] = numberOf(raw);
      const write = this.#writes.get(number);
      const where = `device ${medium} received ${raw} at ${place}`;
      if (write === undefined) throw new Error(`${where}, which nobody wrote`);
      this.#times.set(number, (this.#times.get(number) ?? 0) + 1);
      const isMeant = this.#timeline.during(write).some(({ plant }) => {
        const command = plant.commands[write.name];
        return command?.factor === factor && command.place === place && mediumUnder(plant, command) === medium;
      });
      if (!isMeant) throw new Error(`${where}, which no configuration makes of ${number * scale} for ${write.name}`);
    }
  }

  /** Writes that were received more often, or less, than they were answered. */
  miscounted(): string[] {
    const found: string[] = [];
    for (const [number, { name, outcome, answer }] of this.#writes) {
      const count = this.#times.get(number) ?? 0;
      const isRight = outcome === 'unknown' ? count <= 1 : count === (outcome === 'accepted' ? 1 : 0);
      if (!isRight) found.push(`${number * scale} of ${name} was received ${count} times, and answered: ${answer}`);
    }
    return found;
  }

  counts(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { outcome } of this.#writes.values()) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
    return counts;
  }
}

const isAccepted = ({ outcome, fromMs, untilMs }: Write, sinceMs: number, beforeMs: number) =>
  outcome === 'accepted' && fromMs > sinceMs && untilMs < beforeMs;

function numberOf(raw: number): [number: number, factor: number] {
  let [number, factor] = [raw, scale];
  while (number !== 0 && number % 10 === 0) [number, factor] = [number / 10, factor / 10];
  return [number, factor];
}
