// The node that leads: what a change has done is in etcd before it is committed here. The log of changes begins with all there is, and
// begins anew where it becomes long, or where it is not known what etcd has.
import { ProblemError } from '@telltale/schema';
import type { Agreement } from '../agreement.ts';
import type { Database } from '../database.ts';
import type { RenderingBytes } from '../rendering.ts';
import { sealedWith } from '../reseal.ts';
import { maxRevisions } from '../revisions.ts';
import type { SiteBytes, SiteHead } from './site-bytes.ts';
import { type ChangeHead, type Done, siteBytes, type WholeHead } from './site-change.ts';
import { revisionBytes } from './site-revision.ts';

/** Of changes: etcd takes 127 operations in a transaction, which begins the log anew. */
const mostChanges = 64;
const mostBytes = 4 << 20;
const none: SiteHead = { number: 0, digest: '', whole: 0, bytes: 0 };

export class SiteSharing {
  readonly #ask: (entries: readonly SiteBytes[]) => void;
  #head = none;
  /** Whether etcd has what is here is not known. */
  #isInDoubt = false;
  #isAdopting = false;
  /** Before, what is stored here is of this node alone: the site gets it where nobody has led yet. */
  #hasBegun = false;

  /** `ask` returns when etcd has all of it, and throws `ProblemError` where that is not known. */
  constructor(ask: (entries: readonly SiteBytes[]) => void) {
    this.#ask = ask;
  }

  /** This node leads from now on. In steps; without a head, nobody has shared anything yet. */
  *begin(database: Database, head: SiteHead | undefined): Generator<void> {
    this.#hasBegun = true;
    if (head === undefined) {
      for (const { id } of database.revisions.heads()) {
        this.#ask(revisionEntry(database, id));
        yield;
      }
      this.shareWhole(database);
      return this.committed();
    }
    if (head.digest !== database.digest) throw new Error('the configuration here is not the one that was acknowledged');
    [this.#head, this.#isInDoubt] = [head, false];
  }

  /** What another node has shared is stored here. */
  whileAdopting<Result>(work: () => Result): Result {
    [this.#isAdopting, this.#isInDoubt] = [true, false];
    try {
      return work();
    } finally {
      this.#isAdopting = false;
    }
  }

  /** Inside a change, when all is done. */
  share(database: Database, done: Done): void {
    if (done.isEmpty || this.#isAdopting || !this.#hasBegun) return;
    const { rendering } = done;
    const revisions = rendering === undefined ? [] : newestRevision(database);
    const [before, after] = [this.#head.digest, database.digest];
    if (this.#isInDoubt) this.#share(database, revisions, undefined);
    else if (before === after)
      return; // it has put what was there
    else {
      const head: ChangeHead = {
        before,
        after,
        waiting: done.waiting,
        ...(rendering && { rendering: rendering.edit }),
      };
      this.#share(database, revisions, siteBytes(head, done.objects, done.made));
    }
    database.afterCommit(() => this.committed());
  }

  /** Inside a change: revisions have other texts, and so may all have that this change has not touched. */
  shareSealed(database: Database): void {
    if (!this.#hasBegun) return;
    this.#isInDoubt = true;
    for (const { id } of database.revisions.heads()) this.#ask(revisionEntry(database, id));
  }

  /** All there is. What was shared before it counts no more. */
  shareWhole(database: Database, isRendered = false): void {
    if (this.#hasBegun) this.#share(database, isRendered ? newestRevision(database) : [], undefined);
  }

  /** Where it is not known what etcd has: it has what is here. */
  settle(database: Database): void {
    if (!this.#isInDoubt) return;
    this.shareWhole(database);
    this.committed();
  }

  /** What was shared is on disk here. */
  committed(): void {
    this.#isInDoubt = false;
  }

  /** Without a change, all there is takes its place. */
  #share(database: Database, revisions: readonly SiteBytes[], change: RenderingBytes | undefined): void {
    const before = this.#head;
    const [number, { digest }] = [before.number + 1, database];
    const bytes = before.bytes + (change?.length ?? 0);
    const isLong = number - before.whole > mostChanges || bytes > mostBytes;
    const isWhole = change === undefined || isLong;
    const head: SiteHead = isWhole ? { number, digest, whole: number, bytes: 0 } : { ...before, number, digest, bytes };
    this.#isInDoubt = true;
    this.#ask([
      ...revisions,
      ...(isWhole ? [entry('configuration', 'whole', wholeBytes(database))] : []),
      ...(isWhole ? numbersFrom(before.whole, number).map((gone) => entry('configuration-changes', gone)) : []),
      entry('configuration-changes', number, change),
      entry('configuration', 'head', Buffer.from(JSON.stringify(head))),
    ]);
    this.#head = head;
  }
}

/** Blocks the thread until the service has heard from etcd. */
export function shareVia(agreement: Agreement, send: (entries: readonly SiteBytes[]) => void): SiteSharing {
  return new SiteSharing((entries) => {
    const refused = agreement.ask(() => send(entries));
    if (refused === undefined) return;
    const { problem, detail } = JSON.parse(refused) as Pick<ProblemError, 'problem'> & { detail: string };
    throw new ProblemError(problem, detail);
  });
}

function entry(family: SiteBytes['family'], name: string | number, bytes?: RenderingBytes): SiteBytes {
  return { family, name: String(name), bytes };
}

/** In the place of one that all there is, as it was shared last, does not have any more: each change since may be a rendering. */
function newestRevision(database: Database): SiteBytes[] {
  const { id = 0 } = database.revisions.newest() ?? {};
  const gone = id - maxRevisions - mostChanges - 1;
  return [...revisionEntry(database, id), ...(gone > 0 ? [entry('revisions', gone)] : [])];
}

/** None of a damaged one. */
function revisionEntry(database: Database, id: number): SiteBytes[] {
  const bytes = revisionBytes(database, id);
  return bytes === undefined ? [] : [entry('revisions', id, bytes)];
}

function wholeBytes(database: Database): RenderingBytes {
  const { digest: after, revisions, renames, made } = database;
  const sealed = sealedWith(database);
  const head: WholeHead = {
    after,
    waiting: renames.waiting(),
    revisions: revisions.heads(),
    ...(sealed && { sealed }),
  };
  return siteBytes(head, database.edited(), made.all());
}

/** Without the last. */
function numbersFrom(first: number, last: number): number[] {
  return Array.from({ length: last - first }, (_, at) => first + at);
}
