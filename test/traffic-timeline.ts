// Which configurations may run at a moment, as far as clients can see: one from when its rendering was asked for until the
// next one was acknowledged. What is observed must be right under one of them.
import type { Plant, PointDefinition } from './traffic-plant.ts';
import { names } from './traffic-plant.ts';

export interface Version {
  readonly number: number;
  readonly plant: Plant;
  readonly askedMs: number;
  ackedMs: number;
  /** The versions with which the point that runs now began: before, there was none, or one of another datatype. */
  readonly begun: { readonly measurements: Begun; readonly commands: Begun };
  /** The same; a simulation does not survive another connector either. */
  readonly simulable: Begun;
}

type Begun = Readonly<Record<string, Version | undefined>>;

/** From when the request was sent until the answer was there. */
export interface Moment {
  readonly fromMs: number;
  readonly untilMs: number;
}

export class Timeline {
  readonly versions: Version[] = [];

  get newest(): Version {
    return this.versions.at(-1) as Version;
  }

  /** A rendering is about to be asked for. */
  ask(plant: Plant): Version {
    const before = this.versions.at(-1);
    const version: Version = {
      number: this.versions.length,
      plant,
      askedMs: performance.now(),
      ackedMs: Number.POSITIVE_INFINITY,
      begun: { measurements: {}, commands: {} },
      simulable: {},
    };
    const isSame = (old: PointDefinition | undefined, now: PointDefinition | undefined) =>
      old !== undefined && old.datatype === now?.datatype;
    for (const family of ['measurements', 'commands'] as const) {
      const goesOn = (name: string) => isSame(before?.plant[family][name], plant[family][name]);
      Object.assign(version.begun[family], begunWith(version, before?.begun[family], goesOn));
    }
    const goesOn = (name: string) => {
      const [old, now] = [before?.plant.measurements[name], plant.measurements[name]];
      return isSame(old, now) && old?.connector === now?.connector;
    };
    Object.assign(version.simulable, begunWith(version, before?.simulable, goesOn));
    this.versions.push(version);
    return version;
  }

  /** The points that the rendering changes which is under way. */
  changing(family: 'measurements' | 'commands'): string[] {
    const [before, { plant, ackedMs }] = [this.versions.at(-2)?.plant, this.newest];
    if (ackedMs < Number.POSITIVE_INFINITY) return [];
    return names.filter((name) => plant[family][name] !== before?.[family][name]);
  }

  /** Those that may have run at some time of the moment. */
  during({ fromMs, untilMs }: Moment): Version[] {
    const endedMs = (number: number) => this.versions[number + 1]?.ackedMs ?? Number.POSITIVE_INFINITY;
    const before = this.versions.findLastIndex(({ number }) => endedMs(number) < fromMs);
    return this.versions.slice(before + 1).filter(({ askedMs }) => askedMs <= untilMs);
  }

  /** Throws where what was seen is wrong under each version of the moment; answers with those under which it is right. */
  judge(
    what: string,
    moment: Moment,
    faultUnder: (version: Version) => string | undefined,
    candidates = this.during(moment),
  ) {
    const faults = new Map(candidates.map((version) => [version, faultUnder(version)]));
    const right = candidates.filter((version) => faults.get(version) === undefined);
    if (right.length > 0) return right;
    const reported = Array.from(faults, ([{ number }, fault]) => `under ${number}: ${fault}`);
    throw new Error(
      `${what} is of no configuration that may have run (now ${this.newest.number}); ${reported.join('; ')}`,
    );
  }
}

function begunWith(version: Version, before: Begun | undefined, goesOn: (name: string) => boolean): Begun {
  return Object.fromEntries(names.map((name) => [name, goesOn(name) ? before?.[name] : version]));
}
