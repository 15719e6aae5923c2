// The simulator before the conformance suite. Its device is its own provider, and the other way round: between the two
// is a bus in memory, so that what befalls a network does not apply.
import type { Value } from '@telltale/schema';
import { Batch, quality, systemClock } from '@telltale/schema';
import { type StackCommand, type StackPoint, written } from '@telltale/stack-kit';
import {
  accepted,
  type ConnectorWorld,
  conformance,
  connectorOptions,
  type ProviderWorld,
  providerOptions,
  type SamplePoint,
  type Seen,
} from '@telltale/stack-kit/testing';
import { createConnector } from '../src/connector.ts';
import { createProvider } from '../src/provider.ts';
import stack from '../src/stack.ts';

const measurements: SamplePoint[] = [
  { address: 'level', datatype: 'd', values: [1.5, 2.5, 3.5] },
  { address: 'count', datatype: 'l', values: [9007199254740993n, -1n, 0n] },
  { address: 'state', datatype: 's', values: ['open', 'closing', 'closed'] },
  { address: 'on', datatype: 'b', values: [true, false] },
];
const commands: SamplePoint[] = [{ address: 'setpoint', datatype: 'i', values: [71, 72, 73] }];

/** As a simulator connector reads and writes what a provider serves. */
const onBus = (samples: readonly SamplePoint[]) =>
  samples.map((sample) => ({ ...sample, address: `bus(${sample.address})` }));
const tagOf = (address: string) => address.slice('bus('.length, -1);
const numbered = (samples: readonly SamplePoint[], from: number): StackPoint[] =>
  samples.map(({ address, datatype }, index) => ({
    id: from + index,
    name: address.replace(/\W/g, '_'),
    address,
    datatype,
    properties: {},
  }));
const asCommands = (points: readonly StackPoint[]): StackCommand[] =>
  points.map((point) => ({ ...point, last: undefined }));

const connector: ConnectorWorld = {
  stack,
  transport: 'none',
  recognisesGarbling: true,
  async startDevice() {
    const values = new Map<string, Value>();
    const locked: SamplePoint = { address: 'locked', datatype: 'i', values: [0, 1] };
    const points = [...numbered(measurements, 1), ...numbered([...commands, locked], 100)];
    const set = (address: string, value: Value) => {
      const point = points.find((each) => each.address === address);
      if (point === undefined) throw new Error(`there is no ${address}`);
      values.set(address, value);
      const batch = new Batch();
      batch.value(point.id, value, quality.good, systemClock.now());
      provider.publish(batch);
    };
    const provider = createProvider(
      providerOptions({
        variables: { bus: 'conformance_of_connector', gatherMs: 0 },
        write: async ({ address }, value) => {
          if (address === 'locked') return written.refused('it is locked');
          set(address, value);
          return written.accepted;
        },
      }),
    );
    provider.setPoints({
      measurements: points.filter(({ id }) => id < 100),
      commands: asCommands(points.filter(({ id }) => id >= 100)),
    });
    await provider.connect(new AbortController().signal);
    return {
      port: 0,
      set: (address, value) => set(tagOf(address), value),
      get: (address) => values.get(tagOf(address)),
      stop: () => provider.close(),
    };
  },
  variables: () => ({ scanPeriodMs: '20', bus: 'conformance_of_connector' }),
  badVariables: [{ scanPeriodMs: '0' }, { speed: '0' }, { bus: 'no bus' }],
  measurements: onBus(measurements),
  commands: onBus(commands),
  refused: { address: 'bus(locked)', datatype: 'i', value: 5 },
  unknown: 'a tag that nobody serves may be served at any time: it is not connected',
};

const provider: ProviderWorld = {
  stack,
  transport: 'none',
  variables: () => ({ bus: 'conformance_of_provider', gatherMs: '0' }),
  badVariables: [{ gatherMs: '-1' }, { bus: '' }],
  writesFail: { refused: /^refused/, notSent: /^notSent/, unknown: /^unknown/ },
  async connectClient() {
    const seen = new Map<string, Seen>();
    const points = numbered(onBus([...measurements, ...commands]), 1);
    const written = asCommands(numbered(onBus([...commands, ...measurements]), 100));
    const client = createConnector(
      connectorOptions({
        variables: { scanPeriodMs: 10, speed: 1, seed: 1, bus: 'conformance_of_provider' },
        publish(batch) {
          for (let at = 0; at < batch.count; at++) {
            const tag = tagOf(points.find(({ id }) => id === batch.points[at])?.address ?? '');
            const isGood = batch.qualities[at] === quality.good;
            seen.set(tag, { value: batch.valueAt(at) ?? seen.get(tag)?.value, isGood, timeUs: batch.times[at] });
          }
          batch.clear();
        },
      }),
    );
    client.setPoints({ measurements: points, commands: written });
    const controller = new AbortController();
    await client.connect(controller.signal);
    const running = client.run(controller.signal);
    return {
      read: async (address) => seen.get(address) ?? { value: undefined, isGood: false },
      async write(address, value) {
        const command = written.find((each) => tagOf(each.address) === address);
        if (command === undefined) throw new Error(`there is no ${address}`);
        await accepted(client.write(command, value, controller.signal));
      },
      async close() {
        controller.abort();
        await running;
        await client.close();
      },
    };
  },
  measurements,
  commands,
};

conformance('the simulator', { connector, provider });
