// A host with the stacks of the tests in real threads, and everything that it reports.
import assert from 'node:assert/strict';
import { afterEach } from 'node:test';
import { type Clock, ProblemError, type Value } from '@telltale/schema';
import { ManualClock } from '@telltale/schema/testing';
import type { StackCommand, StackPoint } from '@telltale/stack-kit';
import { pino } from 'pino';
import { packPoints, StackHost } from '../src/stacks/index.ts';

const moduleOf = (file: string) => new URL(`stacks/${file}`, import.meta.url).href;
const stackModules = ['line-device.ts', 'trial.ts', 'broken.ts', 'unloadable.ts', 'heavy.ts'].map(moduleOf);

export const point = (id: number, address = 'good'): StackPoint => ({
  id,
  name: `p${id}`,
  address,
  datatype: 'd',
  properties: {},
});

export const command = (id: number, address: string): StackCommand => ({ ...point(id, address), last: undefined });

export interface HostSetup {
  readonly threads?: number;
  readonly clock?: Clock;
  readonly maxHeapMb?: number;
  readonly writeTimeoutMs?: number;
  readonly secretsFolder?: string;
  readonly lease?: SharedArrayBuffer;
  readonly providerWrite?: (value: Value) => Promise<void>;
}

/** For a file of tests: what is in `running`, and each host of `setUp`, is closed after the test. */
export function hostsOfTests() {
  const running: { close(): unknown }[] = [];
  afterEach(async () => {
    for (const each of running.splice(0).reverse()) await each.close();
  });
  const setUp = async (setup?: HostSetup) => {
    const bench = await startHost(setup);
    running.push(bench);
    return bench;
  };
  return { running, setUp };
}

/** To be closed by `close`. */
export async function startHost({
  providerWrite = async () => undefined,
  writeTimeoutMs = 5000,
  ...more
}: HostSetup = {}) {
  const events: string[] = [];
  const failures: Error[] = [];
  const lines: { msg: string; connector?: string; provider?: string; thread?: number }[] = [];
  const hooks = { readings: () => {}, restarted: () => {} };
  const host = new StackHost({
    threads: 1,
    secretsFolder: 'no-folder',
    ...more,
    stackModules,
    writeTimeoutMs,
    maxClockSkewMs: 60_000,
    folder: 'no-folder',
    log: pino({ level: 'debug', base: null }, { write: (line: string) => lines.push(JSON.parse(line)) }),
    onFailure: (error) => failures.push(error),
    events: {
      readings(connector, batch) {
        for (let at = 0; at < batch.count; at++) events.push(`${connector} ${batch.points[at]}=${batch.valueAt(at)}`);
        hooks.readings();
      },
      deviceAlarms(connector, states) {
        for (const { id, isActive, isAcknowledged } of states)
          events.push(`${connector} alarm ${id} ${isActive} ${isAcknowledged}`);
      },
      link: (role, name, up, reason) => void events.push(`${role} ${name} ${up ? 'up' : `down ${reason}`}`),
      silent: (role, name, silence) => void events.push(`${role} ${name} ${silence ?? 'heard'}`),
      providerWrite: (_, __, value) => providerWrite(value),
      providerAcknowledge: async () => undefined,
      providerSignIn: async (_, { user }) => ({ session: 1, name: user, view: [{}] }),
      providerSignOut: () => undefined,
      providerHistory: async () => [],
      pastReadings: async (_, { count }) => ({ stored: 0, dropped: count }),
      newestRecords: async () => [],
      restarted(instances) {
        events.push(`restarted ${instances.map(({ name }) => name)}`);
        hooks.restarted();
      },
    },
  });
  const until = async (what: () => unknown) => {
    while (!what()) await new Promise((resolve) => setTimeout(resolve, 2));
  };
  const start = (name: string, mode = 'good', addresses: string[] = []) => {
    host.start('connector', { name, stackName: 'trial', vars: { mode }, properties: {} });
    give(name, addresses);
  };
  const give = (name: string, addresses: string[] = []) => {
    const commands = addresses.map((a, i) => command(10 + i, a));
    host.putPoints('connector', name, packPoints({ measurements: [point(1)], commands }));
    host.pointsDone('connector', name);
  };
  /** A stack has got a write by which it blocks its thread. */
  const untilBlocked = () => until(() => lines.some(({ msg }) => msg === 'blocks'));
  const status = (name: string) => host.status().find((each) => each.name === name);
  /** With the clock of the test, which nobody moves any more: a thread that is blocked ends by it alone. */
  const close = async () => {
    const closed = host.close(2000);
    if (more.clock instanceof ManualClock) more.clock.advance(2000);
    await closed;
  };
  return { host, events, lines, hooks, failures, until, start, give, status, untilBlocked, close };
}

/** Threads that wait at the gate go on. */
export function openGate(): void {
  const gate = new BroadcastChannel('gate');
  gate.postMessage('open');
  gate.close();
}

/** The problem and the words for people. */
export const problemOf = (promise: Promise<unknown>) =>
  promise.then(
    () => assert.fail('it was accepted'),
    (error: unknown) => {
      assert.ok(error instanceof ProblemError, String(error));
      return `${error.problem}: ${error.message}`;
    },
  );
