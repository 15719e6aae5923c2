// Watches over the channel: begun and ended, in slices where they are of many names.
import type { ChannelRequestName } from '@telltale/schema';
import { inSlices } from '../../runtime/index.ts';
import type { ChannelClient } from './channel-client.ts';
import { type Handler, manyItems, type Outcome } from './request-handler.ts';
import { WatchBatch } from './watch-batch.ts';
import { namesField, type Watchable, type Watches, type WatchKind, watchKinds } from './watches.ts';

type WatchName = Extract<ChannelRequestName, `${string}atch${string}s`>;

export function watchRequests(watches: Watches): Pick<Record<ChannelRequestName, Handler>, WatchName> {
  const handlers: Partial<Record<ChannelRequestName, Handler>> = {};
  for (const [request, kind] of Object.entries(watchKinds)) {
    const carryOut = request.startsWith('Un') ? unwatch : watch;
    handlers[request as ChannelRequestName] = (client, fields) =>
      carryOut(watches, client, kind, fields[namesField(kind)] as string[] | 'all');
  }
  return handlers as Record<ChannelRequestName, Handler>;
}

/** The answer comes first, then the present values. */
function watch(
  watches: Watches,
  client: ChannelClient,
  of: WatchKind,
  names: string[] | 'all',
): Promise<Outcome> | Outcome {
  const kind = watches.of(of);
  if (names === 'all') {
    return {
      afterwards: () => {
        kind.watchAll(client);
        return undefined;
      },
    };
  }
  const refusal = watches.refuse(client, of, names.length);
  if (refusal !== undefined) throw refusal;
  const batch = new WatchBatch(namesField(of), (name) => kind.has(name));
  const outcome = (): Outcome => ({
    ...(batch.results !== undefined && { results: batch.results }),
    afterwards: () => kind.watch(client, batch.found),
  });
  if (names.length > manyItems) return inSlices(names, (name) => batch.take(name)).then(outcome);
  for (const name of names) batch.take(name);
  return outcome();
}

function unwatch(
  watches: Watches,
  client: ChannelClient,
  of: WatchKind,
  names: string[] | 'all',
): Promise<Outcome> | Outcome {
  const kind = watches.of(of);
  if (names === 'all') kind.leave(client);
  else if (names.length > manyItems) return unwatchMany(client, kind, names);
  else kind.unwatch(client, names);
  return {};
}

/** So many at a time as one turn takes. */
async function unwatchMany(client: ChannelClient, kind: Watchable, names: readonly string[]): Promise<Outcome> {
  const starts = Array.from({ length: Math.ceil(names.length / manyItems) }, (_, at) => at * manyItems);
  await inSlices(starts, (start) => kind.unwatch(client, names.slice(start, start + manyItems)));
  return {};
}
