// Watches over the channel: begun and ended.
import type { ChannelRequestName } from '@telltale/schema';
import type { Slices } from '../../runtime/index.ts';
import type { ChannelClient } from './channel-client.ts';
import type { Handler, Outcome } from './request-handler.ts';
import { WatchBatch } from './watch-batch.ts';
import { namesField, type Watches, type WatchKind, watchKinds } from './watches.ts';

type WatchName = Extract<ChannelRequestName, `${string}atch${string}s`>;

export function watchRequests(watches: Watches, slices: Slices): Pick<Record<ChannelRequestName, Handler>, WatchName> {
  const handlers: Partial<Record<ChannelRequestName, Handler>> = {};
  for (const [request, kind] of Object.entries(watchKinds)) {
    handlers[request as ChannelRequestName] = (client, fields) => {
      const names = fields[namesField(kind)] as string[] | 'all';
      return request.startsWith('Un')
        ? unwatch(watches, client, kind, names)
        : watch(watches, client, kind, names, slices);
    };
  }
  return handlers as Record<ChannelRequestName, Handler>;
}

/** The answer comes first, then the present values. */
function watch(
  watches: Watches,
  client: ChannelClient,
  of: WatchKind,
  names: string[] | 'all',
  slices: Slices,
): Promise<Outcome> | Outcome {
  const kind = watches.of(of);
  if (names === 'all') return { afterwards: () => kind.watchAll(client) };
  const isWatched = (name: string) => kind.isWatchedBy(client, name);
  const batch = new WatchBatch(namesField(of), { has: (name) => kind.has(name), isWatched });
  const outcome = (): Outcome => {
    const refusal = watches.refuse(client, of, batch.added);
    if (refusal !== undefined) throw refusal;
    return {
      ...(batch.results !== undefined && { results: batch.results }),
      afterwards: () => kind.watch(client, batch.found),
    };
  };
  const taken = slices.run(batch.take(names), () => client.isOpen);
  return taken instanceof Promise ? taken.then(outcome) : outcome();
}

function unwatch(
  watches: Watches,
  client: ChannelClient,
  of: WatchKind,
  names: string[] | 'all',
): Promise<Outcome> | Outcome {
  const kind = watches.of(of);
  if (names === 'all') kind.leave(client);
  const ended = names === 'all' ? undefined : kind.unwatch(client, names);
  return ended === undefined ? {} : ended.then(() => ({}));
}
