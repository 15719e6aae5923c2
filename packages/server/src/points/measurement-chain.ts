// The chain that every reading passes: scaler, deduplicator, deadband; SPEC.md has the rules. The hot path of the
// server: one loop over a batch, typed arrays by handle, nothing allocated a reading.
import { type Batch, fits, form, quality, qualityMask, type StoredValue, type Traits } from '@telltale/schema';
import { converted } from './convert.ts';
import * as layout from './measurement-layout.ts';
import type { Changes } from './measurement-reader.ts';
import type { MeasurementTable } from './measurement-table.ts';
import { toEngineering } from './scaling.ts';

/** The engine folds constants of the same module, and reads imported ones again each time. */
const { flag, cell, cellShift, word, wordShift, connectorShift, positionShift } = layout;

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
  /** Held back for a watchdog that was not healthy, and never released: newer ones came, or the link was lost. */
  superseded: number;
}

export interface ReadingTrial {
  /** As the raw datatype keeps it; undefined where it is no value of it. */
  readonly raw: StoredValue | undefined;
  /** In the datatype; undefined where it does not fit. */
  readonly value: StoredValue | undefined;
  readonly quality: number;
  /** Whether it is the value that the chain gave last. */
  readonly isSame: boolean;
  /** Whether it is nearer to that value than the deadband, where there is one. */
  readonly isWithinDeadband: boolean;
}

/** A reading that is older than the live value, as the archive has it. */
export interface PastReading {
  readonly handle: number;
  /** Undefined where the reading has none that fits. */
  readonly value: StoredValue | undefined;
  readonly quality: number;
  readonly timeUs: number;
}

/** Changes are handed on at the latest when so many have come together. */
const mostChanges = 4096;

/** A device may say anything but that its value is simulated. */
const deviceQuality = 0xffff & ~quality.simulated;

/** That a point lives, is plain, and not simulated; and the number of its connector. */
const plainBits = flag.live | flag.plain | flag.simulated | (-1 << connectorShift);

const numberForm = form.number;

export class MeasurementChain {
  readonly counts: ChainCounts = {
    changed: 0,
    duplicates: 0,
    withinDeadband: 0,
    hidden: 0,
    foreign: 0,
    superseded: 0,
  };
  /** Readings that did not fit their datatype; they are among the others in `counts`. */
  unfit = 0;
  readonly #table: MeasurementTable;
  readonly #onChanges: (changes: Changes) => void;
  #changes = noChanges();
  #spare = noChanges();

  constructor(table: MeasurementTable, onChanges: (changes: Changes) => void) {
    this.#table = table;
    this.#onChanges = onChanges;
  }

  /** Passes the readings of a connector through the chain; what changed is handed on in order before it returns. */
  apply(batch: Batch, connector: number, nowUs: number): void {
    const { points, forms, numbers, qualities, times, count } = batch;
    const { cells, words, capacity } = this.#table;
    const plain = flag.live | flag.plain | (connector << connectorShift);
    let { handles, doubles, count: changed } = this.#changes;
    let all = 0;
    let duplicates = 0;
    let withinDeadband = 0;
    for (let at = 0; at < count; at++) {
      const handle = points[at] as number;
      const wordAt = handle << wordShift;
      const cellAt = handle << cellShift;
      const bits = handle < capacity ? (words[wordAt + word.flags] as number) : 0;
      const low = handle < capacity ? (cells[cellAt + cell.low] as number) : 0;
      let value = numbers[at] as number;
      if ((bits & (flag.int32 | flag.single)) !== 0) value = asStored(bits, value);
      // Everything but a number of a plain point, well inside its raw range, goes the long way.
      if (
        (bits & plainBits) !== plain ||
        forms[at] !== numberForm ||
        !(value > low && value < (cells[cellAt + cell.high] as number))
      ) {
        this.#changes.count = changed;
        this.#applyAny(batch, at, connector, nowUs);
        ({ handles, doubles, count: changed } = this.#changes);
        continue;
      }
      if ((bits & flag.scaled) !== 0) {
        value = (cells[cellAt + cell.euLo] as number) + (value - low) * (cells[cellAt + cell.gain] as number);
      }
      const status = (qualities[at] as number) & deviceQuality;
      const before = words[wordAt + word.quality] as number;
      if (status === (before & 0xffff)) {
        const move = Math.abs(value - (cells[cellAt + cell.value] as number));
        if (move < (cells[cellAt + cell.threshold] as number)) {
          if (move === 0 && (bits & flag.deduplicated) !== 0) duplicates++;
          else withinDeadband++;
          continue;
        }
      } else this.#table.markQuality(handle);
      // As `#flushPending` does, which costs too much here.
      const position = before >>> positionShift;
      if ((position < changed && handles[position] === handle) || changed === mostChanges) {
        this.#changes.count = changed;
        this.flush();
        ({ handles, doubles, count: changed } = this.#changes);
      }
      all++;
      cells[cellAt + cell.value] = value;
      cells[cellAt + cell.time] = timeOr(times[at] as number, nowUs);
      words[wordAt + word.quality] = status | (changed << positionShift);
      doubles[changed] = value;
      handles[changed++] = handle;
    }
    this.#changes.count = changed;
    this.flush();
    const { counts } = this;
    counts.changed += all;
    counts.duplicates += duplicates;
    counts.withinDeadband += withinDeadband;
  }

  /** Every datatype, every conversion, and readings that are no value. */
  #applyAny(batch: Batch, at: number, connector: number, nowUs: number): void {
    const table = this.#table;
    const handle = batch.points[at] as number;
    const bits = handle < table.capacity ? table.flagsOf(handle) : 0;
    if ((bits & flag.live) === 0 || table.connectorOf(handle) !== connector) {
      this.counts.foreign++;
      return;
    }
    const raw = asRead(table.rawTraitsOf(handle), batch.valueAt(at));
    const last = table.valueOf(handle);
    let status = (batch.qualities[at] as number) & deviceQuality;
    let value = this.#engineering(handle, raw);
    if (value === undefined) {
      if (raw !== undefined) this.unfit++;
      status = unfit(status);
      value = last;
    } else status = this.#limited(handle, raw as StoredValue, status);
    if (status === table.qualityOf(handle)) {
      if ((bits & flag.deduplicated) !== 0 && value === last) {
        this.counts.duplicates++;
        return;
      }
      if ((bits & flag.deadband) !== 0 && this.#isWithinDeadband(handle, value, last)) {
        this.counts.withinDeadband++;
        return;
      }
    }
    const isHidden = (bits & flag.simulated) !== 0;
    if (!isHidden) this.#flushPending(handle);
    table.setValue(handle, value);
    table.setQuality(handle, status);
    table.setTime(handle, timeOr(batch.times[at] as number, nowUs));
    if (isHidden) this.counts.hidden++;
    else {
      this.counts.changed++;
      this.publish(handle);
    }
  }

  /** Undefined where there is no value that fits. */
  #engineering(handle: number, raw: StoredValue | undefined): StoredValue | undefined {
    const table = this.#table;
    if (raw === undefined || !fits(table.rawTraitsOf(handle), raw)) return undefined;
    const scaling = table.scalingOf(handle);
    return converted(table.traitsOf(handle), scaling === undefined ? raw : toEngineering(scaling, Number(raw)));
  }

  /** Outside the raw range a reading is no longer good, and limited on the side on which its engineering value lies. */
  #limited(handle: number, raw: StoredValue, status: number): number {
    const scaling = this.#table.scalingOf(handle);
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
    const deadband = this.#table.cells[(handle << cellShift) + cell.threshold] as number;
    if (typeof value === 'number') return Math.abs(value - Number(last)) < deadband;
    if (typeof value === 'string') return false;
    const move = value > (last as bigint) ? value - (last as bigint) : (last as bigint) - value;
    const exact = this.#table.longDeadbands.get(handle);
    return exact === undefined ? Number(move) < deadband : move < exact;
  }

  /** What the chain makes of a reading of the past; nothing changes. Undefined where it is foreign, or the point is simulated. */
  pastOf(batch: Batch, at: number, connector: number): PastReading | undefined {
    const table = this.#table;
    const handle = batch.points[at] as number;
    const bits = handle < table.capacity ? table.flagsOf(handle) : 0;
    const isSimulated = (bits & flag.simulated) !== 0;
    if ((bits & flag.live) === 0 || isSimulated || table.connectorOf(handle) !== connector) return undefined;
    const raw = asRead(table.rawTraitsOf(handle), batch.valueAt(at));
    const value = this.#engineering(handle, raw);
    const given = (batch.qualities[at] as number) & deviceQuality;
    const status = value === undefined ? unfit(given) : this.#limited(handle, raw as StoredValue, given);
    return { handle, value, quality: status, timeUs: Math.round(batch.times[at] as number) };
  }

  /** What the chain would make of a good reading of this raw value now; nothing changes. */
  trial(handle: number, given: StoredValue): ReadingTrial {
    const table = this.#table;
    const rawTraits = table.rawTraitsOf(handle);
    const read = asRead(rawTraits, given) as StoredValue;
    const raw = fits(rawTraits, read) ? converted(rawTraits, read) : undefined;
    const value = this.#engineering(handle, read);
    const isUnfit = raw === undefined || value === undefined;
    if (isUnfit) return { raw, value, quality: quality.bad.sensorFailure, isSame: false, isWithinDeadband: false };
    const last = table.valueOf(handle);
    const hasDeadband = (table.flagsOf(handle) & flag.deadband) !== 0;
    return {
      raw,
      value,
      quality: this.#limited(handle, raw, quality.good),
      isSame: value === last,
      isWithinDeadband: hasDeadband && this.#isWithinDeadband(handle, value, last),
    };
  }

  /** The published value of the measurement changed: it is handed on with the next `flush`. */
  publish(handle: number): void {
    this.#flushPending(handle);
    const { words } = this.#table;
    const changes = this.#changes;
    const at = (handle << wordShift) + word.quality;
    words[at] = ((words[at] as number) & 0xffff) | (changes.count << positionShift);
    changes.doubles[changes.count] = Number.NaN;
    changes.handles[changes.count++] = handle;
  }

  /** Before a measurement takes another value: a change that is pending is handed on as it still is. */
  #flushPending(handle: number): void {
    const position = (this.#table.words[(handle << wordShift) + word.quality] as number) >>> positionShift;
    const { handles, count } = this.#changes;
    if ((position < count && handles[position] === handle) || count === mostChanges) this.flush();
  }

  /** Hands on what has changed: every change by itself, since no measurement is in it twice. */
  flush(): void {
    const changes = this.#changes;
    if (changes.count === 0) return;
    this.#changes = this.#spare;
    this.#spare = changes;
    try {
      this.#onChanges(changes);
    } finally {
      changes.count = 0;
    }
  }
}

/** A single has the digits of one, and whole numbers have no negative zero. */
function asRead({ precision }: Traits, given: StoredValue | undefined): StoredValue | undefined {
  if (typeof given !== 'number' || precision === 'double') return given;
  return precision === 'single' ? Math.fround(given) : given + 0;
}

/** The same without looking at the datatype; NaN where the value does not fit the datatype. */
function asStored(bits: number, value: number): number {
  if ((bits & flag.int32) === 0) return Math.fround(value);
  return (value | 0) === value ? value | 0 : Number.NaN;
}

function noChanges() {
  return { handles: new Uint32Array(mostChanges), doubles: new Float64Array(mostChanges), count: 0 };
}

/** Doubles from here on are whole numbers. */
const allWhole = 2 ** 52;

/** A time that cannot be one is the time of the server. A fraction is rounded, by an addition: that is much the fastest. */
function timeOr(timeUs: number, nowUs: number): number {
  if (timeUs >= 0 && timeUs < allWhole) return timeUs + allWhole - allWhole;
  return timeUs <= Number.MAX_SAFE_INTEGER && timeUs >= 0 ? timeUs : nowUs;
}

/** A reading that is no value: bad in the device's own words, or else a failure of the sensor. */
function unfit(status: number): number {
  return (status & qualityMask.status) === 0 ? status : quality.bad.sensorFailure;
}
