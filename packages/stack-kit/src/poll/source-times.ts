// The sanity rule for the clocks of devices: a time that cannot be right is not taken, and the reading says so.
import { type Clock, isGood, quality as qualities } from '@telltale/schema';

export interface SourceTimesOptions {
  readonly clock: Clock;
  readonly maxSkewMs: number;
}

/** An earlier time is that of an unset clock, or was read in the wrong unit. */
const earliestUs = Date.UTC(2000) * 1000;

export class SourceTimes {
  /** Of the reading judged last: the time and the quality to publish. */
  timeUs = 0;
  quality: number = qualities.bad.nonSpecific;
  /** How many readings have the server's time instead of the device's. */
  distrusted = 0;
  readonly #clock: Clock;
  readonly #maxSkewUs: number;

  constructor({ clock, maxSkewMs }: SourceTimesOptions) {
    this.#clock = clock;
    this.#maxSkewUs = maxSkewMs * 1000;
  }

  /**
   * A reading that the device stamped `sourceUs`. `deviceNowUs` is what the device's clock said when it sent it, where
   * the protocol says it; undefined where it is not known: then only times ahead of the server, and before 2000, are judged,
   * since a value that has not changed for long is rightly old. Off by more than allowed: the server's time, and good becomes
   * uncertain. What is uncertain or bad stays so.
   */
  judge(sourceUs: number, deviceNowUs: number | undefined, quality: number): void {
    const nowUs = this.#clock.now();
    const isAhead = !(sourceUs - nowUs <= this.#maxSkewUs); // also where it is no number
    const isOff = deviceNowUs !== undefined && !(Math.abs(deviceNowUs - nowUs) <= this.#maxSkewUs);
    if (isAhead || isOff || sourceUs < earliestUs) {
      this.distrusted++;
      this.timeUs = nowUs;
      this.quality = isGood(quality) ? qualities.uncertain.nonSpecific | (quality & 0xff00) : quality;
    } else {
      this.timeUs = Math.round(sourceUs);
      this.quality = quality;
    }
  }
}
