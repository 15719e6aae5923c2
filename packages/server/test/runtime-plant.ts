// What the tests of the runtime are made of: a bench with devices, which ends with its test, and objects in a few words.
import { afterEach } from 'node:test';
import type { Command, Connector, Measurement } from '@telltale/schema';
import { LineDevice } from './line-device.ts';
import { RuntimeBench } from './runtime-bench.ts';

const running: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of running.splice(0).reverse()) await each.close();
});

/** One device for each record of values. */
export async function setUp(...deviceValues: Record<string, number>[]) {
  return setUpThreads(1, ...deviceValues);
}

export async function setUpThreads(threads: number, ...deviceValues: Record<string, number>[]) {
  const devices: LineDevice[] = [];
  for (const values of deviceValues) devices.push(await LineDevice.start(values));
  const bench = await RuntimeBench.start(threads);
  running.push(...devices, bench);
  return { bench, devices: devices as [LineDevice, LineDevice] };
}

export const line = (name: string, { port }: LineDevice, more: Partial<Connector> = {}): Connector => ({
  name,
  stackName: 'line_device',
  vars: { port },
  ...more,
});
export const trial = (name: string, mode = 'good'): Connector => ({ name, stackName: 'trial', vars: { mode } });
export const measurement = (name: string, connectorName: string, more: Partial<Measurement> = {}): Measurement => ({
  name,
  datatype: 'd',
  connectorName,
  address: name,
  ...more,
});
export const command = (name: string, connectorName: string, address = name): Command => ({
  name,
  datatype: 'd',
  connectorName,
  address,
});
