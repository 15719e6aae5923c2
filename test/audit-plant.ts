// A plant whose audit trail is looked at, and what the trail has.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { AuditRecord } from '@telltale/schema';
import { put } from './live-plant.ts';
import { type ServerProcess, startServer } from './server-process.ts';

export const plant = [
  put('commands', 'valve', { datatype: 'i', area: 'hall.1' }),
  put('commands', 'pump', { datatype: 'i' }),
  put('measurements', 'level', { datatype: 'd' }),
  put('alarms', 'high', { severity: 1, area: 'hall.1' }),
];

export async function withPlant(t: TestContext, data: string, args: readonly string[] = []): Promise<ServerProcess> {
  const server = await startServer(t, { data, args });
  const answer = await server.send('POST', '/cfgdb/txn?render=1', { operations: plant });
  assert.equal(answer.status, 204, await answer.text());
  return server;
}

type Headers = Readonly<Record<string, string>>;

export async function recordsOf({ url }: ServerProcess, query = '', headers: Headers = {}): Promise<AuditRecord[]> {
  const answer = await fetch(`${url}/audit?limit=1000${query}`, { headers });
  assert.equal(answer.status, 200);
  const { records } = (await answer.json()) as { records: AuditRecord[] };
  return records.reverse().filter(({ operation }) => operation !== 'listAudit');
}

export const ask = ({ url }: ServerProcess, method: string, path: string, headers: Headers = {}) =>
  fetch(url + path, { method, headers });

export const shown = ({ who, kind, operation, object, area, old, new: now, result, rendering }: AuditRecord) =>
  JSON.parse(JSON.stringify({ who, kind, operation, object, area, old, new: now, result, rendering }));

/** The newest record so far. */
export async function tail(server: ServerProcess, headers: Headers = {}): Promise<{ last: number }> {
  return { last: (await recordsOf(server, '', headers)).at(-1)?.seq ?? 0 };
}

/** What has been recorded since then, of operations other than reads of the trail. */
export async function recordsSince(server: ServerProcess, last: number, headers: Headers = {}): Promise<AuditRecord[]> {
  return (await recordsOf(server, '', headers)).filter(({ seq }) => seq > last);
}
