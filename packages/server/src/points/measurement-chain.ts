// The chain that every reading passes: scaler, deduplicator, deadband; SPEC.md has the rules. The hot path of the
// server: one loop over a batch, typed arrays by handle, nothing allocated a reading.
import { type Batch, form, quality, qualityMask } from '@telltale/schema';
import { converted, fits, type StoredValue } from './convert.ts';
import type { Changes } from './measurement-reader.ts';
import { cell, cellShift, flag, type MeasurementTable } from './measurement-table.ts';
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
    const { points, forms, numbers, qualities: given, times, count } = batch;
    const { cells, flags, qualities, connectors, capacity } = this.#table;
    const { counts } = this;
    for (let at = 0; at < count; at++) {
      const handle = points[at] as number;
      const bits = handle < capacity ? (flags[handle] as number) : 0;
      if ((bits & flag.live) === 0 || connectors[handle] !== connector) {
        counts.foreign++;
        continue;
      }
      const first = handle << cellShift;
      let value = numbers[at] as number;
      const isInside = value > (cells[first + cell.low] as number) && value < (cells[first + cell.high] as number);
      const isScaled = (bits & flag.scaled) !== 0;
      // Everything but a finite double that stays one, well inside its raw range, goes the long way.
      if ((bits & flag.double) === 0 || forms[at] !== form.number || (isScaled ? !isInside : value - value !== 0)) {
        this.#applyAny(batch, at, handle, bits, nowUs);
        continue;
      }
      if (isScaled) {
        const fromLow = value - (cells[first + cell.rawLo] as number);
        value = (cells[first + cell.euLo] as number) + fromLow * (cells[first + cell.gain] as number);
      }
      const status = (given[at] as number) & deviceQuality;
      if (status === qualities[handle]) {
        const last = cells[first + cell.value] as number;
        if ((bits & flag.deduplicated) !== 0 && value === last) {
          counts.duplicates++;
          continue;
        }
        if ((bits & flag.deadband) !== 0 && Math.abs(value - last) < (cells[first + cell.deadband] as number)) {
          counts.withinDeadband++;
          continue;
        }
      }
      cells[first + cell.value] = value;
      qualities[handle] = status;
      cells[first + cell.time] = timeOr(times[at] as number, nowUs);
      if ((bits & flag.simulated) !== 0) counts.hidden++;
      else {
        counts.changed++;
        this.publish(handle);
      }
    }
    this.flush();
  }

  /** Every datatype, every conversion, and readings that are no value. */
  #applyAny(batch: Batch, at: number, handle: number, bits: number, nowUs: number): void {
    const table = this.#table;
    const raw = batch.valueAt(at);
    const last = table.valueOf(handle);
    let status = (batch.qualities[at] as number) & deviceQuality;
    let value = this.#engineering(handle, raw);
    if (value === undefined) {
      this.unfit++;
      status = unfit(status);
      value = last;
    } else status = this.#limited(handle, raw as StoredValue, status);
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
    table.qualities[handle] = status;
    table.setTime(handle, timeOr(batch.times[at] as number, nowUs));
    if ((bits & flag.simulated) !== 0) this.counts.hidden++;
    else {
      this.counts.changed++;
      this.publish(handle);
    }
  }

  /** Undefined where there is no value that fits. */
  #engineering(handle: number, raw: StoredValue | undefined): StoredValue | undefined {
    const table = this.#table;
    if (raw === undefined || !fits(table.rawDatatypeOf(handle), raw)) return undefined;
    const scaling = table.scalings.get(handle);
    return converted(table.datatypeOf(handle), scaling === undefined ? raw : toEngineering(scaling, Number(raw)));
  }

  /** Outside the raw range a reading is no longer good, and limited on the side on which its engineering value lies. */
  #limited(handle: number, raw: StoredValue, status: number): number {
    const scaling = this.#table.scalings.get(handle);
    if (scaling === undefined || (status & qualityMask.status) !== quality.good) return status;
    const { rawLo, rawHi, euLo, euHi } = scaling;
    const value = Number(raw);
    if (value >= Math.min(rawLo, rawHi) && value <= Math.max(rawLo, rawHi)) return status;
    const isBelow = value < Math.min(rawLo, rawHi);
    const isRising = rawLo < rawHi === euLo < euHi;
    const limit = isBelow === isRising ? quality.limit.low : quality.limit.high;
    return (status & 0xff00) | quality.uncertain.engineeringUnitsExceeded | limit;
  }

  #isWithinDeadband(handle: number, value: StoredValue, last: StoredValue): boolean {
    const deadband = this.#table.cells[(handle << cellShift) + cell.deadband] as number;
    if (typeof value === 'number') return Math.abs(value - Number(last)) < deadband;
    if (typeof value === 'string') return false;
    const move = value > (last as bigint) ? value - (last as bigint) : (last as bigint) - value;
    const exact = this.#table.longDeadbands.get(handle);
    return exact === undefined ? Number(move) < deadband : move < exact;
  }

  /** The published value of the measurement changed: it is handed on with the next `flush`. */
  publish(handle: number): void {
    const { rounds } = this.#table;
    if (rounds[handle] === this.#round || this.#changes.count === mostChanges) this.flush();
    rounds[handle] = this.#round;
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

/** A time that cannot be one is the time of the server. */
function timeOr(timeUs: number, nowUs: number): number {
  return timeUs >= 0 && timeUs <= Number.MAX_SAFE_INTEGER ? Math.floor(timeUs) : nowUs;
}

/** A reading that is no value: bad in the device's own words, or else a failure of the sensor. */
function unfit(status: number): number {
  return (status & qualityMask.status) === 0 ? status : quality.bad.sensorFailure;
}
