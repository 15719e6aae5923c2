// What a site publishes of its live points and alarms, while a centre wants it.
import type { Clock } from '@telltale/schema';
import { type Batch, quality, type Value } from '@telltale/schema';
import type { Alarms } from '../../alarms/index.ts';
import type { Commands, Measurements } from '../../points/index.ts';
import type { BusConnection } from '../connection/bus-connection.ts';
import { FeedPublisher, type FeedSource } from './feed-publisher.ts';
import { shownAlarm, shownPoint } from './mirrored-definitions.ts';

export interface LivePublisherOptions {
  readonly bus: Pick<BusConnection, 'subscribe' | 'publish' | 'flushed' | 'mostBytes'>;
  readonly clock: Clock;
  readonly site: string;
  readonly measurements: Measurements;
  readonly commands: Commands;
  readonly alarms: Alarms;
}

/** Before the first rendering: it hears of every point. */
export class LivePublisher {
  readonly #feeds: readonly FeedPublisher[];

  constructor({ measurements, commands, alarms, ...options }: LivePublisherOptions) {
    const ofMeasurements = new FeedPublisher({ ...options, kind: 'measurements', source: sourceOf(measurements) });
    measurements.onChanges((changes) => ofMeasurements.changedAll(changes));
    measurements.onPut(() => ofMeasurements.defined());
    measurements.onRemoval(() => ofMeasurements.defined());

    const ofCommands = new FeedPublisher({ ...options, kind: 'commands', source: sourceOfCommands(commands) });
    commands.onChange((handle) => ofCommands.changed(handle));
    commands.onPut(() => ofCommands.defined());
    commands.onRemoval(() => ofCommands.defined());

    const ofAlarms = new FeedPublisher({ ...options, kind: 'alarms', source: sourceOfAlarms(alarms) });
    alarms.onChange((handle, isRemoved) => (isRemoved ? ofAlarms.defined() : ofAlarms.changed(handle)));
    alarms.onPut(() => ofAlarms.defined());

    this.#feeds = [ofMeasurements, ofCommands, ofAlarms];
  }

  /** How many kinds are wanted now. */
  get open(): number {
    return this.#feeds.filter(({ isOpen }) => isOpen).length;
  }

  start(): void {
    for (const feed of this.#feeds) feed.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#feeds.map((feed) => feed.stop()));
  }
}

function sourceOf(measurements: Measurements): FeedSource {
  return {
    items: () => measurements.all(),
    definitionOf: (handle) => definedOf(measurements.definitionAt(handle), shownPoint),
    write: (handle, batch) =>
      batch.value(
        handle,
        measurements.valueOf(handle) as Value,
        measurements.qualityOf(handle),
        measurements.timeOf(handle),
      ),
  };
}

/** Good: it was written, or is the initial value. */
function sourceOfCommands(commands: Commands): FeedSource {
  return {
    items: () => commands.all(),
    definitionOf: (handle) => definedOf(commands.definitionAt(handle), shownPoint),
    write: (handle, batch) => {
      const status = commands.hasValue(handle) ? quality.good : quality.bad.notConnected;
      batch.value(handle, commands.valueOf(handle) as Value, status, commands.timeOf(handle));
    },
  };
}

function sourceOfAlarms(alarms: Alarms): FeedSource {
  return {
    items: () => alarms.all(),
    definitionOf: (handle) => definedOf(alarms.definitionAt(handle), shownAlarm),
    write: (handle, batch: Batch) => {
      const { timeUs, name: _, ...state } = alarms.stateOf(handle);
      batch.text(handle, JSON.stringify(state), quality.good, timeUs);
    },
  };
}

function definedOf<Definition>(
  definition: Definition | undefined,
  shown: (of: Definition) => object,
): object | undefined {
  return definition === undefined ? undefined : shown(definition);
}
