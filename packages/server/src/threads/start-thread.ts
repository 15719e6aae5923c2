// Starts the server's own threads, each with a heap limit, and says which one has reached it. What a thread does, and
// what its end means, is the caller's; threads of the stacks are limited by a setting.
import { getHeapStatistics } from 'node:v8';
import { type ResourceLimits, Worker } from 'node:worker_threads';
import { ProblemError } from '@telltale/schema/values';

/**
 * Several times what was measured of the largest plant: 200,000 objects, or series, and the archive's memory full of texts.
 * Typed arrays and SQLite's pages are not in a heap. The configuration is not bounded in objects, nor a reading in the texts
 * that it finds in memory: V8 bounds these threads, by the memory of the machine.
 */
const heaps = {
  /** Young: what a large transaction leaves behind is collected where it is made, and not moved to the old generation first. */
  configuration: { maxYoungGenerationSizeMb: 192 },
  /** 200,000 states and values at the start: 190 MB. */
  'live state': { maxOldGenerationSizeMb: 1024 },
  /** 100,000 users, tokens and sessions at the start: 100 MB. */
  access: { maxOldGenerationSizeMb: 512 },
  /** 200,000 series: 190 MB; three generations of a million texts: 450 MB. */
  archive: { maxOldGenerationSizeMb: 2048 },
  /** A commit of a few thousand records, and a page of what was asked for. */
  audit: { maxOldGenerationSizeMb: 256 },
  'archive reader': {},
  /** The names of the series in the blocks, and one chunk of each block. */
  'archive merger': { maxOldGenerationSizeMb: 1024 },
  /** Parcels of a few hundred thousand records, and as many being sealed. */
  store: { maxOldGenerationSizeMb: 1024 },
  /** Texts of parcels that are not sealed, and of a few chunks a query. */
  'store reader': {},
  /** Texts of a few batches, and an item of a MiB an import. */
  /** The files of the page; what builds them is a process of its own. */
  page: { maxOldGenerationSizeMb: 128 },
  'archive import': { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 },
} satisfies Record<string, ResourceLimits>;

/**
 * The URL of the module is written at the call: the build finds it by its text. Where the system has no files or memory
 * for a thread just now, the error, thrown or emitted, is `overloaded`: a retry may succeed.
 */
export function startThread(module: URL, name: keyof typeof heaps, limits: ResourceLimits = heaps[name]): Worker {
  try {
    return new BoundedThread(module, name, limits);
  } catch (error) {
    throw shortageOf(error as Error, name) ?? error;
  }
}

const shortages = new Set(['ERR_WORKER_INIT_FAILED', 'EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM']);

function shortageOf({ code = '', message }: NodeJS.ErrnoException, name: string): ProblemError | undefined {
  if (!shortages.has(code)) return undefined;
  return new ProblemError('overloaded', `The system has no room for the thread "${name}": ${message}.`);
}

class BoundedThread extends Worker {
  readonly #name: string;
  readonly #heapMb: number | undefined;

  constructor(module: URL, name: string, limits: ResourceLimits) {
    super(module, { name, resourceLimits: onThisMachine(limits) });
    this.#name = name;
    this.#heapMb = this.resourceLimits?.maxOldGenerationSizeMb; // nothing is there any more when it has ended
  }

  /** For the error listeners: Node's own error does not say which thread it was. */
  override emit(event: string | symbol, ...args: unknown[]): boolean {
    if (event !== 'error') return super.emit(event, ...args);
    const [error] = args as [NodeJS.ErrnoException];
    if (error.code !== 'ERR_WORKER_OUT_OF_MEMORY') return super.emit(event, shortageOf(error, this.#name) ?? error);
    return super.emit('error', new Error(`the thread "${this.#name}" has reached the ${this.#heapMb} MB of its heap`));
  }
}

/** Never more than V8 would let it have: that is less where there is little memory. */
function onThisMachine({ maxOldGenerationSizeMb: mb, ...limits }: ResourceLimits): ResourceLimits {
  if (mb === undefined) return limits;
  return { ...limits, maxOldGenerationSizeMb: Math.min(mb, getHeapStatistics().heap_size_limit >> 20) };
}
