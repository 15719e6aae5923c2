// The function modules that are configured, and their states. Nothing runs them yet, so that each is stopped.
import { type Clock, type FunctionModule, type FunctionModuleStatus, toTimestamp } from '@telltale/schema';

export type FunctionModuleListener = (name: string, isRemoved: boolean) => void;

export class FunctionModules {
  readonly #clock: Clock;
  readonly #modules = new Map<string, { readonly module: FunctionModule; readonly sinceUs: number }>();
  readonly #listeners: FunctionModuleListener[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** One call a change. */
  onChange(listener: FunctionModuleListener): void {
    this.#listeners.push(listener);
  }

  put(module: FunctionModule): void {
    const known = this.#modules.get(module.name);
    this.#modules.set(module.name, { module, sinceUs: known?.sinceUs ?? this.#clock.now() });
    if (known === undefined) this.#tell(module.name, false);
  }

  remove(name: string): void {
    if (this.#modules.delete(name)) this.#tell(name, true);
  }

  has(name: string): boolean {
    return this.#modules.has(name);
  }

  names(): Iterable<string> {
    return this.#modules.keys();
  }

  /** Of one that there is. */
  status(name: string): FunctionModuleStatus {
    return {
      name,
      state: 'STOP',
      since: toTimestamp(this.#modules.get(name)?.sinceUs ?? 0),
      pid: null,
      restarts: 0,
      'exit-code': null,
      'exit-signal': null,
      'last-error': null,
      'next-start': null,
      status: null,
    };
  }

  #tell(name: string, isRemoved: boolean): void {
    for (const listener of this.#listeners) listener(name, isRemoved);
  }
}
