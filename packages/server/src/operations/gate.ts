// The one place that every operation passes, over HTTP and over the channel: whether it can be carried out now, whether this
// caller may, and what is logged of it.
import { type Effect, ProblemError } from '@telltale/schema';
import type { Logger } from 'pino';
import { accessOf, type Caller, checkAccess, checkNamedWrite } from '../access/index.ts';

export interface GateOptions {
  /** Why the service cannot answer now; undefined where it can. */
  readonly unavailable: () => 'starting' | 'stopping' | undefined;
  /** Why nothing may be written now, though reads are answered; undefined where it may. */
  readonly writeRefusal?: () => ProblemError | undefined;
  readonly log: Logger;
}

/** What the gate has to know of an operation. */
export interface Guarded {
  readonly effect: Effect;
  readonly audited: boolean;
  readonly isAlwaysAvailable?: true;
}

export class Gate {
  readonly #options: GateOptions;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  get isStopping(): boolean {
    return this.#options.unavailable() === 'stopping';
  }

  /** Throws where it cannot be carried out now, or is none for this caller, to whatever object. */
  admit({ effect, isAlwaysAvailable }: Guarded, caller: Caller): void {
    const state = this.#options.unavailable();
    if (state !== undefined && isAlwaysAvailable !== true) throw new ProblemError(state, `The service is ${state}.`);
    checkAccess(caller, accessOf(effect));
    if (effect.action === 'read') return;
    const refusal = this.#options.writeRefusal?.();
    if (refusal !== undefined) throw refusal;
  }

  /** Throws where the caller may not do this to the object of this name. */
  admitTo({ effect }: Guarded, caller: Caller, name: string): void {
    if (accessOf(effect) === 'named-write') checkNamedWrite(caller, name);
  }

  /** Carries it out. Of one that is audited, who did what to which object, and what came of it, is logged. */
  carryOut<T>(operation: string, { audited }: Guarded, caller: Caller, object: string, work: () => T): T {
    if (!audited) return work();
    try {
      const outcome = work();
      if (!(outcome instanceof Promise)) this.#log(operation, caller, object);
      else {
        outcome.then(
          () => this.#log(operation, caller, object),
          (error: unknown) => this.#log(operation, caller, object, error),
        );
      }
      return outcome;
    } catch (error) {
      this.#log(operation, caller, object, error);
      throw error;
    }
  }

  /** What function modules do again and again is of interest to who looks closely. */
  #log(operation: string, { author, module }: Caller, object: string, error?: unknown): void {
    const level = module === undefined ? 'info' : 'debug';
    const what = `${author}: ${operation}${object === '' ? '' : ` ${object.slice(0, 80)}`}`;
    const entry = { audit: operation, by: author, ...(object !== '' && { object: object.slice(0, 80) }) };
    if (error === undefined) this.#options.log[level](entry, what);
    else
      this.#options.log[level]({ ...entry, problem: problemOf(error) }, `${what} failed: ${(error as Error).message}`);
  }
}

function problemOf(error: unknown): string {
  return error instanceof ProblemError ? error.problem : 'internal';
}
