// A connection in a test, to a stack that does what the test says.
import assert from 'node:assert/strict';
import { Batch, untilAborted, type Value } from '@telltale/schema';
import { ManualClock } from '@telltale/schema/testing';
import type { StackCommand, StackPoints } from '../src/connector.ts';
import { Connection } from '../src/link/connection.ts';
import type { Linked } from '../src/link/connection-options.ts';
import type { WriteOutcome } from '../src/link/link-writes.ts';
import { written } from '../src/write-result.ts';

export const never = new Promise<never>(() => {});
export const command: StackCommand = { id: 7, name: 'c', address: 'c', datatype: 'd', properties: {}, last: undefined };
/** By how many milliseconds the time of day is set while something lasts. */
export const timeSteps = [35_000, -3_600_000, 365 * 86_400_000];
export const points = (): StackPoints => ({ measurements: [], commands: [command] });

/** Lets everything happen that waits for nothing but its turn. */
export async function turns(): Promise<void> {
  for (let i = 0; i < 5; i++) await new Promise(setImmediate);
}

/** A connection to a stack that behaves but for what the test gives. */
export function setUp(script: Partial<Linked> = {}, create?: () => Promise<Linked>, random = () => 0) {
  const clock = new ManualClock();
  const events: string[] = [];
  const lines: string[] = [];
  const made: { publish: (batch: Batch) => void }[] = [];
  const log = (level: string) => (text: string) => lines.push(`${level} ${text}`);
  const publishes: { publish: (batch: Batch) => void } = { publish: () => assert.fail('nothing is made') };
  const connection = new Connection({
    create: async (publish) => {
      made.push({ publish });
      publishes.publish = publish;
      if (create !== undefined) return create();
      return {
        setPoints: () => undefined,
        connect: async () => undefined,
        run: untilAborted,
        write: async () => written.accepted,
        close: async () => undefined,
        ...script,
      };
    },
    clock,
    random,
    log: { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') },
    writeTimeoutMs: 3000,
    reconnectMaxMs: () => 5000,
    isMeasurement: (id) => id < 100,
    command: (id) => (id === command.id ? command : undefined),
    onAccepted: (_, value) => events.push(`accepted ${value}`),
    onReadings(batch) {
      events.push(`readings ${Array.from({ length: batch.count }, (_, at) => batch.valueAt(at)).join()}`);
      batch.clear();
      return 0;
    },
    onLink: (up, reason) => events.push(up ? 'up' : `down ${reason}`),
    onState: () => undefined,
  });
  const publish = (...values: number[]) => {
    const batch = new Batch();
    for (const [index, value] of values.entries()) batch.number(index, value, 192, clock.now());
    publishes.publish(batch);
    assert.equal(batch.count, 0);
  };
  const begin = async () => {
    connection.setPoints(points());
    await turns();
  };
  const pass = async (ms: number) => {
    clock.advance(ms);
    await turns();
  };
  const write = (commandId: number, value: Value, askedMs: number) =>
    connection.write([{ commandId, value }], askedMs)[0] as Promise<WriteOutcome>;
  return { clock, connection, events, lines, made, publish, begin, pass, write };
}
