// What was erased, for records that come late: another node has recorded them before, under an epoch that is over, and could not send
// them. So many as are worth remembering.
import { ByteReader } from '../codec/byte-reader.ts';
import { ByteWriter } from '../codec/byte-writer.ts';
import type { Damage } from '../files/damage.ts';
import { type Disk, systemDisk } from '../files/disk.ts';
import { readSeries, textOfKey, writeSeries } from '../files/series-entry.ts';
import { readSmallFile, type SmallFile, writeSmallFile } from '../files/small-file.ts';
import type { ErasedInterval } from '../query/tombstone-filter.ts';
import type { SeriesKey, SeriesRename } from '../records.ts';
import type { ReceivedErasure } from './received-store.ts';

const file: SmallFile<ReceivedErasure> = {
  name: 'erased.ttd',
  format: { magic: 0x44_54_54_54, version: 1 }, // 'TTTD'
  what: 'erasure',
  read: readEntry,
};
const most = 2000;

export class LateErasures {
  readonly #folder: string;
  readonly #disk: Disk;
  #all: readonly ReceivedErasure[];
  #bySeries = new Map<string, readonly ReceivedErasure[]>();

  constructor(folder: string, onDamage: (damage: Damage) => void, disk: Disk = systemDisk) {
    const { entries, damages } = readSmallFile(folder, file);
    for (const damage of damages) onDamage(damage);
    this.#folder = folder;
    this.#disk = disk;
    this.#all = entries;
    this.#index();
  }

  /** On disk when it returns. Throws the system's error. */
  add(added: readonly ReceivedErasure[]): void {
    if (added.length === 0) return;
    const left = this.#all.filter((old) => !added.some((each) => covers(each, old)));
    this.#write([...left, ...added].slice(-most));
  }

  rename(renames: readonly SeriesRename[]): void {
    const nameOf = ({ kind, name }: SeriesKey) =>
      renames.reduce((now, { kind: ofKind, from, to }) => (kind === ofKind && now === from ? to : now), name);
    if (this.#all.every(({ key }) => nameOf(key) === key.name)) return;
    this.#write(this.#all.map((each) => ({ ...each, key: { ...each.key, name: nameOf(each.key) } })));
  }

  /** Of a series, under an epoch after this one. */
  after(key: SeriesKey, epoch: number): readonly ErasedInterval[] {
    const own = this.#bySeries.get(textOfKey(key)) ?? [];
    const later = own.filter((each) => each.epoch > epoch);
    return later.map(({ sinceUs, untilUs }) => ({ seq: 1, sinceUs, untilUs }));
  }

  #write(all: readonly ReceivedErasure[]): void {
    writeSmallFile(this.#disk, this.#folder, file, all.map(entryOf));
    this.#all = all;
    this.#index();
  }

  #index(): void {
    this.#bySeries = Map.groupBy(this.#all, ({ key }) => textOfKey(key));
  }
}

function covers(wide: ReceivedErasure, narrow: ReceivedErasure): boolean {
  if (textOfKey(wide.key) !== textOfKey(narrow.key) || wide.epoch < narrow.epoch) return false;
  return wide.sinceUs <= narrow.sinceUs && wide.untilUs >= narrow.untilUs;
}

function entryOf({ key, sinceUs, untilUs, epoch }: ReceivedErasure): Uint8Array {
  const out = new ByteWriter(64);
  for (const number of [epoch, sinceUs, untilUs]) out.f64(number);
  writeSeries(out, { ...key, number: 0 });
  return out.written();
}

function readEntry(payload: Uint8Array): ReceivedErasure | undefined {
  try {
    const reader = new ByteReader(payload);
    const [epoch, sinceUs, untilUs] = [reader.f64(), reader.f64(), reader.f64()];
    const { kind, name, datatype } = readSeries(reader);
    return { key: { kind, name, datatype }, sinceUs, untilUs, epoch };
  } catch {
    return undefined;
  }
}
