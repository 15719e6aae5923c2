// What the gate writes into the audit trail: who did what to which object, and how it ended; and who was refused. Before the
// answer, a record is on disk. What anybody can cause without rights is bounded.
import { type Action, type Clock, type Effect, ProblemError, type ProblemName, type Resource } from '@telltale/schema';
import type { Caller } from '../access/index.ts';
import type { AuditEntry } from '../audit/index.ts';

/** What an implementation adds to the record of its operation. */
export interface Noted {
  readonly old?: unknown;
  readonly new?: unknown;
  readonly reason?: string | undefined;
  readonly area?: string | undefined;
  /** Where the request does not name it. */
  readonly object?: string | undefined;
  /** Who it has turned out to be: of somebody who signs in. */
  readonly who?: string | undefined;
  readonly kind?: string | undefined;
  readonly session?: string | undefined;
  /** The second person. */
  readonly approver?: string | undefined;
  /** What it came to elsewhere, at a site: the name of a problem. */
  readonly result?: string | undefined;
  /** It was refused elsewhere, at a site, and nothing was done: whoever may view that can cause as many as they like. */
  readonly isRefused?: boolean;
}

export type Note = (noted: Noted) => void;

/** Who asks, and from where. */
export interface Asking extends RecordedCaller {
  readonly caller: Caller;
}

/** As much of it as is recorded. */
export interface RecordedCaller {
  readonly caller: Pick<Caller, 'author' | 'kind' | 'session' | 'site'>;
  readonly credentials: { readonly source?: string | undefined };
}

/** The audit trail, as the gate needs it. */
export interface Trail {
  /** Why it cannot be written; undefined where it can. */
  readonly failure: string | undefined;
  /** Resolves with true when it is on disk, with false when the disk refuses it. */
  record(entry: AuditEntry): Promise<boolean>;
}

export interface RecordingOptions {
  readonly trail: Trail;
  /** The revision that runs. */
  readonly rendering: () => number | undefined;
  readonly areaOf?: ((resource: Resource, name: string) => string | undefined) | undefined;
  readonly clock: Clock;
}

/** What is recorded of an operation. */
export interface RecordedOperation {
  readonly name: string;
  readonly effect: Effect;
}

/** Of configuration and users: refused while the trail cannot be written. All else goes on: a plant must be operated. */
const refusedAction: Action = 'configure';

/** Refusals that are recorded at once, and how many more there may be a second: so nobody fills the disk. */
const mostDenials = 10_000;
const denialsPerSecond = 10;

export class Recording {
  readonly #options: RecordingOptions;
  /** Errors that have their record. */
  readonly #recorded = new WeakSet<object>();
  #denialsLeft = mostDenials;
  #refilledMs: number;
  #unrecorded = 0;

  constructor(options: RecordingOptions) {
    this.#options = options;
    this.#refilledMs = options.clock.monotonicMs();
  }

  /** Why an operation is refused while the trail cannot be written; undefined where it is not. */
  refusalOf({ effect }: RecordedOperation): ProblemError | undefined {
    const { failure } = this.#options.trail;
    if (failure === undefined || effect.action !== refusedAction) return undefined;
    return new ProblemError(
      'audit-failing',
      `The audit trail cannot be written (${failure}), so nothing is changed that only it would tell of.`,
    );
  }

  /** Carries it out, and records how it ended. Throws where it must be on disk, and is not. */
  async carryOut<T>(
    operation: RecordedOperation,
    asking: RecordedCaller,
    object: string,
    work: (note: Note) => T | Promise<T>,
  ): Promise<T> {
    let noted: Noted = {};
    const note: Note = (more) => {
      noted = { ...noted, ...more };
    };
    let outcome: T;
    try {
      outcome = await work(note);
    } catch (error) {
      if (typeof error === 'object' && error !== null) this.#recorded.add(error);
      // Anybody can fail to sign in.
      const isDenial = noted.isRefused === true || asking.caller.kind === 'nobody';
      if (isDenial && !this.#mayRecordDenial()) this.#unrecorded++;
      else await this.#record(operation, asking, object, noted, problemOf(error));
      throw error;
    }
    if (noted.isRefused === true && !this.#mayRecordDenial()) {
      this.#unrecorded++;
      return outcome;
    }
    const isWritten = await this.#record(operation, asking, object, noted, 'done');
    if (isWritten || this.refusalOf(operation) === undefined) return outcome;
    const unwritten = new ProblemError(
      'storage-failed',
      `It is done, but its record in the audit trail is not on disk yet: ${this.#options.trail.failure}.`,
    );
    this.#recorded.add(unwritten);
    throw unwritten;
  }

  /** Records a refusal that no implementation has seen; not twice. */
  denied(operation: RecordedOperation, asking: RecordedCaller, object: string, error: object): void {
    if (this.#recorded.has(error)) return;
    this.#recorded.add(error);
    if (this.#mayRecordDenial()) void this.#record(operation, asking, object, {}, problemOf(error));
    else this.#unrecorded++;
  }

  #mayRecordDenial(): boolean {
    const nowMs = this.#options.clock.monotonicMs();
    const more = ((nowMs - this.#refilledMs) / 1000) * denialsPerSecond;
    this.#refilledMs = nowMs;
    this.#denialsLeft = Math.min(mostDenials, this.#denialsLeft + more);
    if (this.#denialsLeft < 1) return false;
    this.#denialsLeft--;
    if (this.#unrecorded > 0) this.#tellUnrecorded();
    return true;
  }

  #tellUnrecorded(): void {
    const count = this.#unrecorded;
    this.#unrecorded = 0;
    const entry = {
      who: 'service',
      kind: 'service',
      operation: 'denyRequests',
      new: { count },
      result: 'done',
    } as const;
    void this.#options.trail.record(entry);
  }

  #record(
    { name, effect }: RecordedOperation,
    { caller, credentials }: RecordedCaller,
    object: string,
    noted: Noted,
    result: 'done' | ProblemName,
  ): Promise<boolean> {
    const { trail, rendering, areaOf } = this.#options;
    const objectName = noted.object ?? object;
    return trail.record({
      who: noted.who ?? caller.author,
      kind: noted.kind ?? caller.kind,
      source: credentials.source,
      session: noted.session ?? caller.session,
      operation: name,
      object: objectName,
      site: caller.site?.id,
      area: noted.area ?? (objectName === '' || caller.site ? undefined : areaOf?.(effect.resource, objectName)),
      old: noted.old,
      new: noted.new,
      reason: noted.reason,
      approver: noted.approver,
      result: noted.result ?? result,
      rendering: caller.site === undefined ? rendering() : undefined,
    });
  }
}

export function problemOf(error: unknown): ProblemName {
  return error instanceof ProblemError ? error.problem : 'internal';
}
