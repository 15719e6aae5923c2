// How far a site has sent its archive, as the store returns it: the place up to which everything was sent as it came, and
// the generations before that which were not. What comes back is checked: it has been elsewhere.
import { generationOf, placeOf, recordsBefore } from '../parcel/parcel.ts';

export interface Position {
  /** Which opening of the archive sent this. */
  readonly opened: number;
  /** From here on nothing was sent. */
  readonly live: number;
  /** Before it, these were not, oldest first; the first one perhaps in part. */
  readonly ranges: readonly GenerationRange[];
  /** In the blocks of the first range, what was sent last. */
  readonly block: BlockPosition | undefined;
  /** Series with a lower number are known to the store. */
  readonly declared: number;
  /** The last erasure that was sent. */
  readonly erased: number;
  /** Records sent, those that are sent again included. */
  readonly sent: number;
}

/** Whole generations, which are sent from their blocks. */
export interface GenerationRange {
  readonly from: number;
  /** Behind the last. */
  readonly to: number;
  /** The store may have some of it. */
  readonly isRepeated: boolean;
}

/** Everything of the partition before this block was sent, and of the block all records up to this time of this series. */
export interface BlockPosition {
  readonly partition: number;
  readonly genFrom: number;
  readonly genTo: number;
  readonly series: number;
  readonly timeUs: number;
}

/** In the place of a series: of the block everything was sent. */
export const allOfBlock = 2 ** 32 - 1;

/** Of an archive of which nothing was sent. */
export function firstPosition(opened: number, firstInMemory: number): Position {
  const ranges = firstInMemory === 0 ? [] : [{ from: 0, to: firstInMemory, isRepeated: false }];
  return { opened, live: placeOf(firstInMemory, 0), ranges, block: undefined, declared: 0, erased: 0, sent: 0 };
}

/** Generations before this one have left memory: what was not sent of them is sent from blocks. */
export function withoutMemoryBefore(position: Position, generation: number): Position {
  const first = generationOf(position.live);
  if (first >= generation) return position;
  const inPart = recordsBefore(position.live) > 0;
  const added: GenerationRange[] = inPart ? [{ from: first, to: first + 1, isRepeated: true }] : [];
  const rest = inPart ? first + 1 : first;
  if (rest < generation) added.push({ from: rest, to: generation, isRepeated: false });
  // One that is under way stays as it is: of what is added, blocks may lie before the one that it has come to.
  const underWay = position.block === undefined ? 0 : 1;
  const ranges = [...position.ranges.slice(0, underWay), ...joined([...position.ranges.slice(underWay), ...added])];
  return { ...position, live: placeOf(generation, 0), ranges };
}

/**
 * Whatever was not sent by this position may have been, by a folder that was another then; and so that it hides nothing that came
 * later, what came later is sent again as well.
 */
export function repeatedSince({ ranges, ...position }: Position, opened: number, firstInMemory: number): Position {
  const from = ranges[0]?.from ?? generationOf(position.live);
  const again = from < firstInMemory ? [{ from, to: firstInMemory, isRepeated: true }] : [];
  const live = placeOf(firstInMemory, 0);
  return { ...position, opened, live, ranges: again, block: undefined, declared: 0, erased: 0 };
}

/** All of an epoch is sent by this position, and the next one begins at a place: who reads it knows nothing of the numbers of series yet. */
export function inNextEpoch(position: Position, opened: number, from: number): Position {
  const live = Math.max(position.live, from);
  return { ...position, opened, live, ranges: [], block: undefined, declared: 0, sent: 0 };
}

/** Neighbours that are alike become one. */
function joined(ranges: readonly GenerationRange[]): GenerationRange[] {
  const all: GenerationRange[] = [];
  for (const range of ranges) {
    const last = all.at(-1);
    if (last?.to === range.from && last.isRepeated === range.isRepeated)
      all[all.length - 1] = { ...last, to: range.to };
    else all.push(range);
  }
  return all;
}

const textVersion = 1;

export function positionText({ opened, live, ranges, block, declared, erased, sent }: Position): string {
  const lists = ranges.map(({ from, to, isRepeated }) => [from, to, isRepeated ? 1 : 0]);
  const at = block && [block.partition, block.genFrom, block.genTo, block.series, block.timeUs];
  return JSON.stringify([textVersion, opened, live, declared, erased, sent, lists, ...(at === undefined ? [] : [at])]);
}

/** Undefined where the text is no position. */
export function readPosition(text: string): Position | undefined {
  let parts: unknown;
  try {
    parts = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!Array.isArray(parts)) return undefined;
  const [version, opened, live, declared, erased, sent, lists, at] = parts;
  if (version !== textVersion || !areWhole([opened, live, declared, erased, sent], 5) || !Array.isArray(lists)) {
    return undefined;
  }
  if (!lists.every((list) => areWhole(list, 3)) || !(at === undefined || areWhole(at, 5))) return undefined;
  const ranges = lists.map(([from, to, isRepeated]): GenerationRange => ({ from, to, isRepeated: isRepeated === 1 }));
  return { opened, live, ranges, block: at && blockPosition(at), declared, erased, sent };
}

function blockPosition([partition, genFrom, genTo, series, timeUs]: [
  number,
  number,
  number,
  number,
  number,
]): BlockPosition {
  return { partition, genFrom, genTo, series, timeUs };
}

function areWhole(numbers: unknown, count: number): boolean {
  if (!Array.isArray(numbers) || numbers.length !== count) return false;
  return numbers.every((number) => Number.isSafeInteger(number) && number >= 0);
}
