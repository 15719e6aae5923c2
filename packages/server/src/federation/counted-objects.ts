// How many points and alarms of this site are in which state, for its heartbeats: counted a part at a time, so that no heartbeat takes long.
import { quality, type SiteAlarms, type SitePoints } from '@telltale/schema';
import type { Alarms } from '../alarms/index.ts';
import { countQuality, type Measurements, noQualities } from '../points/index.ts';

/** Takes a millisecond or two. */
const mostAtOnce = 100_000;

export class CountedObjects {
  readonly #measurements: Measurements;
  readonly #alarms: Alarms;
  /** Those that are still to be counted of this round. */
  #left: Iterator<number> | undefined;
  #counting = none();
  /** Of the last round. */
  #counted: SitePoints | null = null;

  constructor(measurements: Measurements, alarms: Alarms) {
    this.#measurements = measurements;
    this.#alarms = alarms;
  }

  /** Of larger sites, those of some seconds ago; null: the first round is not over. */
  nextPoints(): SitePoints | null {
    this.#left ??= this.#measurements.all()[Symbol.iterator]();
    const left = this.#left;
    for (let items = 0; items < mostAtOnce; items++) {
      const { done, value: handle } = left.next();
      if (done) {
        this.#counted = this.#counting;
        this.#counting = none();
        this.#left = undefined;
        break;
      }
      const status = this.#measurements.qualityOf(handle);
      countQuality(this.#counting, status);
      if ((status & quality.simulated) !== 0) this.#counting.simulated++;
    }
    return this.#counted;
  }

  get alarms(): SiteAlarms {
    const { ACT_UNACK, ACT_ACK, INACT_UNACK } = this.#alarms.counts().byState;
    return { active: ACT_UNACK + ACT_ACK, unacknowledged: ACT_UNACK + INACT_UNACK };
  }
}

function none() {
  return { ...noQualities(), simulated: 0 };
}
