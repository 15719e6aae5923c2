// Promises of what the audit trail has of changes of the configuration, whatever way they come: before and after, the reason,
// bounded in size, and never a secret.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import type { AuditRecord } from '@telltale/schema';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { ask, recordsSince, tail, withPlant } from './audit-plant.ts';
import { put } from './live-plant.ts';
import type { ServerProcess } from './server-process.ts';

/** The record of the only audited operation in `work`. */
async function recordOf(server: ServerProcess, work: () => Promise<Response>): Promise<AuditRecord> {
  const { last } = await tail(server);
  const answer = await work();
  assert.ok(answer.ok, `${answer.status} ${await answer.text()}`);
  const records = await recordsSince(server, last);
  assert.equal(records.length, 1);
  return records[0] as AuditRecord;
}

const sides = ({ old, new: now }: AuditRecord) => [old, now];

describe('the record of a changed configuration', () => {
  test('of one object has the object, or the fields that differ, and where it is', async (t) => {
    const server = await withPlant(t, temporaryFolder(t));
    const path = '/measurements/flow';
    const flow = { name: 'flow', datatype: 'd', area: 'hall.2' };
    const added = await recordOf(server, () => server.send('PUT', path, flow));
    assert.deepEqual([added.object, added.area, added.old], ['flow', 'hall.2', undefined]);
    assert.deepEqual((added.new as typeof flow).datatype, 'd');
    const changed = await recordOf(server, () => server.send('PUT', path, { ...flow, deadband: '1', area: 'hall.3' }));
    assert.deepEqual(sides(changed), [{ area: 'hall.2' }, { area: 'hall.3', deadband: '1' }]);
    assert.equal(changed.area, 'hall.3');
    const same = await recordOf(server, () => server.send('PUT', path, { ...flow, deadband: '1', area: 'hall.3' }));
    assert.deepEqual(sides(same), [undefined, undefined]);
    const removed = await recordOf(server, () => server.send('DELETE', path));
    assert.deepEqual([(removed.old as typeof flow).name, removed.new, removed.area], ['flow', undefined, 'hall.3']);
  });

  test('of several objects has how many, the first of them, the revision and the comment', async (t) => {
    const server = await withPlant(t, temporaryFolder(t));
    const operations = [
      put('commands', 'pump', { datatype: 'i', description: 'Pump' }),
      put('commands', 'extra', { datatype: 'i' }),
      { operation: 'delete', family: 'alarms', name: 'high' },
    ];
    const edit = (query: string) => recordOf(server, () => server.send('POST', `/cfgdb/txn?${query}`, { operations }));
    const old = (record: AuditRecord) => Object.keys((record.old as { objects: object }).objects);
    const dry = await edit('commit=0');
    const counts = { added: 1, changed: 1, removed: 1 };
    const { objects, ...rest } = dry.new as { objects: Record<string, object> };
    assert.deepEqual(rest, { dryRun: true, ...counts });
    assert.deepEqual(
      [old(dry), Object.keys(objects)],
      [
        ['commands/pump', 'alarms/high'],
        ['commands/pump', 'commands/extra'],
      ],
    );
    assert.deepEqual(objects['commands/pump'], { description: 'Pump' });
    const done = await edit('render=1&comment=second%20pump');
    const { objects: _, ...now } = done.new as { objects: object };
    assert.deepEqual(now, { revision: 2, ...counts });
    assert.deepEqual([(done.old as { revision: number }).revision, done.reason, done.rendering], [1, 'second pump', 2]);
  });

  test('of a table, a copy, a rename, a discard, a rendering, a restore or an upload has the same', async (t) => {
    const server = await withPlant(t, temporaryFolder(t));
    const database = new Uint8Array(await (await server.get('/cfgdb/database')).arrayBuffer());
    const changedIn = ({ new: now }: AuditRecord) => {
      const { objects, ...rest } = now as { objects: Record<string, object> };
      return [Object.keys(objects), rest];
    };
    const one = (what: 'added' | 'changed' | 'removed') => ({ added: 0, changed: 0, removed: 0, [what]: 1 });
    const table = await recordOf(server, () =>
      server.sendBytes('PUT', '/tables/commands', 'text/csv', Buffer.from('name,description\nvalve,Valve\n')),
    );
    assert.deepEqual(changedIn(table), [['commands/valve'], one('changed')]);
    const copy = { family: 'commands', name: 'pump', to: 'pump_b' };
    const copied = await recordOf(server, () => server.send('POST', '/cfgdb/copy', copy));
    assert.deepEqual(changedIn(copied), [['commands/pump_b'], one('added')]);
    const renamed = await recordOf(server, () => ask(server, 'POST', '/config/v2/commands/pump/rename?to=pump_a'));
    assert.deepEqual(
      [renamed.object, ...changedIn(renamed)],
      ['pump', ['commands/pump_a'], { added: 1, changed: 0, removed: 1 }],
    );
    const discarded = await recordOf(server, () =>
      ask(server, 'POST', '/config/v2/cfgdb/discard?family=commands&name=valve'),
    );
    assert.deepEqual(discarded.old, { objects: { 'commands/valve': { description: 'Valve' } } });
    const rendered = await recordOf(server, () => ask(server, 'POST', '/config/v2/cfgdb/render?comment=done'));
    assert.deepEqual(changedIn(rendered)[1], { revision: 2, added: 2, changed: 0, removed: 1 });
    assert.equal(rendered.reason, 'done');
    const again = await recordOf(server, () => ask(server, 'POST', '/config/v2/cfgdb/render'));
    assert.deepEqual(sides(again), [undefined, undefined]);
    const restored = await recordOf(server, () => ask(server, 'POST', '/config/v2/cfgdb/revisions/1/restore'));
    assert.deepEqual(
      [restored.object, ...changedIn(restored)],
      ['1', ['commands/pump'], { added: 1, changed: 0, removed: 2 }],
    );
    await server.send('DELETE', '/alarms/high');
    const uploaded = await recordOf(server, () =>
      server.sendBytes('POST', '/cfgdb/database?render=1', 'application/x-sqlite3', database),
    );
    assert.deepEqual(changedIn(uploaded), [['alarms/high'], { revision: 3, ...one('added') }]);
  });

  test('of very many objects is as small as any', async (t) => {
    const server = await withPlant(t, temporaryFolder(t));
    const objects = (description: string) =>
      Array.from({ length: 2000 }, (_, at) => put('measurements', `m_${at}`, { datatype: 'd', description }));
    const write = (description: string) =>
      recordOf(server, () => server.send('POST', '/cfgdb/txn', { operations: objects(description) }));
    const first = await write('one');
    assert.ok(JSON.stringify(first).length < 10_000, `${JSON.stringify(first).length}`);
    const { sha256, added, objects: shown } = first.new as { sha256: string; added: number; objects: object };
    assert.deepEqual([added, sha256.length], [2000, 64]);
    assert.ok(Object.keys(shown).length >= 5);
    const long = await recordOf(server, () =>
      server.send('PUT', '/commands/pump', { name: 'pump', datatype: 'i', description: 'x'.repeat(20_000) }),
    );
    assert.ok(JSON.stringify(long).length < 10_000);
  });

  for (const [how, args] of [
    ['without a key', []],
    ['sealed with a key', ['--secret-key-file']],
  ] as const) {
    test(`never has a secret, ${how}`, async (t) => {
      const data = temporaryFolder(t);
      const keyFile = `${temporaryFolder(t)}/key`;
      writeFileSync(keyFile, Buffer.alloc(32, 5).toString('base64'), { mode: 0o600 });
      const server = await withPlant(t, data, args.length > 0 ? [...args, keyFile] : []);
      const plc = (token: string) => ({
        name: 'plc',
        stackName: 'http',
        vars: { baseUrl: 'http://127.0.0.1:1', token },
      });
      const { last } = await tail(server);
      for (const token of ['canary-one', 'canary-two']) await server.send('PUT', '/connectors/plc', plc(token));
      await server.send('POST', '/cfgdb/txn?render=1', { operations: [put('connectors', 'plc', plc('canary-3'))] });
      assert.equal((await server.send('PUT', '/secrets/plc/token', { value: 'canary-four' })).status, 204);
      await server.send('DELETE', '/connectors/plc');
      const records = await recordsSince(server, last);
      assert.equal(JSON.stringify(records).includes('canary'), false);
      assert.equal(JSON.stringify(records).includes('sealed:'), false);
      const [, changed, , set] = records;
      const { baseUrl } = plc('').vars;
      assert.deepEqual(changed && sides(changed), [
        { vars: { baseUrl, token: '***' } },
        { vars: { baseUrl, token: '***' } },
      ]);
      assert.deepEqual([set?.operation, set?.object], ['setConnectorSecret', 'plc/token']);
    });
  }
});
