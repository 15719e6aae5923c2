// The files of the archive: compared with the folder at opening, and written whenever they change. Missing files stay
// listed as lost, so that they are reported at each start and shown in answers.
import { existsSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '@telltale/schema/values';
import type { Damage } from '../files/damage.ts';
import { type Disk, syncFolder } from '../files/disk.ts';
import {
  blockSpanOf,
  epochsName,
  generationOf,
  inventoryName,
  outgoingName,
  retentionsName,
  seriesCatalogueName,
  tombstonesName,
} from '../files/file-names.ts';
import { type ListedFile, lookAt, readInventory, writeInventory } from '../files/inventory-file.ts';
import type { SeriesCatalogue } from '../files/series-catalogue.ts';
import type { Block, BlockList } from './block-list.ts';
import { covers } from './compaction-plan.ts';
import type { Frozen, Generations } from './generations.ts';
import type { Memtable } from './memtable.ts';

/** The parts of the store that the inventory lists the files of, and what it is written with. */
export interface ListedParts {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly catalogue: SeriesCatalogue;
  readonly generations: Generations;
  readonly blocks: BlockList;
}

/** Between two looks at files that grow or are replaced by themselves. */
const lookMs = 10_000;
const others = [seriesCatalogueName, tombstonesName, retentionsName, outgoingName, epochsName];
const noRecords = { records: 0, firstUs: 0, lastUs: 0, highestSeries: 0, isLost: false };

/** What the inventory of a folder says, before its files are opened. */
export class Inventory {
  readonly #folder: string;
  readonly #listed: ReadonlyMap<string, ListedFile>;
  #lost: readonly ListedFile[] = [];
  /** As the file has it; undefined where unknown. */
  #written: readonly ListedFile[] | undefined;
  /** What it was last compared with. */
  #blocks: readonly Block[] | undefined;
  #generation = -1;
  #lookedMs = Number.NEGATIVE_INFINITY;

  private constructor(folder: string, files: readonly ListedFile[]) {
    this.#folder = folder;
    this.#listed = new Map(files.map((file) => [file.name, file]));
  }

  /** An archive of before has none: nothing of it is missed until it has one. */
  static read(folder: string, onDamage: (damage: Damage) => void): Inventory {
    const { entries, damages } = readInventory(folder);
    for (const damage of damages) onDamage(damage);
    return new Inventory(folder, entries);
  }

  get lost(): readonly ListedFile[] {
    return this.#lost;
  }

  /** So many bytes the journal has had on disk; 0 where nothing is known of it, or it is another file. */
  journalBytes(name: string, salt: number | undefined): number {
    const listed = this.#listed.get(name);
    return listed !== undefined && (salt === undefined || salt === listed.salt) ? listed.bytes : 0;
  }

  /** Compares with the names of the folder. */
  compare(names: readonly string[], onDamage: (damage: Damage) => void): void {
    const there = new Set(names);
    const journals = new Set(names.flatMap((name) => generationOf(name) ?? []));
    const spans = names.flatMap((name) => blockSpanOf(name) ?? []);
    /** A flush did not end, or a compaction did: an end meanwhile may have been before this was written down. */
    const isElsewhere = ({ name, isLost }: ListedFile) => {
      const span = blockSpanOf(name);
      if (span === undefined || isLost) return false;
      if (span.genFrom === span.genTo && journals.has(span.genFrom)) return true;
      return spans.some((other) => covers(other, span));
    };
    const missing = this.#listed.values().filter((file) => !there.has(file.name) && !isElsewhere(file));
    for (const file of missing) this.#miss(file, onDamage);
    for (const name of others) this.#compareLength(name, onDamage);
  }

  /** A block is gone while the archive is open. */
  lose(block: Block): void {
    this.#lost = [...this.#lost, { ...listedBlock(block), isLost: true }];
  }

  /** Writes it down where something is not as it was. Throws the system's error. */
  refresh(parts: ListedParts): void {
    const { blocks, generations, clock } = parts;
    const nowMs = clock.monotonicMs();
    const isSame = blocks.all === this.#blocks && generations.active.generation === this.#generation;
    if (isSame && nowMs < this.#lookedMs + lookMs) return;
    const files = this.#list(parts);
    if (!isDeepStrictEqual(files, this.#written)) this.#write(parts, files);
    this.#blocks = blocks.all;
    this.#generation = generations.active.generation;
    this.#lookedMs = nowMs;
  }

  /**
   * Called before the removal of files that are no longer in use: `fresh` blocks replace a generation's journal. Where
   * the inventory cannot be written, on a full disk, it is removed: an old one would report these files as missing.
   */
  beforeRemoval(parts: ListedParts, fresh: readonly Block[] = [], flushed?: Frozen): void {
    try {
      this.#write(parts, this.#list(parts, fresh, flushed));
    } catch {
      rmSync(join(this.#folder, inventoryName), { force: true });
      syncFolder(this.#folder);
      this.#blocks = this.#written = undefined;
    }
  }

  #write({ disk }: ListedParts, files: readonly ListedFile[]): void {
    writeInventory(this.#folder, files, disk);
    this.#written = files;
  }

  #list(
    { blocks, generations, catalogue }: ListedParts,
    fresh: readonly Block[] = [],
    flushed?: Frozen,
  ): readonly ListedFile[] {
    const highest = Math.max(0, catalogue.limit - 1);
    const journals = generations.journals().filter(({ path }) => path !== flushed?.journalPath);
    const files = [
      ...[...blocks.all, ...fresh].map(listedBlock),
      ...journals.map(({ path, bytes, table }) => listedJournal(path, bytes, table, highest)),
      ...others.flatMap((name) => {
        const found = lookAt(join(this.#folder, name));
        return found === undefined ? [] : [{ ...noRecords, name, ...found }];
      }),
    ];
    const names = new Set(files.map(({ name }) => name));
    return [...files, ...this.#lost.filter(({ name }) => !names.has(name))];
  }

  #miss(file: ListedFile, onDamage: (damage: Damage) => void): void {
    const { name, records, firstUs, lastUs } = file;
    if (records === 0) {
      onDamage({ file: name, reason: 'the file is missing' });
      return;
    }
    this.#lost = [...this.#lost, { ...file, isLost: true }];
    onDamage({ file: name, firstUs, lastUs, reason: `the file is missing, with ${records} records` });
  }

  /** The same file was longer. */
  #compareLength(name: string, onDamage: (damage: Damage) => void): void {
    const listed = this.#listed.get(name);
    const found = listed && lookAt(join(this.#folder, name));
    if (listed === undefined || found === undefined || found.bytes >= listed.bytes) return;
    if (found.salt !== 0 && found.salt !== listed.salt) return;
    onDamage({ file: name, reason: `it has ${found.bytes} bytes, and had ${listed.bytes}` });
  }
}

/** Whether the file of a block has been removed by somebody else. */
export function isGone({ path }: Block): boolean {
  return !existsSync(path);
}

function listedBlock({ path, bytes, records, firstUs, lastUs, highestSeries }: Block): ListedFile {
  return { name: basename(path), bytes, salt: 0, records, firstUs, lastUs, highestSeries, isLost: false };
}

function listedJournal(path: string, bytes: number, { committed, minUs, maxUs }: Memtable, highestSeries: number) {
  const times = committed > 0 && minUs <= maxUs ? { firstUs: minUs, lastUs: maxUs } : { firstUs: 0, lastUs: 0 };
  const salt = lookAt(path)?.salt ?? 0;
  return { name: basename(path), bytes, salt, records: committed, ...times, highestSeries, isLost: false };
}
