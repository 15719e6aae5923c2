// The order in which the requests of a client start: that of arrival. While one starts in slices, those behind it wait,
// and no more are read from the client.
import type { ChannelClient } from './channel-client.ts';

export class RequestOrder {
  /** Of clients one of whose requests begins bit by bit: the end of the beginning of the last one. */
  readonly #last = new WeakMap<ChannelClient, Promise<void>>();

  /** What has to end before the next one may begin; undefined where it may at once. */
  before(client: ChannelClient): Promise<void> | undefined {
    return this.#last.get(client);
  }

  /** The client's next requests wait until the function that it gives is called. */
  hold(client: ChannelClient): () => void {
    const { promise: begun, resolve } = Promise.withResolvers<void>();
    this.#last.set(client, begun);
    client.hold();
    begun.then(() => {
      if (this.#last.get(client) !== begun) return;
      this.#last.delete(client);
      client.release();
    });
    return resolve;
  }
}
