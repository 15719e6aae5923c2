// What was asked to be simulated, measurement by measurement, one request at a time for each; and whether what is seen
// fits it. Simulated values are below zero, and no two the same.
import type { Moment, Version } from './traffic-timeline.ts';

interface Asked extends Moment {
  /** Undefined: it was stopped. */
  readonly value: number | undefined;
  readonly isForced: boolean;
  /** It ends by itself. */
  readonly isTimed: boolean;
  untilMs: number;
  outcome: 'done' | 'refused' | 'open';
}

export class SimulationLedger {
  readonly #asked = new Map<string, Asked[]>();
  #last = 0;

  nextValue(): number {
    return --this.#last;
  }

  ask(name: string, value: number | undefined, isTimed = false): (isDone: boolean) => void {
    const asked: Asked = {
      value,
      isTimed,
      isForced: value !== undefined,
      fromMs: performance.now(),
      untilMs: Number.POSITIVE_INFINITY,
      outcome: 'open',
    };
    const all = this.#asked.get(name) ?? [];
    this.#asked.set(name, all);
    all.push(asked);
    return (isDone) => {
      asked.untilMs = performance.now();
      asked.outcome = isDone ? 'done' : 'refused';
    };
  }

  /** Why a measurement cannot show this simulated value. */
  faultOf(version: Version, name: string, value: number, { fromMs, untilMs }: Moment): string | undefined {
    const all = this.#asked.get(name) ?? [];
    const at = all.findIndex((asked) => asked.value === value);
    const asked = all[at];
    if (asked === undefined || asked.fromMs > untilMs) return `${name} shows ${value}, which nobody simulated`;
    if (asked.outcome === 'refused') return `${name} shows ${value}, whose simulation was refused`;
    const later = all.slice(at + 1).find((other) => other.outcome === 'done' && other.untilMs < fromMs);
    if (later !== undefined)
      return `${name} shows ${value}, after it was ${later.isForced ? 'simulated anew' : 'stopped'}`;
    const begun = version.simulable[name];
    if (begun === undefined || asked.untilMs < begun.askedMs)
      return `${name} shows ${value}, simulated before it was another`;
    return undefined;
  }

  /** Why a measurement cannot show what its device says. */
  faultOfNone(version: Version, name: string, { fromMs, untilMs }: Moment): string | undefined {
    const all = (this.#asked.get(name) ?? []).filter((asked) => asked.fromMs <= untilMs && asked.outcome !== 'refused');
    const last = all.at(-1);
    if (last === undefined || !last.isForced || last.isTimed || last.untilMs >= fromMs) return undefined;
    // It may have come just before the measurement became another.
    if (last.fromMs <= (version.simulable[name]?.ackedMs ?? Number.POSITIVE_INFINITY)) return undefined;
    return `${name} is simulated as ${last.value} and does not show it`;
  }

  /** Values that the measurement may have had at the moment. */
  during(name: string, { fromMs, untilMs }: Moment): number[] {
    const all = this.#asked.get(name) ?? [];
    const isPossible = (at: number) =>
      (all[at]?.fromMs ?? 0) <= untilMs &&
      all.slice(at + 1).every(({ outcome, untilMs: endMs }) => outcome !== 'done' || endMs >= fromMs);
    return all.flatMap(({ value }, at) => (value !== undefined && isPossible(at) ? [value] : []));
  }
}
