// A read of a whole collection that is too large for one slice. One runs at a time: later requests share the next one,
// so that neither work nor memory grows with the number of readers, and no answer is older than its request.
import type { Gathered, Gathering } from '../../points/index.ts';
import type { Slices } from '../../runtime/index.ts';

export class SharedRead {
  readonly #slices: Slices;
  readonly #gather: () => Gathering;
  readonly #version: () => number;
  #running: Promise<Gathered> | undefined;
  #next: Promise<Gathered> | undefined;
  /** The last result, while it is in use and nothing has changed. */
  #last: { readonly version: number; readonly gathered: WeakRef<Gathered> } | undefined;

  /** Equal versions have equal bytes. */
  constructor(slices: Slices, gather: () => Gathering, version: () => number) {
    this.#slices = slices;
    this.#gather = gather;
    this.#version = version;
  }

  read(): Gathered | Promise<Gathered> {
    const last = this.#last?.version === this.#version() ? this.#last.gathered.deref() : undefined;
    if (last !== undefined) return last;
    if (this.#running === undefined) return this.#begin();
    const begin = () => {
      this.#next = undefined;
      return this.#begin();
    };
    this.#next ??= this.#running.then(begin, begin);
    return this.#next;
  }

  #begin(): Gathered | Promise<Gathered> {
    const version = this.#version();
    const gathered = this.#slices.run(this.#gather());
    if (!(gathered instanceof Promise)) return gathered;
    const running = gathered
      .then((whole) => {
        this.#last = { version, gathered: new WeakRef(whole as Gathered) };
        return whole as Gathered;
      })
      .finally(() => {
        if (this.#running === running) this.#running = undefined;
      });
    this.#running = running;
    return running;
  }
}
