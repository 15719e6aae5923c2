// The chain that every reading passes: scaler, deduplicator, deadband; SPEC.md has the rules. The hot path of the
// server: one loop over a batch, typed arrays by handle, nothing allocated a reading.
import { type Batch, form, quality, qualityMask } from '@telltale/schema';
import { converted, fits, type StoredValue } from './convert.ts';
import type { Changes } from './measurement-reader.ts';
import { flag, type MeasurementTable } from './measurement-table.ts';
import { toEngineering } from './scaling.ts';

/** What became of readings, counted; together they are all that came. */
export interface ChainCounts {
  changed: number;
  /** Same value and quality. */
  duplicates: number;
  withinDeadband: number;
  /** A simulation stands before them. */
  hidden: number;
  /** Of points that are gone, or of another connector. */
  foreign: number;
}

/** Changes are handed on at the latest when so many have come together. */
const mostChanges = 4096;

/** A device may say anything but that its value is simulated. */
const deviceQuality = 0xffff & ~quality.simulated;

const noValue = Symbol('no value');

export class MeasurementChain {
  readonly counts: ChainCounts = { changed: 0, duplicates: 0, withinDeadband: 0, hidden: 0, foreign: 0 };
  /** Readings that did not fit their datatype; they are among the others in `counts`. */
  unfit = 0;
  readonly #table: MeasurementTable;
  readonly #onChanges: (changes: Changes) => void;
  #changes = { handles: new Uint32Array(mostChanges), count: 0 };
  #spare = { handles: new Uint32Array(mostChanges), count: 0 };
  #round = 1;

  constructor(table: MeasurementTable, onChanges: (changes: Changes) => void) {
    this.#table = table;
    this.#onChanges = onChanges;
  }

  /** Passes the readings of a connector through the chain; what changed is handed on in order before it returns. */
  apply(batch: Batch, connector: number, nowUs: number): void {
    const { points, forms, count } = batch;
    const { flags, connectors, capacity } = this.#table;
    for (let at = 0; at < count; at++) {
      const handle = points[at] as number;
      const bits = handle < capacity ? (flags[handle] as number) : 0;
      if ((bits & flag.live) === 0 || connectors[handle] !== connector) {
        this.counts.foreign++;
      } else if ((bits & flag.plain) !== 0 && forms[at] === form.number) {
        this.#applyNumber(batch, at, handle, bits, nowUs);
      } else {
        this.#applyOther(batch, at, handle, bits, nowUs);
      }
    }
    this.flush();
  }

  #applyNumber(batch: Batch, at: number, handle: number, bits: number, nowUs: number): void {
    const table = this.#table;
    let value = batch.numbers[at] as number;
    let status = (batch.qualities[at] as number) & deviceQuality;
    let isFit = (bits & flag.rawDouble) !== 0 ? value - value === 0 : fits(table.rawDatatypeOf(handle), value);
    if (isFit && (bits & flag.scaled) !== 0) {
      const rawLo = table.rawLo[handle] as number;
      const rawHi = table.rawHi[handle] as number;
      const euLo = table.euLo[handle] as number;
      const euHi = table.euHi[handle] as number;
      if (value < (rawLo < rawHi ? rawLo : rawHi) || value > (rawLo < rawHi ? rawHi : rawLo)) {
        status = exceeded(status, (value < rawLo === rawLo < rawHi) === euLo < euHi);
      }
      value = value === rawHi ? euHi : euLo + (value - rawLo) * ((euHi - euLo) / (rawHi - rawLo));
    }
    if ((bits & flag.double) === 0) {
      const fitting = isFit ? (converted(table.datatypeOf(handle), value) as number | undefined) : undefined;
      isFit = fitting !== undefined;
      if (fitting !== undefined) value = fitting;
    } else if (value - value !== 0) isFit = false;
    const last = table.numbers[handle] as number;
    if (!isFit) {
      this.unfit++;
      value = last;
      status = unfit(status);
    }
    if (status === table.qualities[handle]) {
      if ((bits & flag.deduplicated) !== 0 && value === last) {
        this.counts.duplicates++;
        return;
      }
      if ((bits & flag.deadband) !== 0 && Math.abs(value - last) < (table.deadbands[handle] as number)) {
        this.counts.withinDeadband++;
        return;
      }
    }
    table.numbers[handle] = value;
    this.#pass(handle, bits, status, batch.times[at] as number, nowUs);
  }

  /** 64-bit integers, texts, readings without a value, and conversions between them. */
  #applyOther(batch: Batch, at: number, handle: number, bits: number, nowUs: number): void {
    const table = this.#table;
    const last = table.valueOf(handle);
    let status = (batch.qualities[at] as number) & deviceQuality;
    let value = this.#otherValue(handle, bits, batch.valueAt(at));
    if (value === noValue) {
      this.unfit++;
      status = unfit(status);
      value = last;
    } else if ((bits & flag.scaled) !== 0) {
      status = this.#limits(handle, batch.valueAt(at) as StoredValue, status);
    }
    if (status === table.qualities[handle]) {
      if ((bits & flag.deduplicated) !== 0 && value === last) {
        this.counts.duplicates++;
        return;
      }
      if ((bits & flag.deadband) !== 0 && this.#isWithinDeadband(handle, value, last)) {
        this.counts.withinDeadband++;
        return;
      }
    }
    table.setValue(handle, value);
    this.#pass(handle, bits, status, batch.times[at] as number, nowUs);
  }

  #otherValue(handle: number, bits: number, raw: StoredValue | undefined): StoredValue | typeof noValue {
    const table = this.#table;
    if (raw === undefined || !fits(table.rawDatatypeOf(handle), raw)) return noValue;
    const scaled = (bits & flag.scaled) === 0 ? raw : toEngineering(this.#scaling(handle), Number(raw));
    return converted(table.datatypeOf(handle), scaled) ?? noValue;
  }

  #scaling(handle: number) {
    const { rawLo, rawHi, euLo, euHi } = this.#table;
    return {
      rawLo: rawLo[handle] as number,
      rawHi: rawHi[handle] as number,
      euLo: euLo[handle] as number,
      euHi: euHi[handle] as number,
    };
  }

  #limits(handle: number, raw: StoredValue, status: number): number {
    const { rawLo, rawHi, euLo, euHi } = this.#scaling(handle);
    const value = Number(raw);
    if (value >= Math.min(rawLo, rawHi) && value <= Math.max(rawLo, rawHi)) return status;
    return exceeded(status, (value < rawLo === rawLo < rawHi) === euLo < euHi);
  }

  #isWithinDeadband(handle: number, value: StoredValue, last: StoredValue): boolean {
    if (typeof value === 'number') return Math.abs(value - Number(last)) < (this.#table.deadbands[handle] as number);
    if (typeof value === 'string') return false;
    const move = value > (last as bigint) ? value - (last as bigint) : (last as bigint) - value;
    const absolute = this.#table.longDeadbands.get(handle);
    return absolute === undefined ? Number(move) < (this.#table.deadbands[handle] as number) : move < absolute;
  }

  #pass(handle: number, bits: number, status: number, timeUs: number, nowUs: number): void {
    const table = this.#table;
    table.qualities[handle] = status;
    table.times[handle] = timeUs >= 0 && timeUs <= Number.MAX_SAFE_INTEGER ? Math.floor(timeUs) : nowUs;
    if ((bits & flag.simulated) !== 0) {
      this.counts.hidden++;
      return;
    }
    this.counts.changed++;
    this.publish(handle);
  }

  /** The published value of the measurement changed: it is handed on with the next `flush`. */
  publish(handle: number): void {
    if (this.#table.rounds[handle] === this.#round || this.#changes.count === mostChanges) this.flush();
    this.#table.rounds[handle] = this.#round;
    this.#changes.handles[this.#changes.count++] = handle;
  }

  /** Hands on what has changed: every change by itself, since no measurement is in it twice. */
  flush(): void {
    const changes = this.#changes;
    if (changes.count === 0) return;
    this.#changes = this.#spare;
    this.#spare = changes;
    this.#round = (this.#round + 1) >>> 0;
    try {
      this.#onChanges(changes);
    } finally {
      changes.count = 0;
    }
  }
}

/** A reading outside the raw range: no longer good, and limited on the side on which its engineering value lies. */
function exceeded(status: number, isLow: boolean): number {
  if ((status & qualityMask.status) !== quality.good) return status;
  const limit = isLow ? quality.limit.low : quality.limit.high;
  return (status & 0xff00) | quality.uncertain.engineeringUnitsExceeded | limit;
}

/** A reading that is no value: bad in the device's own words, or else a failure of the sensor. */
function unfit(status: number): number {
  return (status & qualityMask.status) === 0 ? status : quality.bad.sensorFailure;
}
