// Starts and ends watches over the channel.
import type { Selector, WatchKind } from '@telltale/schema';
import type { Slices } from '../../runtime/index.ts';
import type { ChannelClient } from './channel-client.ts';
import type { Outcome } from './outcome.ts';
import type { Selection } from './selection-watches.ts';
import { WatchBatch } from './watch-batch.ts';
import type { Watches } from './watches.ts';

/** Names, or all there is, or what is selected. */
export type Watched = string[] | 'all' | Selector;

export interface WatchCall {
  readonly watches: Watches;
  readonly kind: WatchKind;
  readonly field: string;
  readonly client: ChannelClient;
  readonly what: Watched;
  readonly slices: Slices;
}

/** The answer comes first, then the present values. */
export function watch(call: WatchCall): Promise<Outcome> | Outcome {
  const { watches, kind, field, client, what, slices } = call;
  const watchable = watches.of(kind);
  if (what === 'all') return { afterwards: () => watchable.watchAll(client) };
  if (!Array.isArray(what)) return watchSelected(call, what);
  const isWatched = (name: string) => watchable.isWatchedBy(client, name);
  const batch = new WatchBatch(field, {
    has: (name) => watchable.has(client, name),
    isWatched,
    refusalOf: (name) => watchable.refusalOf?.(client, name),
  });
  const outcome = (): Outcome => {
    const refusal = batch.added === 0 ? undefined : watches.refuse(client, kind, batch.added);
    if (refusal !== undefined) throw refusal;
    return {
      ...(batch.results !== undefined && { results: batch.results }),
      afterwards: () => watchable.watch(client, batch.found),
    };
  };
  const taken = slices.run(batch.take(what), () => client.isOpen);
  return taken instanceof Promise ? taken.then(outcome) : outcome();
}

/** The answer has the number of the selection, and its notifications too. */
function watchSelected({ watches, kind, client }: WatchCall, selector: Selector): Promise<Outcome> | Outcome {
  const selections = watches.selectionsOf(kind);
  const outcome = (selection: Selection): Outcome => {
    const refusal = selection.clients.has(client) ? undefined : watches.refuse(client, kind, 0);
    if (refusal !== undefined || !client.isOpen) selections.end(client, selection);
    if (refusal !== undefined) throw refusal;
    return {
      more: { selection: String(selection.id) },
      afterwards: () => selections.watch(client, selection),
    };
  };
  const selection = selections.want(client, selector);
  return selection instanceof Promise ? selection.then(outcome) : outcome(selection);
}

/** With "all", everything ends that the client watches of this kind. */
export function unwatch(
  watches: Watches,
  kind: WatchKind,
  client: ChannelClient,
  what: Watched,
): Promise<Outcome> | Outcome {
  const watchable = watches.of(kind);
  if (what === 'all') watches.leaveKind(client, kind);
  else if (!Array.isArray(what)) watches.selectionsOf(kind).unwatch(client, what);
  const ended = Array.isArray(what) ? watchable.unwatch(client, what) : undefined;
  return ended === undefined ? {} : ended.then(() => ({}));
}
