// What people and programs can ask of function modules, as both HTTP and the channel offer it.
import {
  type FunctionModuleField,
  type FunctionModuleOperation,
  type LogLine,
  type LogStream,
  ProblemError,
} from '@telltale/schema';
import type { FunctionModules } from '../../modules/index.ts';
import type { Selection } from '../data/index.ts';
import { picked } from '../picked.ts';

export type ServedModules = Pick<
  FunctionModules,
  'has' | 'names' | 'live' | 'start' | 'stop' | 'restart' | 'readLog' | 'answered'
>;

export class ModuleAccess {
  readonly #modules: ServedModules;

  constructor(modules: ServedModules) {
    this.#modules = modules;
  }

  names(): string[] {
    return [...this.#modules.names()].sort();
  }

  /** Of some or all of them, from name to object; made as text, so that every name is an ordinary one. */
  read({ names, fields }: Selection<FunctionModuleField>): string {
    const wanted = names === undefined ? this.names() : [...new Set(names)].sort();
    const members: string[] = [];
    for (const name of wanted) {
      if (this.#modules.has(name)) members.push(`${JSON.stringify(name)}:${this.#text(name, fields)}`);
    }
    return `{${members.join(',')}}`;
  }

  readOne(name: string): string {
    this.#mustFind(name);
    return this.#text(name, undefined);
  }

  /** The newest lines, newest last. */
  async readLog(name: string, lines: number, stream: LogStream | undefined): Promise<LogLine[]> {
    this.#mustFind(name);
    return lines === 0 ? [] : this.#modules.readLog(name, lines, stream);
  }

  /** Resolves when it has happened. */
  async operate(name: string, operation: FunctionModuleOperation): Promise<void> {
    this.#mustFind(name);
    await this.#modules[operation](name);
  }

  /** What the module says to the query of its supervisor. */
  answer(module: string, queryId: number, status: string | undefined): void {
    if (this.#modules.answered(module, queryId, status)) return;
    throw new ProblemError('unknown-object', `Query ${queryId} of function module ${module} is not open.`);
  }

  #text(name: string, fields: readonly FunctionModuleField[] | undefined): string {
    return JSON.stringify(picked(this.#modules.live(name), fields));
  }

  #mustFind(name: string): void {
    if (this.#modules.has(name)) return;
    throw new ProblemError('unknown-object', `There is no function module ${JSON.stringify(name.slice(0, 80))}.`);
  }
}
