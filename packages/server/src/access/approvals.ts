// What one person has signed and a second one has to approve. It is approved once at most: that it is, is on disk before it is
// done, so that a service that ends meanwhile never does it again.
import { randomBytes } from 'node:crypto';
import { type ApprovalState, type Clock, ProblemError, type ProblemName, type SignedOperation } from '@telltale/schema';
import type { StoredEntry } from './access-store.ts';
import { type Changes, Collection } from './collection.ts';

/** What is to be done. */
export interface Action {
  readonly operation: SignedOperation;
  readonly input: Readonly<Record<string, unknown>>;
}

/** All times in milliseconds since 1970: they hold over restarts. */
interface StoredApproval extends Action {
  readonly reason: string;
  readonly requester: string;
  /** The public id of the requester's session. */
  readonly session?: string | undefined;
  readonly created: number;
  readonly ends: number;
  /** What it was requested for: where that has changed, it is not done. */
  readonly basis: string;
  readonly state: ApprovalState;
  readonly approver?: string | undefined;
  readonly decided?: number | undefined;
  readonly detail?: string | undefined;
}

export type KnownApproval = StoredApproval & { readonly id: string };

type Requested = Pick<StoredApproval, keyof Action | 'reason' | 'requester' | 'session' | 'basis'>;

const pendingMs = 5 * 60e3;
/** Afterwards the audit trail tells of it. */
const shownMs = 24 * 3600e3;
const mostOfRequester = 20;
const mostPending = 500;
/** Of those that have ended: whoever requests and withdraws all day pushes the oldest out, and keeps nobody from requesting. */
const mostEnded = 500;

export class Approvals {
  readonly #changes: Changes;
  readonly #clock: Clock;
  readonly #stored = new Collection<StoredApproval>('approval', 'request for approval');
  /** Those that are being done by this process. */
  readonly #sending = new Set<string>();

  constructor({ changes, clock }: { readonly changes: Changes; readonly clock: Clock }) {
    this.#changes = changes;
    this.#clock = clock;
  }

  load(entries: readonly StoredEntry[]): void {
    this.#stored.load(entries);
  }

  get pending(): number {
    return this.list().filter(({ state }) => state === 'pending').length;
  }

  /** The newest first. */
  list(): KnownApproval[] {
    const all = this.#stored.all().map(([id, stored]) => this.#known(id, stored));
    return all.filter((each) => !this.#isPast(each)).sort((one, other) => other.created - one.created);
  }

  /** Undefined where there is none, or none any more. */
  find(id: string): KnownApproval | undefined {
    const stored = this.#stored.get(id);
    const known = stored && this.#known(id, stored);
    return known === undefined || this.#isPast(known) ? undefined : known;
  }

  /** Resolves when it is on disk: then it can be approved. */
  request(requested: Requested): Promise<KnownApproval> {
    return this.#changes.run(() => {
      const all = this.list();
      const pending = all.filter(({ state }) => state === 'pending');
      const own = pending.filter(({ requester }) => requester === requested.requester);
      if (own.length >= mostOfRequester || pending.length >= mostPending) {
        const [count, whose] = own.length >= mostOfRequester ? [own.length, 'of yours'] : [pending.length, 'in all'];
        throw new ProblemError('too-many-requests', `${count} requests ${whose} wait for approval.`);
      }
      const created = this.#now();
      const id = randomBytes(9).toString('hex'); // never begins with -, as an option does
      const stored: StoredApproval = { ...requested, created, ends: created + pendingMs, state: 'pending' };
      const ended = all.filter(({ state }) => state !== 'pending' && state !== 'sending');
      const past = this.#stored.all().filter(([key, each]) => this.#isPast(this.#known(key, each)));
      const gone = [...past.map(([key]) => key), ...ended.slice(mostEnded).map((each) => each.id)];
      const changes = [this.#stored.change(id, stored), ...gone.map((key) => this.#stored.change(key, null))];
      return { changes, result: this.#known(id, stored) };
    });
  }

  /** Resolves when it is on disk that it is approved. Throws where it cannot be, or was. */
  async approve(id: string, approver: string): Promise<KnownApproval> {
    try {
      return await this.#decide(id, (pending) => {
        if (approver === pending.requester) {
          throw new ProblemError('not-allowed', `${approver} has requested it: a second person has to approve it.`);
        }
        this.#sending.add(id);
        return { state: 'sending', approver };
      });
    } catch (error) {
      if (this.#stored.get(id)?.state === 'pending') this.#sending.delete(id);
      throw error;
    }
  }

  /** How it has ended, after it was approved. */
  async end(id: string, problem?: { readonly name: ProblemName; readonly detail: string }): Promise<void> {
    try {
      await this.#changes.run(() => {
        const stored = this.#stored.known(id);
        const state = problem === undefined ? 'done' : 'failed';
        return { changes: [this.#stored.change(id, { ...stored, state, detail: problem?.detail })], result: undefined };
      });
    } finally {
      this.#sending.delete(id);
    }
  }

  /** By who has requested it, or somebody who could approve it. */
  reject(id: string, approver: string, detail: string | undefined): Promise<KnownApproval> {
    return this.#decide(id, ({ requester }) => ({
      state: approver === requester ? 'withdrawn' : 'rejected',
      approver,
      detail,
    }));
  }

  /** Those that the service was doing when it ended, each once. */
  async takeInterrupted(): Promise<KnownApproval[]> {
    return this.#changes.run(() => {
      const left = this.#stored.all().filter(([id, { state }]) => state === 'sending' && !this.#sending.has(id));
      const changes = left.map(([id, stored]) => this.#stored.change(id, { ...stored, state: 'unknown' as const }));
      return { changes, result: left.map(([id, stored]) => this.#known(id, { ...stored, state: 'unknown' })) };
    });
  }

  #decide(
    id: string,
    decide: (pending: KnownApproval) => Pick<StoredApproval, 'state' | 'approver' | 'detail'>,
  ): Promise<KnownApproval> {
    return this.#changes.run(() => {
      const known = this.#known(id, this.#stored.known(id));
      if (known.state !== 'pending') throw ended(known);
      const { id: _, ...stored } = { ...known, ...decide(known), decided: this.#now() };
      return { changes: [this.#stored.change(id, stored)], result: { id, ...stored } };
    });
  }

  #known(id: string, stored: StoredApproval): KnownApproval {
    const { state, ends } = stored;
    if (state === 'pending' && this.#now() > ends) return { id, ...stored, state: 'expired' };
    if (state === 'sending' && !this.#sending.has(id)) return { id, ...stored, state: 'unknown' };
    return { id, ...stored };
  }

  #isPast({ ends, state }: KnownApproval): boolean {
    return state !== 'sending' && this.#now() > ends + shownMs;
  }

  #now(): number {
    return this.#clock.now() / 1000;
  }
}

function ended({ state, approver }: KnownApproval): ProblemError {
  const by = approver === undefined ? '' : ` by ${approver}`;
  const words: Partial<Record<ApprovalState, string>> = {
    sending: `It was approved${by}, and is being done.`,
    done: `It was approved${by}, and is done.`,
    failed: `It was approved${by}, and failed.`,
    rejected: `It was rejected${by}.`,
    withdrawn: `It was withdrawn${by}.`,
    expired: 'Nobody has approved it within five minutes.',
    unknown: `It was approved${by}; the service ended while it was being done.`,
  };
  return new ProblemError('approval-ended', words[state] ?? `It is ${state}.`);
}
