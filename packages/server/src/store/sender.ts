// Sends the archive of a site to the store: what is new first, then what waits in blocks; one parcel at a time. Where to go on
// the store says. What it cannot send stays where it is, and is sent later.
import { type Clock, type Datatype, onAbort } from '@telltale/schema';
import { type Damage, Damaged, isMissing, type OutgoingAccess, type Series } from '../archive/index.ts';
import {
  allOfBlock,
  BlockSections,
  type BlockToSend,
  encodeParcel,
  liveSection,
  type OutgoingCounts,
  type OutgoingPiece,
  type ParcelCounters,
  type Position,
  positionText,
  type Section,
} from '../archive/parcel/index.ts';
import type { Link } from '../threads/index.ts';
import type { ParcelStore } from './parcel-store.ts';

export interface SenderOptions {
  readonly site: string;
  readonly clock: Clock;
  readonly archive: Pick<Link<OutgoingAccess>, 'call' | 'notify'>;
  readonly store: ParcelStore;
  /** By a lease: nothing is claimed but the epochs that it has given to the archive. */
  readonly areEpochsGiven: boolean;
  /** How long records are gathered for a parcel, where none wait. */
  readonly gatherMs: number;
  readonly onState: (state: SenderState) => void;
}

/** What people see of it. */
export interface SenderState {
  /** Why nothing is sent now; undefined: it is. */
  readonly failure: string | undefined;
  /** The store has everything that can be sent now. */
  readonly isIdle: boolean;
  readonly epoch: number | undefined;
  /** The newest parcel that the store has. */
  readonly seq: number;
  /** When the store had it; undefined: there was none yet. */
  readonly sentAtUs: number | undefined;
  /** Records sent in this epoch, and records that wait. */
  readonly sent: number;
  readonly waiting: number;
  /** The time of the oldest record that waits; 0: none does. */
  readonly oldestUnsentUs: number;
  readonly stored: number;
  readonly dropped: number;
  readonly discarded: OutgoingPiece['discarded'];
}

/** Records that a parcel takes at most, about; fewer where the store wants smaller ones. */
const mostInParcel = 2 ** 17;
/** Of those that fitted by their size, where others have not: records differ. */
const shareTaken = 0.7;
/** Where nothing is to be sent, the store is asked whether it is there. */
const askMs = 15_000;
const firstPauseMs = 1000;
const longestPauseMs = 30_000;

export class Sender {
  readonly #options: SenderOptions;
  readonly #series = new Map<number, Series>();
  readonly #stop = new AbortController();
  #blocks: BlockSections | undefined;
  #state: SenderState;
  /** Records that a parcel takes now. */
  #most = mostInParcel;
  #running: Promise<void> | undefined;
  /** Something may have been committed since the last piece. */
  #isMore = false;
  #wake: (() => void) | undefined;
  /** Of the pause after a failure. */
  #endPause: (() => void) | undefined;

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#state = {
      failure: undefined,
      isIdle: false,
      epoch: undefined,
      seq: 0,
      sentAtUs: undefined,
      sent: 0,
      waiting: 0,
      oldestUnsentUs: 0,
      stored: 0,
      dropped: 0,
      discarded: { count: 0, sinceUs: 0, untilUs: 0 },
    };
  }

  start(): void {
    this.#running = this.#run();
  }

  /** The archive has committed something. */
  more(): void {
    this.#isMore = true;
    this.#wake?.();
  }

  /** The store may be reached again: what failed is tried at once. */
  retry(): void {
    this.#endPause?.();
  }

  /** Resolves when what is under way has ended. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.#wake?.();
    await this.#running;
    this.#closeBlocks();
  }

  get #isStopped(): boolean {
    return this.#stop.signal.aborted;
  }

  async #run(): Promise<void> {
    let pauseMs = firstPauseMs;
    while (!this.#isStopped) {
      try {
        let next = await this.#begin();
        pauseMs = firstPauseMs;
        while (!this.#isStopped) next = await (next === undefined ? this.#await() : this.#sendNext(next));
      } catch (error) {
        if (this.#isStopped) return;
        this.#closeBlocks();
        this.#tell({ failure: (error as Error).message, isIdle: false });
        await this.#count();
        // Sites that lost the store together do not come back at one moment.
        await this.#pause(pauseMs * (0.5 + Math.random()), true);
        pauseMs = Math.min(longestPauseMs, 2 * pauseMs);
      }
    }
  }

  /** What waits grows while nothing is sent. */
  async #count(): Promise<void> {
    try {
      this.#tell(countsOf(await this.#options.archive.call('counts', [])));
    } catch {
      // The archive says itself why it does not answer.
    }
  }

  /** Where the store says to go on; or in another epoch, where it cannot say. Undefined: there is none yet. */
  async #begin(): Promise<Next | undefined> {
    const { archive, store, site, areEpochsGiven } = this.#options;
    const { epoch, nextEpoch, series } = await archive.call('open', [site]);
    this.#learn(series);
    const received = epoch === undefined ? undefined : await store.newest(site, epoch);
    if (epoch !== undefined && received !== undefined && received.isOver !== true) {
      const position = await archive.call('resume', [received.position]);
      if (position !== undefined) {
        this.#tell({ failure: undefined, epoch, seq: received.seq, sent: position.sent });
        return { epoch, seq: received.seq + 1, position };
      }
    }
    const given = areEpochsGiven ? (nextEpoch ?? epoch) : undefined;
    if (areEpochsGiven && given === undefined) return undefined;
    const claimed = await store.claim(site, given);
    const position = await archive.call('begin', [claimed.epoch, claimed.isKnown, received?.position]);
    this.#tell({ failure: undefined, epoch: claimed.epoch, seq: 0, sent: 0 });
    return { epoch: claimed.epoch, seq: 1, position };
  }

  /** This node has not led yet: nothing here is of the site. */
  async #await(): Promise<Next | undefined> {
    await this.#options.store.newest(this.#options.site, 0);
    this.#tell({ failure: undefined, isIdle: true });
    if (!this.#isMore) await this.#isMoreWithin(askMs);
    this.#isMore = false;
    return this.#begin();
  }

  async #beginNext(epoch: number, reached: Position): Promise<Next> {
    const claimed = await this.#options.store.claim(this.#options.site, epoch);
    const position = await this.#options.archive.call('beginNext', [claimed.epoch, reached]);
    this.#tell({ failure: undefined, epoch: claimed.epoch, seq: 0, sent: 0 });
    return { epoch: claimed.epoch, seq: 1, position };
  }

  async #sendNext({ epoch, seq, position: from }: Next): Promise<Next | undefined> {
    const { archive, store, site, clock, gatherMs } = this.#options;
    this.#isMore = false;
    const beganMs = clock.monotonicMs();
    const piece = await archive.call('next', [from, this.#most]);
    this.#learn(piece.series);
    const { sections, position, left } = this.#sectionsOf(piece);
    const isEmpty = sections.length === 0 && piece.series.length === 0 && piece.erasures.length === 0;
    if (isEmpty && piece.nextEpoch !== undefined) return this.#beginNext(piece.nextEpoch, position);
    if (isEmpty && left === 'nothing') {
      this.#tell({ failure: undefined, isIdle: true, ...countsOf(piece) });
      if (!this.#isMore && !(await this.#isMoreWithin(askMs))) return this.#ask({ epoch, seq, position });
      await this.#pause(gatherMs);
      return { epoch, seq, position };
    }
    // The store learns of it with the next parcel, and the archive as well: it has to keep what the store may ask for.
    if (isEmpty) return { epoch, seq, position };
    const records = sections.reduce((sum, { columns }) => sum + columns.count, 0);
    const after = { ...position, sent: position.sent + records };
    const text = positionText(after);
    const counters = countersOf(piece);
    const { series, erasures } = piece;
    this.#tell({ isIdle: false });
    const madeUs = Math.max(0, Math.floor(clock.now()));
    const head = { site, epoch, seq, madeUs, position: text, counters };
    const bytes = encodeParcel({ ...head, series, erasures, sections }, (number) => this.#datatypeOf(number));
    if (this.#isTooLarge(bytes.length, Math.max(records, series.length, erasures.length)))
      return { epoch, seq, position: from };
    const received = await store.send(site, epoch, seq, bytes);
    if (received.seq !== seq || received.position !== text) return this.#goOnAt(epoch, received.seq, received.position);
    archive.notify('sent', [after, piece.renamed]);
    this.#tell({ failure: undefined, seq, sentAtUs: clock.now(), sent: after.sent, ...countsOf(piece) });
    if (left === 'nothing') await this.#pause(gatherMs - (clock.monotonicMs() - beganMs));
    return { epoch, seq: seq + 1, position: after };
  }

  /** Then the next ones take less. One that cannot be smaller is sent all the same. */
  #isTooLarge(bytes: number, items: number): boolean {
    const { mostBytes = Number.POSITIVE_INFINITY } = this.#options.store;
    if (bytes <= mostBytes / 2) this.#most = Math.min(mostInParcel, 2 * this.#most);
    if (bytes <= mostBytes || this.#most === 1) return false;
    const fitting = Math.floor(Math.min(items, this.#most) * (mostBytes / bytes) * shareTaken);
    this.#most = Math.max(1, Math.min(fitting, Math.floor(this.#most / 2)));
    return true;
  }

  /** Whether the store is there, and has what it had. */
  async #ask(next: Next): Promise<Next | undefined> {
    if (this.#isStopped) return next;
    const { epoch, seq } = next;
    const received = await this.#options.store.newest(this.#options.site, epoch);
    if (received === undefined || received.isOver === true) return this.#begin();
    return received.seq === seq - 1 ? next : this.#goOnAt(epoch, received.seq, received.position);
  }

  /** The store has had an answer lost, or was put back. */
  async #goOnAt(epoch: number, seq: number, text: string): Promise<Next> {
    this.#closeBlocks();
    const position = await this.#options.archive.call('resume', [text]);
    if (position === undefined) throw new Error('the store has a position that this archive never had');
    return { epoch, seq: seq + 1, position };
  }

  #sectionsOf(piece: OutgoingPiece): { sections: Section[]; position: Position; left: 'nothing' | 'more' } {
    const live = piece.live.map(liveSection);
    const taken = piece.live.reduce((sum, { series }) => sum + series.length, 0);
    const { position, block } = piece;
    if (block === undefined || taken >= this.#most) {
      return { sections: live, position, left: isFull(piece, this.#most) ? 'more' : 'nothing' };
    }
    if (block.path === undefined) {
      const after = { ...position, ranges: position.ranges.slice(1), block: undefined };
      return { sections: live, position: after, left: 'more' };
    }
    const blocks = this.#open(block);
    if (blocks === 'gone') return { sections: live, position, left: 'more' };
    const next = blocks?.next(this.#most - taken) ?? { section: undefined, position: { ...block, ...wholeBlock } };
    if (next.position.series === allOfBlock) this.#closeBlocks();
    const sections = next.section === undefined ? live : [...live, next.section];
    return { sections, position: { ...position, block: next.position }, left: 'more' };
  }

  /** Undefined: nothing of it can be read, which is reported; or it is gone, and another has what it had. */
  #open(block: BlockToSend): BlockSections | 'gone' | undefined {
    if (this.#blocks?.isAt(block) === true) return this.#blocks;
    this.#closeBlocks();
    const onDamage = (damage: Damage) => void this.#options.archive.notify('damage', [damage]);
    try {
      this.#blocks = new BlockSections({ block, seriesOf: (number) => this.#series.get(number), onDamage });
      return this.#blocks;
    } catch (error) {
      if (isMissing(error)) return 'gone';
      if (!(error instanceof Damaged)) throw error;
      onDamage(error.damage);
      return undefined;
    }
  }

  #closeBlocks(): void {
    this.#blocks?.close();
    this.#blocks = undefined;
  }

  #learn(series: readonly Series[]): void {
    for (const each of series) this.#series.set(each.number, each);
  }

  #datatypeOf(number: number): Datatype {
    const series = this.#series.get(number);
    if (series === undefined) throw new RangeError(`series ${number} is not known`);
    return series.datatype;
  }

  #tell(change: Partial<SenderState>): void {
    this.#state = { ...this.#state, ...change };
    this.#options.onState(this.#state);
  }

  /** False: it took longer, or is over. */
  async #isMoreWithin(ms: number): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#wake = () => resolve(!this.#isStopped);
    const cancel = this.#options.clock.after(ms, () => resolve(false));
    if (this.#isStopped) resolve(false);
    const isMore = await promise;
    cancel();
    this.#wake = undefined;
    return isMore;
  }

  async #pause(ms: number, isRetried = false): Promise<void> {
    if (ms <= 0 || this.#isStopped) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    if (isRetried) this.#endPause = resolve;
    const cancel = this.#options.clock.after(ms, resolve);
    const stopListening = onAbort(this.#stop.signal, () => resolve());
    await promise;
    this.#endPause = undefined;
    cancel();
    stopListening();
  }
}

/** Whether there may be more of anything. */
function isFull({ live, series, erasures }: OutgoingPiece, most: number): boolean {
  const records = live.reduce((sum, { series }) => sum + series.length, 0);
  return Math.max(records, series.length, erasures.length) >= most;
}

const wholeBlock = { series: allOfBlock, timeUs: 0 } as const;

function countsOf({ waiting, oldestUnsentUs, stored, dropped, discarded }: OutgoingCounts): Partial<SenderState> {
  return { waiting, oldestUnsentUs, stored, dropped, discarded };
}

function countersOf({ stored, dropped, discarded, waiting, oldestUnsentUs }: OutgoingPiece): ParcelCounters {
  return {
    stored,
    dropped,
    discarded: discarded.count,
    discardedSinceUs: discarded.sinceUs,
    discardedUntilUs: discarded.untilUs,
    backlog: waiting,
    oldestUnsentUs,
  };
}

interface Next {
  readonly epoch: number;
  readonly seq: number;
  readonly position: Position;
}
