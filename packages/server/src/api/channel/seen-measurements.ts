// The measurements that a client may view, by name, and all of them.
import type { Measurements } from '../../points/index.ts';
import type { ChannelClient } from './channel-client.ts';

export class SeenMeasurements {
  readonly #measurements: Measurements;

  constructor(measurements: Measurements) {
    this.#measurements = measurements;
  }

  /** -1 for a name that the client does not see. */
  find({ view }: ChannelClient, name: string): number {
    const handle = this.#measurements.find(name);
    return view === undefined || (handle >= 0 && view.measurements.has(handle)) ? handle : -1;
  }

  *handlesOf(client: ChannelClient, names: readonly string[]): Generator<number> {
    for (const name of names) yield this.find(client, name);
  }

  /** Some may be -1. */
  all({ view }: ChannelClient): Iterable<number> {
    return view === undefined ? this.#measurements.all() : view.measurements.handles();
  }
}
