// Starts and ends watches over the channel.
import type { WatchKind } from '@telltale/schema';
import type { Slices } from '../../runtime/index.ts';
import type { ChannelClient } from './channel-client.ts';
import type { Outcome } from './outcome.ts';
import { WatchBatch } from './watch-batch.ts';
import type { Watchable, Watches } from './watches.ts';

export interface WatchCall {
  readonly watches: Watches;
  readonly kind: WatchKind;
  readonly field: string;
  readonly client: ChannelClient;
  readonly names: string[] | 'all';
  readonly slices: Slices;
}

/** The answer comes first, then the present values. */
export function watch({ watches, kind, field, client, names, slices }: WatchCall): Promise<Outcome> | Outcome {
  const watchable = watches.of(kind);
  if (names === 'all') return { afterwards: () => watchable.watchAll(client) };
  const isWatched = (name: string) => watchable.isWatchedBy(client, name);
  const batch = new WatchBatch(field, { has: (name) => watchable.has(name), isWatched });
  const outcome = (): Outcome => {
    const refusal = watches.refuse(client, kind, batch.added);
    if (refusal !== undefined) throw refusal;
    return {
      ...(batch.results !== undefined && { results: batch.results }),
      afterwards: () => watchable.watch(client, batch.found),
    };
  };
  const taken = slices.run(batch.take(names), () => client.isOpen);
  return taken instanceof Promise ? taken.then(outcome) : outcome();
}

export function unwatch(
  watchable: Watchable,
  client: ChannelClient,
  names: string[] | 'all',
): Promise<Outcome> | Outcome {
  if (names === 'all') watchable.leave(client);
  const ended = names === 'all' ? undefined : watchable.unwatch(client, names);
  return ended === undefined ? {} : ended.then(() => ({}));
}
