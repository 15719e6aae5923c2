// Every operation passes here, over HTTP and over the channel, streams included. The gate decides whether it can run
// now, whether this caller may run it, and in which order; it has it recorded, counts, and maps failures to problems.
import {
  type Effect,
  type Needed,
  type Permission,
  ProblemError,
  type ProblemName,
  type Resource,
} from '@telltale/schema';
import type { Logger } from 'pino';
import { type Caller, checkPermission, isPermission, notAllowed } from '../access/index.ts';
import { BeginOrder, type Turn } from './begin-order.ts';
import type { Asking, Note, Recording } from './recording.ts';

export interface GateOptions {
  /** Why the service cannot answer now; undefined where it can. */
  readonly unavailable: () => 'starting' | 'stopping' | undefined;
  /** Why no write is possible now, though reads are answered; undefined where it is. */
  readonly writeRefusal?: (operation: Guarded) => ProblemError | undefined;
  /** One that changes something runs until this ends. */
  readonly onChanging?: (operation: Guarded, work: Promise<unknown>) => void;
  /** The area that a live object is in; empty: in none. Undefined where there is no such object. */
  readonly areaOf?: (resource: Resource, name: string) => string | undefined;
  /** What is written into the audit trail; undefined: nothing. */
  readonly recording?: Recording;
  readonly log: Logger;
}

/** What the gate needs to know about an operation. */
export interface Guarded {
  readonly effect: Effect;
  readonly permission: Needed;
  readonly audited: boolean;
  readonly isAlwaysAvailable?: true;
}

/** An operation as the gate sees it, with what it has counted: plain numbers, which cost hot reads an increment. */
export interface GatedOperation extends Guarded {
  readonly name: string;
  /** Those on one object begin in the order in which they came. */
  readonly isOrdered: boolean;
  answered: number;
  /** By problem, how often it was refused, or failed. */
  readonly refused: Map<ProblemName, number>;
}

/** How often an operation has had an outcome so far. */
export interface OutcomeCount {
  readonly operation: string;
  readonly outcome: 'answered' | ProblemName;
  readonly count: number;
}

/** Requests of one connection that may be under way at once. */
const mostUnderWay = 1000;

/** Their objects are permitted one by one here; those of the archive and of the configuration by whoever has them. */
const named: ReadonlySet<Resource> = new Set([
  'measurements',
  'commands',
  'alarms',
  'function-modules',
  'connectors',
  'providers',
  'pictures',
  'trends',
]);

/** Of requests that no operation was found for. */
const noOperation = { name: 'request', effect: { action: 'read', resource: 'service' } } as const;

/** An operation that is not audited notes nothing. */
export const noNote: Note = () => undefined;

const ordered: ReadonlySet<Resource> = new Set(['measurements', 'commands', 'alarms', 'function-modules']);

export class Gate {
  readonly #options: GateOptions;
  readonly #operations: Map<string, GatedOperation>;
  readonly #order = new BeginOrder();
  /** Refusals of a caller, whatever they say: what one may not see is answered as if it were not there. */
  readonly #denials = new WeakSet<object>();

  constructor(options: GateOptions, operations = new Map<string, GatedOperation>()) {
    this.#options = options;
    this.#operations = operations;
  }

  /** The same to other objects, such as those of a site; what it counts is counted here. */
  to(areaOf: NonNullable<GateOptions['areaOf']>): Gate {
    return new Gate({ ...this.#options, areaOf }, this.#operations);
  }

  get isStopping(): boolean {
    return this.#options.unavailable() === 'stopping';
  }

  operation(name: string, guarded: Guarded): GatedOperation {
    const known = this.#operations.get(name);
    if (known !== undefined) return known;
    const { effect, permission, audited, isAlwaysAvailable } = guarded;
    const operation: GatedOperation = {
      name,
      effect,
      permission,
      audited,
      ...(isAlwaysAvailable && { isAlwaysAvailable }),
      isOrdered: effect.action !== 'read' && ordered.has(effect.resource),
      answered: 0,
      refused: new Map(),
    };
    this.#operations.set(name, operation);
    return operation;
  }

  /** Throws where it cannot run now, this caller may not run it at all, or too many of its requests are in progress. */
  admit(operation: GatedOperation, caller: Caller, underWay = 0): void {
    const { effect, permission, isAlwaysAvailable } = operation;
    const state = this.#options.unavailable();
    if (state !== undefined && isAlwaysAvailable !== true) throw new ProblemError(state, `The service is ${state}.`);
    if (underWay >= mostUnderWay) {
      throw new ProblemError('too-many-requests', `${mostUnderWay} requests of this client are under way.`);
    }
    checkPermission(caller, permission);
    if (permission !== 'signed-in') caller.used?.();
    if (effect.action === 'read') return;
    const refusal = this.#options.writeRefusal?.(operation) ?? this.#options.recording?.refusalOf(operation);
    if (refusal !== undefined) throw refusal;
  }

  /**
   * Throws where the caller may not do this to the object of this name; undefined: it is done to none by name. One that the
   * caller may not view is refused as one that is not there, and at the same point.
   */
  admitTo(operation: GatedOperation, caller: Caller, name: string | undefined): void {
    const refusal = this.#refusalTo(operation, caller, name);
    if (refusal === undefined) return;
    const isUnknown = refusal === 'unknown';
    const problem = isUnknown
      ? unknownObject(operation.effect.resource, name as string)
      : notAllowed(caller, refusal, name);
    if (!isUnknown || operation.audited) this.#denials.add(problem);
    throw problem;
  }

  /** For an ordered operation that has arrived. None waits for one that its caller may not run. */
  turn(operation: GatedOperation, caller: Caller, name: string): Turn {
    const order = this.#refusalTo(operation, caller, name) === undefined ? this.#order : new BeginOrder();
    return order.turn(operation.effect.resource, name);
  }

  /** Throws where nothing would tell of what is done elsewhere, at a site. */
  checkRecorded(operation: GatedOperation): void {
    const refusal = this.#options.recording?.refusalOf(operation);
    if (refusal !== undefined) throw refusal;
  }

  /**
   * Runs it. An audited operation is answered when its record is on disk; what it notes is in it. `object`: the name of what it
   * is done to, or nothing.
   */
  carryOut<T>(
    operation: GatedOperation,
    asking: Asking,
    object: string,
    work: (note: Note) => T | Promise<T>,
  ): T | Promise<T> {
    const { recording } = this.#options;
    const outcome =
      operation.audited && recording !== undefined
        ? recording.carryOut(operation, asking, object, work)
        : this.#run(operation, asking, object, work);
    if (!(outcome instanceof Promise)) operation.answered++;
    else {
      if (operation.effect.action !== 'read') this.#options.onChanging?.(operation, outcome);
      outcome.then(
        () => operation.answered++,
        (error: unknown) => this.denied(operation, asking, object, error),
      );
    }
    return outcome;
  }

  /** Records that a caller was refused, once; of other errors nothing is recorded. */
  denied(operation: GatedOperation | undefined, asking: Asking, object: string, error: unknown): void {
    if (!(error instanceof ProblemError)) return;
    const isDenial = error.status === 401 || error.status === 403 || this.#denials.has(error);
    if (isDenial) this.#options.recording?.denied(operation ?? noOperation, asking, object, error);
  }

  /**
   * The problem with which the caller is answered; it is counted. A fault of the service is logged: the client is
   * informed only that there was one. `wasAnswered`: it was carried out, but its answer is not sent.
   */
  refuse(operation: GatedOperation | undefined, error: unknown, wasAnswered = false): ProblemError {
    if (operation !== undefined && wasAnswered) operation.answered--;
    const problem = error instanceof ProblemError ? error : this.#fault(error);
    operation?.refused.set(problem.problem, (operation.refused.get(problem.problem) ?? 0) + 1);
    return problem;
  }

  *outcomes(): Generator<OutcomeCount> {
    for (const { name: operation, answered, refused } of this.#operations.values()) {
      if (answered > 0) yield { operation, outcome: 'answered', count: answered };
      for (const [outcome, count] of refused) yield { operation, outcome, count };
    }
  }

  /** What the caller lacks: the permission, or the sight of the object. */
  #refusalTo(operation: GatedOperation, caller: Caller, name?: string): Permission | 'unknown' | undefined {
    const { permission, effect } = operation;
    if (!isPermission(permission)) return undefined;
    const { rights } = caller;
    const seesAll = rights.everywhere('view');
    if (seesAll && rights.everywhere(permission)) return undefined;
    // What is done to none by name is looked at by whoever does it.
    if (name === undefined || !named.has(effect.resource)) return rights.has(permission) ? undefined : permission;
    const area = this.#options.areaOf?.(effect.resource, name);
    if (!seesAll && (area === undefined || !rights.on('view', name, area))) return 'unknown';
    return rights.on(permission, name, area) ? undefined : permission;
  }

  #fault(error: unknown): ProblemError {
    this.#options.log.error({ err: error }, 'a request failed because of an internal error');
    return new ProblemError('internal', 'The log of the service says more.');
  }

  #run<T>(operation: GatedOperation, asking: Asking, object: string, work: (note: Note) => T | Promise<T>) {
    try {
      return work(noNote);
    } catch (error) {
      this.denied(operation, asking, object, error);
      throw error;
    }
  }
}

/** As what is not there, whether it is. */
function unknownObject(resource: Resource, name: string): ProblemError {
  const one = resource.slice(0, -1).replace('-', ' ');
  return new ProblemError('unknown-object', `There is no ${one} ${JSON.stringify(name.slice(0, 80))}.`);
}
