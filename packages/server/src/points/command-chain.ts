// The chain that every command value passes on its way to the device: datatype, limits, scaler, raw limits. It never
// clamps: a value that does not fit is refused, with the range that it must stay in.
import {
  type Command,
  type Datatype,
  formatPrefixed,
  ProblemError,
  parsePrefixedAs,
  parseText,
  type StoredValue,
  stored,
  traitsOf,
  unstored,
  ValueError,
} from '@telltale/schema';
import { converted } from './convert.ts';
import { type Scaling, scalingOf, stage, toRaw } from './scaling.ts';

type Limits = readonly [low: StoredValue | undefined, high: StoredValue | undefined];

export class CommandChain {
  readonly datatype: Datatype;
  readonly rawDatatype: Datatype;
  readonly #scaling: Scaling | undefined;
  readonly #limits: Limits;
  readonly #rawLimits: Limits;

  constructor(point: Command) {
    const { datatype, rawDatatype = datatype, stackUmask = 0 } = point;
    this.datatype = datatype;
    this.rawDatatype = rawDatatype;
    this.#scaling = scalingOf(point);
    this.#limits = (stackUmask & stage.limits) === 0 ? limitsOf(datatype, point.euRangeLo, point.euRangeHi) : noLimits;
    this.#rawLimits =
      (stackUmask & stage.rawLimits) === 0 ? limitsOf(rawDatatype, point.rawRangeLo, point.rawRangeHi) : noLimits;
  }

  /** A value as a client writes it, with its prefix, within the limits. */
  read(text: string): StoredValue {
    let value: StoredValue;
    try {
      value = stored(parsePrefixedAs(this.datatype, text));
    } catch (error) {
      if (!(error instanceof ValueError)) throw error;
      throw refusal('invalid-value', error.message);
    }
    refuseOutside(this.datatype, value, this.#limits, 'the eu-range');
    return value;
  }

  /** The same for the device. */
  toRaw(value: StoredValue): StoredValue {
    const scaled = this.#scaling === undefined ? value : toRaw(this.#scaling, Number(value));
    const raw = converted(traitsOf(this.rawDatatype), scaled);
    if (raw === undefined) {
      throw refusal('out-of-range', `${shown(this.datatype, value)} does not fit the raw datatype ${this.rawDatatype}`);
    }
    refuseOutside(this.rawDatatype, raw, this.#rawLimits, 'the raw-range');
    return raw;
  }
}

const noLimits: Limits = [undefined, undefined];

function limitsOf(datatype: Datatype, low: string | undefined, high: string | undefined): Limits {
  const ends = [low, high].map((end) => (end === undefined ? undefined : stored(parseText(datatype, end))));
  const [lowest, highest] = ends;
  const isFalling = lowest !== undefined && highest !== undefined && lowest > highest;
  return isFalling ? [highest, lowest] : [lowest, highest];
}

function refuseOutside(datatype: Datatype, value: StoredValue, [low, high]: Limits, range: string): void {
  if ((low === undefined || value >= low) && (high === undefined || value <= high)) return;
  const from = low === undefined ? '' : ` from ${shown(datatype, low)}`;
  const to = high === undefined ? '' : ` up to ${shown(datatype, high)}`;
  throw refusal('out-of-range', `${shown(datatype, value)} is outside ${range},${from}${to}`);
}

function shown(datatype: Datatype, value: StoredValue): string {
  return formatPrefixed(datatype, unstored(datatype, value)).slice(0, 80);
}

function refusal(problem: 'invalid-value' | 'out-of-range', message: string): ProblemError {
  return new ProblemError(problem, `${message}.`, [{ path: 'value', message }]);
}
