// What must be confirmed before it is done, and by whom: a reason, a signature, a second person. Whatever way an action comes,
// over HTTP, over the channel or through a provider, it is looked at here.
import {
  type Confirm,
  type ConfirmLevel,
  declarationOf,
  noConfirm,
  ProblemError,
  readConfirm,
  readPrograms,
  type SignedOperation,
} from '@telltale/schema';
import type { Caller } from '../access/index.ts';
import type { Commands } from '../points/index.ts';
import type { Asked, Implementations, ImplementedName } from './implementations/implementation.ts';

/** Of the service. */
export interface ConfirmSettings {
  readonly 'confirm-render': ConfirmLevel;
  readonly 'confirm-erase': ConfirmLevel;
  readonly 'confirm-simulate': ConfirmLevel;
  readonly 'confirm-except'?: string | undefined;
}

/** Whoever acts. */
type Actor = Pick<Caller, 'author' | 'kind'>;

/** What an implementation is asked for, as far as it matters here. */
interface Given {
  readonly name?: string;
  readonly reason?: string;
  readonly comment?: string;
  readonly render?: boolean;
}

export class Confirmations {
  readonly #ofService: Readonly<Record<Exclude<SignedOperation, 'writeCommand'>, Confirm>>;
  readonly #commands: Pick<Commands, 'find' | 'definitionAt' | 'all'>;

  constructor(settings: ConfirmSettings, commands: Pick<Commands, 'find' | 'definitionAt' | 'all'>) {
    this.#commands = commands;
    const except = readPrograms(settings['confirm-except'] ?? '');
    const [erase, simulate, render] = [
      settings['confirm-erase'],
      settings['confirm-simulate'],
      settings['confirm-render'],
    ].map((level) => (level === 'none' ? noConfirm : { level, except })) as [Confirm, Confirm, Confirm];
    this.#ofService = {
      simulateMeasurement: simulate,
      eraseMeasurementArchive: erase,
      eraseCommandArchive: erase,
      eraseAlarmArchive: erase,
      eraseActiveAlarmArchive: erase,
      render,
    };
  }

  wantedBy(operation: SignedOperation, name = ''): Confirm {
    if (operation !== 'writeCommand') return this.#ofService[operation];
    return readConfirm(this.#commands.definitionAt(this.#commands.find(name))?.properties);
  }

  /** Whether a program of this name need not confirm something that others have to. */
  isExcepted(author: string): boolean {
    if (Object.values(this.#ofService).some(({ except }) => except.has(author))) return true;
    for (const handle of this.#commands.all()) {
      if (readConfirm(this.#commands.definitionAt(handle)?.properties).except.has(author)) return true;
    }
    return false;
  }

  /** Throws where this is not done by just asking for it. */
  check(operation: SignedOperation, name: string | undefined, { author, kind }: Actor, reason?: string): void {
    const { level, except } = this.wantedBy(operation, name);
    if (level === 'none' || except.has(author)) return;
    const what = operation === 'render' ? 'A rendering' : `${JSON.stringify((name ?? '').slice(0, 80))}`;
    if (kind === 'module' || kind === 'provider') {
      const list = operation === 'writeCommand' ? `properties.confirmExcept of the command` : '--confirm-except';
      throw new ProblemError(
        'not-allowed',
        `${what} has to be confirmed by a person: ${list} does not name ${author}.`,
      );
    }
    if (level === 'reason') {
      if (!isBlank(reason)) return;
      throw new ProblemError('reason-needed', `${what} wants a reason.`);
    }
    const second = level === 'two-person' ? ', and a second person has to approve it' : '';
    throw new ProblemError('signature-needed', `${what} has to be signed${second}.`);
  }

  /** The same implementations; what must be confirmed, and is not, is refused. */
  guarding(implementations: Implementations): Implementations {
    const names = Object.keys(implementations) as ImplementedName[];
    const guarded = names.flatMap((name) => {
      const operation = this.#operationOf(name);
      if (operation === undefined) return [];
      const isDone = name === operation ? () => true : ({ render }: Given) => render === true;
      return [[name, this.#guarded(operation, implementations[name], isDone)] as const];
    });
    return { ...implementations, ...Object.fromEntries(guarded) };
  }

  /** As what an operation has to be confirmed: whatever can render, as a rendering. */
  #operationOf(name: ImplementedName): SignedOperation | undefined {
    if (name === 'writeCommand' || Object.hasOwn(this.#ofService, name)) return name as SignedOperation;
    return Object.hasOwn(declarationOf(name).input, 'render') ? 'render' : undefined;
  }

  #guarded(operation: SignedOperation, implementation: unknown, isDone: (input: Given) => boolean) {
    const run = implementation as (input: Given, asked: Asked) => unknown;
    return (input: Given, asked: Asked) => {
      const { name, reason, comment } = input;
      if (reason !== undefined) asked.note({ reason });
      if (isDone(input)) this.check(operation, name, asked.caller, reason ?? comment);
      return run(input, asked);
    };
  }
}

/** Says nothing, in however many characters. */
export function isBlank(reason = ''): boolean {
  return reason.trim() === '';
}
