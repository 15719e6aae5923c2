// All that a client of the channel can watch.
import { type Clock, ProblemError, type WatchKind } from '@telltale/schema';
import { allRights, type Rights } from '../../access/index.ts';
import type { FunctionModules } from '../../modules/index.ts';
import type { LiveData, StackAccess, View, Views } from '../../operations/index.ts';
import type { Slices } from '../../runtime/index.ts';
import type { ChannelClient } from './channel-client.ts';
import { ItemSelections } from './item-selections.ts';
import { ItemWatches } from './item-watches.ts';
import { LogWatches, type WatchedLogs } from './log-watches.ts';
import { MeasurementSelections } from './measurement-selections.ts';
import { MeasurementWatches } from './measurement-watches.ts';
import type { SelectionWatches } from './selection-watches.ts';

export interface Watchable {
  /** Of all clients. */
  readonly count: number;
  /** Whether there is such a thing that the client may view. */
  has(client: ChannelClient, name: string): boolean;
  /** Why it may not watch it, though it may view it; undefined where it may. */
  refusalOf?(client: ChannelClient, name: string): ProblemError | undefined;
  /** How many names it watches; 0 where it watches everything. */
  countOf(client: ChannelClient): number;
  /** By its name, or with all there is. */
  isWatchedBy(client: ChannelClient, name: string): boolean;
  /** Each of very many begins, or ends, bit by bit, and resolves when all of it has. */
  watch(client: ChannelClient, names: readonly string[]): Promise<void> | undefined;
  watchAll(client: ChannelClient): Promise<void> | undefined;
  unwatch(client: ChannelClient, names: readonly string[]): Promise<void> | undefined;
  leave(client: ChannelClient): void;
}

export interface WatchesOptions {
  readonly data: LiveData;
  readonly modules: WatchedLogs & Pick<FunctionModules, 'areaOf' | 'status' | 'onChange'>;
  readonly stacks: Pick<StackAccess, 'has' | 'areaOf' | 'names' | 'stateText' | 'onState'>;
  readonly clock: Clock;
  readonly maxWatches: number;
}

export class Watches {
  readonly measurements: MeasurementWatches;
  readonly #measurementSelections: MeasurementSelections;
  readonly #selections: Partial<Record<WatchKind, SelectionWatches>>;
  readonly #kinds: Readonly<Record<WatchKind, Watchable>>;
  readonly #views: Views;
  readonly #maxWatches: number;
  readonly #slices: Slices;

  constructor({ data, modules, stacks, clock, maxWatches }: WatchesOptions) {
    const { commands, alarms, slices } = data;
    this.#views = data.views;
    this.#maxWatches = maxWatches;
    this.#slices = slices;
    this.measurements = new MeasurementWatches(data.measurements, clock, slices);
    const commandWatches = new ItemWatches({
      notification: 'CommandUpdateNotification',
      list: 'updates',
      clock,
      slices,
      has: (name) => commands.find(name) >= 0,
      isSeenBy: ({ view }, name) => view?.commands.has(commands.find(name)) ?? true,
      names: () => namesOf(commands),
      text: (name) => commandText(data, commands.find(name)),
    });
    const alarmWatches = new ItemWatches({
      notification: 'AlarmStateChangeNotification',
      list: 'changes',
      clock,
      slices,
      has: (name) => alarms.find(name) >= 0,
      isSeenBy: ({ view }, name) => view?.alarms.has(alarms.find(name)) ?? true,
      names: () => alarms.names(),
      text: (name) => alarms.text(alarms.find(name)),
    });
    const moduleWatches = new ItemWatches({
      notification: 'FunctionModuleUpdateNotification',
      list: 'updates',
      clock,
      slices,
      has: (name) => modules.has(name),
      isSeenBy: ({ view }, name) => view?.sees(name, modules.areaOf(name)) ?? true,
      names: () => modules.names(),
      text: (name) => JSON.stringify(modules.status(name)),
    });
    const [connectorWatches, providerWatches] = (['connector', 'provider'] as const).map(
      (role) =>
        new ItemWatches({
          notification: role === 'connector' ? 'ConnectorUpdateNotification' : 'ProviderUpdateNotification',
          list: 'updates',
          clock,
          slices,
          has: (name) => stacks.has(role, name),
          isSeenBy: ({ view }, name) => view?.sees(name, stacks.areaOf(role, name)) ?? true,
          names: () => stacks.names(role, allRights),
          text: (name) => stacks.stateText(role, name),
        }),
    ) as [ItemWatches, ItemWatches];
    const { selections } = data;
    this.#measurementSelections = new MeasurementSelections({
      measurements: data.measurements,
      index: selections.measurements,
      visibleTo: ({ view }) => view?.measurements,
      clock,
      slices,
    });
    const commandSelections = new ItemSelections({
      notification: 'CommandUpdateNotification',
      list: 'updates',
      index: selections.commands,
      visibleTo: ({ view }) => view?.commands,
      clock,
      slices,
      onPut: (listener) => commands.onPut(listener),
      text: (handle) => commandText(data, handle),
    });
    const alarmSelections = new ItemSelections({
      notification: 'AlarmStateChangeNotification',
      list: 'changes',
      index: selections.alarms,
      visibleTo: ({ view }) => view?.alarms,
      clock,
      slices,
      onPut: (listener) => alarms.onPut(listener),
      text: (handle) => alarms.text(handle),
    });
    this.#selections = {
      measurements: this.#measurementSelections,
      commands: commandSelections,
      alarms: alarmSelections,
    };
    commands.onChange((handle) => commandSelections.changed(handle, false));
    commands.onRemoval((handle) => commandSelections.changed(handle, true));
    alarms.onChange((handle, isRemoved) => alarmSelections.changed(handle, isRemoved));
    commands.onChange((handle) => commandWatches.changed(commands.nameOf(handle), false));
    commands.onRemoval((handle) => commandWatches.changed(commands.nameOf(handle), true));
    alarms.onAdded((handle) => alarmWatches.changed(alarms.alarmOf(handle).name, false));
    alarms.onChange((handle, isRemoved) => alarmWatches.changed(alarms.alarmOf(handle).name, isRemoved));
    commands.onPut((handle) => commandWatches.defined(commands.nameOf(handle)));
    alarms.onPut((handle) => alarmWatches.defined(alarms.alarmOf(handle).name));
    modules.onChange((name, isRemoved) => moduleWatches.changed(name, isRemoved));
    stacks.onState((role, name, text, isRemoved) => {
      (role === 'connector' ? connectorWatches : providerWatches).changed(name, isRemoved, text);
    });
    this.#kinds = {
      measurements: this.measurements,
      commands: commandWatches,
      alarms: alarmWatches,
      function_modules: moduleWatches,
      function_module_logs: new LogWatches(modules),
      connectors: connectorWatches,
      providers: providerWatches,
    };
  }

  /** What a client with these rights is told of; undefined: of everything. */
  viewOf(rights: Rights): View | undefined {
    return this.#views.of(rights);
  }

  /** How many watches there are, of all kinds and clients. */
  get count(): number {
    const all = [...Object.values(this.#kinds), ...Object.values(this.#selections)];
    return all.reduce((sum, { count }) => sum + count, 0);
  }

  /** Of measurements: values handed to clients, and updates skipped for newer ones. */
  get updates(): { readonly delivered: number; readonly skipped: number } {
    const [named, selected] = [this.measurements, this.#measurementSelections];
    return { delivered: named.delivered + selected.delivered, skipped: named.skipped + selected.skipped };
  }

  /** Hands on what was gathered of measurements. */
  flushMeasurements(): void {
    this.measurements.flush();
    this.#measurementSelections.flush();
  }

  /** Of what can be watched by selector. */
  selectionsOf(kind: WatchKind): SelectionWatches {
    const selections = this.#selections[kind];
    if (selections === undefined) throw new ProblemError('invalid-query', `${kind} are not watched by selector.`);
    return selections;
  }

  of(kind: WatchKind): Watchable {
    return this.#kinds[kind];
  }

  /** Why the client may not watch so many more; undefined where it may. */
  refuse(client: ChannelClient, kind: WatchKind, more: number): ProblemError | undefined {
    const most = this.#maxWatches;
    const count = this.of(kind).countOf(client) + (this.#selections[kind]?.countOf(client) ?? 0);
    if (count + more <= most) return undefined;
    return new ProblemError(
      'too-many-watches',
      `A client may watch ${most} ${kind} by name and by selector; --max-watches sets the limit.`,
    );
  }

  /** Resolves when there may be more long work for clients. */
  nextTurn(): Promise<void> {
    return this.#slices.next();
  }

  leaveKind(client: ChannelClient, kind: WatchKind): void {
    this.of(kind).leave(client);
    this.#selections[kind]?.leave(client);
  }

  leave(client: ChannelClient): void {
    for (const kind of Object.keys(this.#kinds) as WatchKind[]) this.leaveKind(client, kind);
  }
}

function* namesOf(commands: LiveData['commands']): Generator<string> {
  for (const handle of commands.all()) yield commands.nameOf(handle);
}

function commandText({ commands }: LiveData, handle: number): string {
  const item = Buffer.allocUnsafe(commands.wire.itemLength(handle));
  commands.wire.writeItem(handle, item, 0);
  return item.toString('utf8', 0, item.length - 1);
}
