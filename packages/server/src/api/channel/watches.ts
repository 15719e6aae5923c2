// All that a client of the channel can watch.
import { type ChannelRequestName, type Clock, ProblemError } from '@telltale/schema';
import type { FunctionModules } from '../../modules/index.ts';
import type { DataAccess } from '../data/index.ts';
import type { StackAccess } from '../diagnostics/index.ts';
import type { ChannelClient } from './channel-client.ts';
import { ItemWatches } from './item-watches.ts';
import { LogWatches, type WatchedLogs } from './log-watches.ts';
import { MeasurementWatches } from './measurement-watches.ts';

/** One kind of watch, as the requests see it. */
export interface Watchable {
  has(name: string): boolean;
  countOf(client: ChannelClient): number;
  /** Of many names the watch begins bit by bit, and resolves when all of it has. */
  watch(client: ChannelClient, names: readonly string[]): Promise<void> | undefined;
  watchAll(client: ChannelClient): void;
  unwatch(client: ChannelClient, names: readonly string[]): void;
  leave(client: ChannelClient): void;
}

export interface WatchesOptions {
  readonly data: DataAccess;
  readonly modules: WatchedLogs & Pick<FunctionModules, 'status' | 'onChange'>;
  readonly stacks: Pick<StackAccess, 'has' | 'names' | 'stateText' | 'onState'>;
  readonly clock: Clock;
  /** Names that one client may watch, of each kind. */
  readonly maxWatches: number;
}

/** So many are watched at once; of more, the watch begins in slices. */
const manyNames = 5000;

export class Watches {
  readonly measurements: MeasurementWatches;
  readonly #kinds: Readonly<Record<WatchKind, Watchable>>;
  readonly #items: readonly { readonly count: number }[];
  readonly #maxWatches: number;

  constructor({ data, modules, stacks, clock, maxWatches }: WatchesOptions) {
    const { commands, alarms } = data;
    this.#maxWatches = maxWatches;
    this.measurements = new MeasurementWatches(data.measurements, clock);
    const commandWatches = new ItemWatches({
      notification: 'CommandUpdateNotification',
      list: 'updates',
      clock,
      has: (name) => commands.find(name) >= 0,
      names: () => namesOf(commands),
      text: (name) => commandText(data, name),
    });
    const alarmWatches = new ItemWatches({
      notification: 'AlarmStateChangeNotification',
      list: 'changes',
      clock,
      has: (name) => alarms.find(name) >= 0,
      names: () => alarms.names(),
      text: (name) => alarms.text(alarms.find(name)),
    });
    const moduleWatches = new ItemWatches({
      notification: 'FunctionModuleUpdateNotification',
      list: 'updates',
      clock,
      has: (name) => modules.has(name),
      names: () => modules.names(),
      text: (name) => JSON.stringify(modules.status(name)),
    });
    const logWatches = new LogWatches(modules);
    const [connectorWatches, providerWatches] = (['connector', 'provider'] as const).map(
      (role) =>
        new ItemWatches({
          notification: role === 'connector' ? 'ConnectorUpdateNotification' : 'ProviderUpdateNotification',
          list: 'updates',
          clock,
          has: (name) => stacks.has(role, name),
          names: () => stacks.names(role),
          text: (name) => stacks.stateText(role, name),
        }),
    ) as [ItemWatches, ItemWatches];
    commands.onChange((handle) => commandWatches.changed(commands.nameOf(handle), false));
    commands.onRemoval((handle) => commandWatches.changed(commands.nameOf(handle), true));
    alarms.onChange((handle, isRemoved) => alarmWatches.changed(alarms.alarmOf(handle).name, isRemoved));
    modules.onChange((name, isRemoved) => moduleWatches.changed(name, isRemoved));
    stacks.onState((role, name, text, isRemoved) => {
      (role === 'connector' ? connectorWatches : providerWatches).changed(name, isRemoved, text);
    });
    this.#items = [commandWatches, alarmWatches, moduleWatches, logWatches, connectorWatches, providerWatches];
    this.#kinds = {
      measurements: byHandle(this.measurements, data),
      commands: commandWatches,
      alarms: alarmWatches,
      function_modules: moduleWatches,
      function_module_logs: logWatches,
      connectors: connectorWatches,
      providers: providerWatches,
    };
  }

  /** How many watches there are, of all kinds and clients. */
  get count(): number {
    return this.#items.reduce((sum, items) => sum + items.count, this.measurements.count);
  }

  of(kind: WatchKind): Watchable {
    return this.#kinds[kind];
  }

  /** Why the client may not watch so many more; undefined where it may. */
  refuse(client: ChannelClient, kind: WatchKind, more: number): ProblemError | undefined {
    const most = this.#maxWatches;
    if (this.of(kind).countOf(client) + more <= most) return undefined;
    return new ProblemError(
      'too-many-watches',
      `A client may watch ${most} ${kind} by name; --max-watches sets the limit.`,
    );
  }

  leave(client: ChannelClient): void {
    for (const kind of Object.values(this.#kinds)) kind.leave(client);
  }
}

export type WatchKind =
  | 'measurements'
  | 'commands'
  | 'alarms'
  | 'function_modules'
  | 'function_module_logs'
  | 'connectors'
  | 'providers';

/** What a request begins or ends the watch of. */
export const watchKinds: Partial<Record<ChannelRequestName, WatchKind>> = {
  WatchMeasurements: 'measurements',
  UnwatchMeasurements: 'measurements',
  WatchCommands: 'commands',
  UnwatchCommands: 'commands',
  WatchAlarms: 'alarms',
  UnwatchAlarms: 'alarms',
  WatchFunctionModules: 'function_modules',
  UnwatchFunctionModules: 'function_modules',
  WatchFunctionModuleLogs: 'function_module_logs',
  UnwatchFunctionModuleLogs: 'function_module_logs',
  WatchConnectors: 'connectors',
  UnwatchConnectors: 'connectors',
  WatchProviders: 'providers',
  UnwatchProviders: 'providers',
};

/** The field of a watch request that carries the names. */
export const namesField = (kind: WatchKind) => (kind === 'function_module_logs' ? 'function_modules' : kind);

function byHandle(watches: MeasurementWatches, { measurements }: DataAccess): Watchable {
  const handlesOf = (names: readonly string[]) =>
    [...new Set(names)].map((name) => measurements.find(name)).filter((handle) => handle >= 0);
  return {
    has: (name) => measurements.find(name) >= 0,
    countOf: (client) => watches.countOf(client),
    watch(client, names) {
      if (names.length > manyNames) return watches.join(client, names);
      watches.watch(client, handlesOf(names));
      return undefined;
    },
    watchAll: (client) => watches.watchAll(client),
    unwatch: (client, names) => watches.unwatch(client, handlesOf(names)),
    leave: (client) => watches.leave(client),
  };
}

function* namesOf(commands: DataAccess['commands']): Generator<string> {
  for (const handle of commands.all()) yield commands.nameOf(handle);
}

function commandText({ commands }: DataAccess, name: string): string {
  const handle = commands.find(name);
  const item = Buffer.allocUnsafe(commands.wire.itemLength(handle));
  commands.wire.writeItem(handle, item, 0);
  return item.toString('utf8', 0, item.length - 1);
}
