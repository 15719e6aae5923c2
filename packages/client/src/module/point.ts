// A measurement or a command as a module sees it in one cycle. It does not change: the next cycle has another.
import { type Datatype, describeQuality, isGood, quality, type Value } from '@telltale/schema/values';

export interface PointState {
  readonly name: string;
  /** Undefined until the service has reported it. */
  readonly datatype: Datatype | undefined;
  readonly value: Value | undefined;
  readonly quality: number;
  readonly timeUs: number;
}

export class Point implements PointState {
  readonly name: string;
  readonly datatype: Datatype | undefined;
  /** The last one received, whatever its quality: check `isGood`, or use `number`, `boolean` or `text`. */
  readonly value: Value | undefined;
  /** As the service reports it; without a connection to it: bad, communication failure. */
  readonly quality: number;
  /** Microseconds since 1970. */
  readonly timeUs: number;

  constructor(state: PointState) {
    this.name = state.name;
    this.datatype = state.datatype;
    this.value = state.value;
    this.quality = state.quality;
    this.timeUs = state.timeUs;
  }

  static unknown(name: string): Point {
    return new Point({
      name,
      datatype: undefined,
      value: undefined,
      quality: quality.bad.notConnected,
      timeUs: 0,
    });
  }

  /** The value stays, and is bad from now on. */
  turnedBad(badQuality: number, timeUs: number): Point {
    return new Point({ ...this, quality: badQuality, timeUs });
  }

  get isGood(): boolean {
    return this.value !== undefined && isGood(this.quality);
  }

  /** Undefined unless it is good and a number; of 64-bit integers the nearest double, of booleans 0 or 1. */
  get number(): number | undefined {
    return this.isGood && typeof this.value !== 'string' ? Number(this.value) : undefined;
  }

  /** Undefined unless it is good and a boolean. */
  get boolean(): boolean | undefined {
    return this.isGood && typeof this.value === 'boolean' ? this.value : undefined;
  }

  /** Undefined unless it is good and a text. */
  get text(): string | undefined {
    return this.isGood && typeof this.value === 'string' ? this.value : undefined;
  }

  /** For people: `tank1_level is 3.41 (good)`. */
  toString(): string {
    const what = this.value === undefined ? 'not known' : String(this.value);
    return `${this.name} is ${what} (${describeQuality(this.quality)})`;
  }
}
