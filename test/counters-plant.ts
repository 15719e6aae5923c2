// A plant of counters that rise by one as often as they are told to (test/stacks/counters), for tests under load.
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import type { Operation } from '@telltale/schema';
import type { ServerProcess } from './server-process.ts';

const stacks = fileURLToPath(new URL('./stacks', import.meta.url));

/** The server is started with these. */
export const countersArgs: readonly string[] = ['--stacks', stacks];

const word = 'counter_with_a_name_of_an_ordinary_length_';

export function counterName(number: number): string {
  return `${word}${String(number).padStart(6, '0')}`;
}

export function counterNumber(name: string): number {
  return Number(name.slice(word.length));
}

export interface CountersOptions {
  readonly points: number;
  readonly periodMs: number;
  readonly alarms: readonly string[];
  readonly archMode?: 'change';
}

export async function makeCounters(server: ServerProcess, { points, periodMs, alarms, archMode }: CountersOptions) {
  const put = (family: Operation['family'], name: string, fields: object) =>
    ({ operation: 'put', family, name, object: { name, ...fields } }) as Operation;
  const counter = (number: number) =>
    put('measurements', counterName(number), {
      datatype: 'i',
      connectorName: 'counters',
      address: `c${number}`,
      ...(archMode && { archMode }),
    });
  const operations = [
    put('connectors', 'counters', { stackName: 'counters', vars: { periodMs: String(periodMs) } }),
    put('commands', 'ticks', { datatype: 'i', connectorName: 'counters', address: 'ticks' }),
    ...alarms.map((name) => put('alarms', name, { severity: 1 })),
    ...Array.from({ length: points }, (_, number) => counter(number)),
  ];
  const response = await server.send('POST', '/cfgdb/txn?render=1', { operations });
  assert.equal(response.status, 204, await response.text());
}

/** Every counter rises by one, so many times. */
export async function tick(server: ServerProcess, times: number): Promise<number> {
  const response = await fetch(`${server.url}/data/commands/ticks?value=i${times}`, { method: 'PUT' });
  await response.arrayBuffer();
  return response.status;
}
