// The function modules that are configured, and their states. Nothing runs them yet, so that each is stopped.
import type { FunctionModule } from '@telltale/schema';

export type FunctionModuleListener = (name: string, isRemoved: boolean) => void;

export class FunctionModules {
  readonly #modules = new Map<string, FunctionModule>();
  readonly #listeners: FunctionModuleListener[] = [];

  /** One call a change. */
  onChange(listener: FunctionModuleListener): void {
    this.#listeners.push(listener);
  }

  put(module: FunctionModule): void {
    const isNew = !this.#modules.has(module.name);
    this.#modules.set(module.name, module);
    if (isNew) this.#tell(module.name, false);
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

  #tell(name: string, isRemoved: boolean): void {
    for (const listener of this.#listeners) listener(name, isRemoved);
  }
}
