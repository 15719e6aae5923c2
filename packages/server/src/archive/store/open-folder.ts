// The folder of the archive at opening: blocks, the series, and the journals of generations that were not flushed.
// Removes what a crash left half-finished; what is damaged is reported and left out, never deleted.
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '@telltale/schema';
import { type Damage, DamagedBlock } from '../files/damage.ts';
import { setAside } from '../files/damaged-files.ts';
import { type Disk, syncFolder } from '../files/disk.ts';
import {
  blockSpanOf,
  generationOf,
  isTemporary,
  journalName,
  unsentGenerationOf,
  unsentName,
} from '../files/file-names.ts';
import { replayJournal } from '../files/journal-replay.ts';
import { SeriesCatalogue } from '../files/series-catalogue.ts';
import type { Series } from '../records.ts';
import { type Block, blockOf, withBlock } from './block-list.ts';
import { covers } from './compaction-plan.ts';
import type { Frozen } from './generations.ts';
import { Inventory } from './inventory.ts';
import { TableReplay } from './table-replay.ts';
import { Tombstones } from './tombstones.ts';

export interface OpenOptions {
  readonly clock: Clock;
  readonly disk: Disk;
  readonly onDamage: (damage: Damage) => void;
}

export interface Opened {
  readonly blocks: readonly Block[];
  readonly catalogue: SeriesCatalogue;
  readonly tombstones: Tombstones;
  readonly inventory: Inventory;
  readonly frozen: Frozen[];
  /** Generations that are in blocks, of which the store may lack something; oldest first. */
  readonly unsent: Frozen[];
  /** The first that nothing has ever used. */
  readonly nextGeneration: number;
}

/** Throws `NewerVersion` and the system's errors. */
export function openFolder(folder: string, options: OpenOptions): Opened {
  mkdirSync(folder, { recursive: true });
  const names = readdirSync(folder);
  for (const name of names) if (isTemporary(name)) rmSync(join(folder, name), { force: true });
  const inventory = Inventory.read(folder, options.onDamage);
  inventory.compare(names, options.onDamage);
  const journals = names.flatMap((name) => generationOf(name) ?? []).sort((a, b) => a - b);
  const found = openBlocks(folder, names, options.onDamage);
  const blocks = clearAway(folder, found.blocks, new Set(journals));
  const tombstones = new Tombstones(folder, options.disk);
  for (const damage of tombstones.read()) options.onDamage(damage);
  for (const { header } of blocks) tombstones.reached(header.tombstonesApplied);
  const catalogue = openSeriesCatalogue(folder, blocks, journals, found.highest, options);
  const replays = journals.map((generation, index) => {
    return new TableReplay({
      folder,
      generation,
      next: journals[index + 1],
      catalogue,
      tombstones,
      inventory,
      ...options,
    });
  });
  const unsent = names
    .flatMap((name) => unsentGenerationOf(name) ?? [])
    .filter((generation) => !journals.includes(generation));
  const unsentReplays = unsent
    .sort((a, b) => a - b)
    .map((generation) => {
      const name = unsentName(generation);
      return new TableReplay({
        folder,
        generation,
        name,
        next: undefined,
        catalogue,
        tombstones,
        inventory,
        ...options,
      });
    });
  // What a journal uses is in the catalogue, unless that is an older one or was lost.
  const isKnown = ({ number }: Series) => catalogue.byNumber(number) !== undefined;
  const isWhole = replays.every(({ declared }) => declared.values().every(isKnown));
  const highest = isWhole ? found.highest : Math.max(found.highest, catalogue.limit);
  const lastGeneration = names.reduce(
    (last, name) => Math.max(last, lastGenerationOf(name.replace(/\.damaged$/, ''))),
    Math.max(tombstones.lastGeneration, ...inventory.lost.map(({ name }) => lastGenerationOf(name))),
  );
  return {
    blocks,
    catalogue: isWhole ? catalogue : openSeriesCatalogue(folder, blocks, journals, highest, options),
    tombstones,
    inventory,
    frozen: replays.map(({ frozen }) => frozen),
    unsent: unsentReplays.map(({ frozen }) => frozen),
    nextGeneration: lastGeneration + 1,
  };
}

/** 0: the name is of no generation. */
function lastGenerationOf(name: string): number {
  return generationOf(name) ?? blockSpanOf(name)?.genTo ?? 0;
}

function openBlocks(
  folder: string,
  names: readonly string[],
  onDamage: (damage: Damage) => void,
): { readonly blocks: Block[]; readonly highest: number } {
  const blocks: Block[] = [];
  let highest = -1;
  for (const name of names) {
    if (blockSpanOf(name) === undefined) continue;
    const path = join(folder, name);
    try {
      withBlock(path, (file) => {
        blocks.push(blockOf(file, Math.floor(statSync(path).mtimeMs) * 1000));
        highest = Math.max(highest, file.seriesNumbers.at(-1) ?? -1);
        for (const damage of file.damages) onDamage(damage);
      });
    } catch (error) {
      if (!(error instanceof DamagedBlock)) throw error;
      onDamage(error.damage);
      setAside(path);
    }
  }
  return { blocks, highest };
}

/** Removes blocks of a flush that did not end, whose records are still in the journal, and those that were merged. */
function clearAway(folder: string, blocks: readonly Block[], journals: ReadonlySet<number>): Block[] {
  const isUnfinished = ({ header: { genFrom, genTo } }: Block) => genFrom === genTo && journals.has(genFrom);
  const finished = blocks.filter((block) => !isUnfinished(block));
  const retained = finished.filter(({ header }) => !finished.some((other) => covers(other.header, header)));
  if (retained.length === blocks.length) return retained;
  for (const { path } of new Set(blocks).difference(new Set(retained))) rmSync(path, { force: true });
  syncFolder(folder);
  return retained;
}

/** `highest`: of the numbers that are used; one that the catalogue does not have makes it look everywhere. */
function openSeriesCatalogue(
  folder: string,
  blocks: readonly Block[],
  journals: readonly number[],
  highest: number,
  { disk, onDamage }: OpenOptions,
): SeriesCatalogue {
  function* recover(): Generator<Series> {
    for (const { path } of blocks) yield* withBlock(path, (file) => file.series(() => {}));
    for (const generation of journals) {
      const declared: Series[] = [];
      replayJournal(join(folder, journalName(generation)), { series: (series) => declared.push(series), batch() {} });
      yield* declared;
    }
  }
  const catalogue = SeriesCatalogue.open(folder, { recover, highest, disk });
  for (const damage of catalogue.damages) onDamage(damage);
  return catalogue;
}
