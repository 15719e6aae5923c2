// Watches over the channel: begun and ended.
import type { ChannelRequestName } from '@telltale/schema';
import type { Slices } from '../../runtime/index.ts';
import type { ChannelClient } from './channel-client.ts';
import type { Handlers, Outcome } from './request-handler.ts';
import { WatchBatch } from './watch-batch.ts';
import { namesField, type Watches, type WatchKind } from './watches.ts';

type WatchName = Extract<ChannelRequestName, `${string}atch${string}s`>;

export function watchRequests(watches: Watches, slices: Slices): Pick<Handlers, WatchName> {
  return {
    WatchMeasurements: (client, { measurements }) => watch(watches, client, 'measurements', measurements, slices),
    UnwatchMeasurements: (client, { measurements }) => unwatch(watches, client, 'measurements', measurements),
    WatchCommands: (client, { commands }) => watch(watches, client, 'commands', commands, slices),
    UnwatchCommands: (client, { commands }) => unwatch(watches, client, 'commands', commands),
    WatchAlarms: (client, { alarms }) => watch(watches, client, 'alarms', alarms, slices),
    UnwatchAlarms: (client, { alarms }) => unwatch(watches, client, 'alarms', alarms),
    WatchFunctionModules: (client, { function_modules }) =>
      watch(watches, client, 'function_modules', function_modules, slices),
    UnwatchFunctionModules: (client, { function_modules }) =>
      unwatch(watches, client, 'function_modules', function_modules),
    WatchFunctionModuleLogs: (client, { function_modules }) =>
      watch(watches, client, 'function_module_logs', function_modules, slices),
    UnwatchFunctionModuleLogs: (client, { function_modules }) =>
      unwatch(watches, client, 'function_module_logs', function_modules),
    WatchConnectors: (client, { connectors }) => watch(watches, client, 'connectors', connectors, slices),
    UnwatchConnectors: (client, { connectors }) => unwatch(watches, client, 'connectors', connectors),
    WatchProviders: (client, { providers }) => watch(watches, client, 'providers', providers, slices),
    UnwatchProviders: (client, { providers }) => unwatch(watches, client, 'providers', providers),
  };
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
