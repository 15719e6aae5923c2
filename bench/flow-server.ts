// The real parts that a value passes in the server's main thread, put together as the server does it: from the batches
// that come from the threads of the stacks to the messages of watchers and the commit groups of the archive's thread.
import { type Alarm, Batch, type BatchMessage, type Measurement, systemClock } from '@telltale/schema';
import { Alarms } from '../packages/server/src/alarms/index.ts';
import type { ChannelClient } from '../packages/server/src/api/channel/channel-client.ts';
import { MeasurementWatches } from '../packages/server/src/api/channel/measurement-watches.ts';
import { Archiving } from '../packages/server/src/archive/index.ts';
import { RecordQueue } from '../packages/server/src/archive/record-queue.ts';
import { Commands, Measurements } from '../packages/server/src/points/index.ts';
import { Slices } from '../packages/server/src/runtime/index.ts';
import { StackIds } from '../packages/server/src/runtime/stack-ids.ts';
import type { Flow, Outcome } from './flow-plant.ts';
import { connector } from './plant.ts';

const clock = systemClock;
const nothing = async () => {};

export class FlowServer implements Flow {
  readonly #measurements = new Measurements({ clock, store: { saveSimulation: nothing, deleteSimulation: nothing } });
  readonly #alarms = new Alarms({
    clock,
    store: { saveAlarm: nothing, deleteAlarm: nothing },
    measurements: this.#measurements,
  });
  readonly #records = new RecordQueue({
    clock,
    commitMs: 50,
    maxPendingBytes: 1 << 26,
    send: () => this.#records.settled(),
    onDropped: (count) => {
      throw new Error(`${count} records were dropped`);
    },
  });
  readonly #archiving = new Archiving({
    clock,
    measurements: this.#measurements,
    commands: new Commands({ clock, store: { saveCommand: nothing, deleteCommand: nothing }, writeToDevice: nothing }),
    sink: this.#records,
    onJump: () => undefined,
  });
  readonly #watches: MeasurementWatches;
  /** Updates that are no changes: what was there when a client began to watch. */
  #present = 0;
  readonly #ids = new StackIds(clock);

  constructor() {
    const [measurements, alarms, archiving] = [this.#measurements, this.#alarms, this.#archiving];
    measurements.onChanges((changes) => archiving.onChanges(changes));
    measurements.onChanges((changes) => alarms.evaluate(changes));
    alarms.onChange((handle) => archiving.onAlarm({ ...alarms.stateOf(handle), description: '' }));
    this.#watches = new MeasurementWatches(measurements, clock, new Slices());
    measurements.putLink('connector', connector.name, undefined);
  }

  get outcome(): Outcome {
    const { transitions } = this.#alarms.counts();
    const { changed } = this.#measurements.counts;
    const records = this.#records.stored - transitions;
    return { changed, records, transitions, updates: this.#watches.delivered - this.#present };
  }

  put(point: Measurement, alarm: Alarm | undefined): void {
    this.#measurements.put(point);
    const handle = this.#measurements.find(point.name);
    this.#archiving.put('measurements', handle, point);
    this.#ids.assign('measurements', handle, this.#ids.reserve());
    if (alarm === undefined) return;
    this.#archiving.putAlarm(alarm);
    this.#alarms.put(alarm);
  }

  watch(handles: readonly number[]): void {
    const client = { isOpen: true, send: () => undefined, sendUpdates: () => true } as unknown as ChannelClient;
    this.#watches.watch(
      client,
      handles.map((handle) => this.#measurements.nameOf(handle)),
    );
    this.#present = this.#watches.delivered;
  }

  apply(message: BatchMessage): void {
    const batch = Batch.from(message);
    this.#ids.toHandles(batch);
    this.#measurements.readings(connector.name, batch);
  }

  flush(): void {
    this.#watches.flush();
    void this.#records.allStored();
  }

  close(): void {
    this.#archiving.close();
    void this.#alarms.close();
    this.#measurements.close();
  }
}
