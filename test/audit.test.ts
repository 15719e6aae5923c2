// The audit trail of the real server: every audited operation is in it when it is answered, over HTTP and the channel; every
// refusal once; whatever ends the server; and on a disk that is full operating goes on.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { TelltaleClient } from '@telltale/client';
import type { AuditRecord } from '@telltale/schema';
import { cleanupOf, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { segmentsIn } from '../packages/server/src/audit/segments.ts';
import { verifyTrail } from '../packages/server/src/audit/verify-trail.ts';
import { ask, recordsOf, shown, tail, withPlant } from './audit-plant.ts';
import { ChannelSocket } from './channel-socket.ts';
import { runCli } from './cli-process.ts';
import { disks } from './full-disk.ts';
import { startServer } from './server-process.ts';
import { until } from './until.ts';

const local = { who: 'local', kind: 'local', rendering: 1 };

describe('the audit trail', () => {
  test('has who did what, with old and new, over HTTP and for each item of a batch', async (t) => {
    const server = await withPlant(t, temporaryFolder(t));
    const { last } = await tail(server);
    await ask(server, 'PUT', '/data/commands/valve?value=i5');
    await ask(server, 'PUT', '/data/commands/valve?value=x');
    await ask(server, 'GET', '/data/commands/valve');
    await ask(server, 'POST', '/data/alarms/high/activate');
    await ask(server, 'PUT', '/data/measurements/level?value=d2&valid-for=60');
    const channel = await ChannelSocket.open(server.url);
    cleanupOf(t).defer(() => channel.close());
    const writes = [
      { name: 'valve', value: 'i6' },
      { name: 'nothing', value: 'i1' },
    ];
    assert.equal((await channel.ask({ request: 'WriteCommands', writes })).result, false);
    const records = (await recordsOf(server)).filter(({ seq }) => seq > last);
    if (records[4]?.object === 'nothing') records.push(...records.splice(4, 1)); // which one ends first is open
    const valve = { ...local, operation: 'writeCommand', object: 'valve', area: 'hall.1' };
    assert.deepEqual(records.map(shown), [
      { ...valve, old: 'i0', new: 'i5', result: 'done' },
      { ...valve, old: 'i5', new: 'x', result: 'invalid-value' },
      {
        ...local,
        operation: 'activateAlarm',
        object: 'high',
        area: 'hall.1',
        old: 'INACT_ACK',
        new: 'ACT_UNACK',
        result: 'done',
      },
      {
        ...local,
        operation: 'simulateMeasurement',
        object: 'level',
        old: 'd0',
        new: { value: 'd2', validForS: 60 },
        result: 'done',
      },
      { ...valve, old: 'i5', new: 'i6', result: 'done' },
      { ...local, operation: 'writeCommand', object: 'nothing', new: 'i1', result: 'unknown-object' },
    ]);
    assert.ok(records.every(({ source }) => source === '127.0.0.1'));
  });

  test('has every refusal once, and nothing of what was only malformed', async (t) => {
    const server = await withPlant(t, temporaryFolder(t));
    const { last } = await tail(server);
    const refused: [string, string, Record<string, string>, string, string][] = [
      ['GET', '/data/measurements/', { authorization: 'Bearer none' }, 'listMeasurements', 'invalid-token'],
      ['PUT', '/data/commands/valve?value=i1', { authorization: 'Bearer none' }, 'writeCommand', 'invalid-token'],
      ['GET', '/data/measurements/', { origin: 'http://evil.example' }, 'request', 'foreign-origin'],
      ['GET', '/access/users', {}, 'listUsers', 'not-allowed'],
      ['DELETE', '/access/users/anna', {}, 'deleteUser', 'not-allowed'],
    ];
    for (const [method, path, headers] of refused) {
      const { status } = await ask(server, method, path, headers);
      assert.ok(status === 401 || status === 403, `${path}: ${status}`);
    }
    assert.equal((await ask(server, 'GET', '/nowhere')).status, 404);
    assert.equal((await ask(server, 'GET', '/data/measurements/?fields=none')).status, 400);
    const records = (await recordsOf(server)).filter(({ seq }) => seq > last);
    assert.deepEqual(
      records.map(({ operation, result }) => [operation, result]),
      refused.map(([, , , operation, problem]) => [operation, problem]),
    );
  });

  test('is read in pages, by who, object, operation, result and time, and as CSV and JSON; that is recorded too', async (t) => {
    const server = await withPlant(t, temporaryFolder(t));
    for (let at = 0; at < 30; at++)
      await ask(server, 'PUT', `/data/commands/${at % 2 ? 'valve' : 'pump'}?value=i${at}`);
    const page = async (query: string) =>
      (await (await fetch(`${server.url}/audit?${query}`)).json()) as { records: AuditRecord[]; next?: number };
    const seen: AuditRecord[] = [];
    let before = '';
    do {
      const { records, next } = await page(`operation=writeCommand&object=valve&limit=4${before}`);
      seen.push(...records);
      before = next === undefined ? '' : `&before=${next}`;
    } while (before !== '');
    assert.deepEqual(
      seen.map(({ new: now }) => now),
      Array.from({ length: 15 }, (_, at) => `i${29 - 2 * at}`),
    );
    assert.equal((await page('who=loc*&operation=writeC*&limit=1000')).records.length, 30);
    assert.equal((await page('who=anna')).records.length, 0);
    assert.equal((await page('operation=writeCommand&since=-3600&limit=1000')).records.length, 30);
    assert.equal((await page('operation=writeCommand&until=-3600')).records.length, 0);
    for (const bad of ['limit=0', 'limit=1001', 'since=x', 'before=0', 'nobody=1']) {
      assert.equal((await fetch(`${server.url}/audit?${bad}`)).status, 400, bad);
    }
    const exported = await fetch(`${server.url}/audit/export?operation=writeCommand`);
    const lines = (await exported.text()).trimEnd().split('\n');
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).new),
      Array.from({ length: 30 }, (_, at) => `i${at}`),
    );
    const csv = await fetch(`${server.url}/audit/export?object=pump`, { headers: { accept: 'text/csv' } });
    assert.match(csv.headers.get('content-type') ?? '', /^text\/csv/);
    const rows = (await csv.text()).trimEnd().split('\r\n');
    assert.match(
      rows[0] ?? '',
      /^seq,time,who,kind,source,session,operation,object,site,area,old,new,reason,approver,result,/,
    );
    assert.equal(rows.length, 16);
    const { records } = await page('operation=*Audit&limit=1');
    assert.equal(records.length, 0);
    assert.ok((await page('operation=exportAudit')).records.length >= 2);
  });

  test('goes on over restarts, and says when the service started and stopped', async (t) => {
    const data = temporaryFolder(t);
    const first = await withPlant(t, data);
    await first.end();
    const second = await startServer(t, { data });
    const records = await recordsOf(second);
    const operations = records.map(({ operation }) => operation);
    for (const word of ['startService', 'stopService']) assert.ok(operations.includes(word), word);
    assert.deepEqual(verifyTrail(data).faults, []);
  });

  test('sends its signed heads to a syslog server', async (t) => {
    const log = createServer();
    log.listen(0, '127.0.0.1');
    await once(log, 'listening');
    cleanupOf(t).defer(() => void log.close());
    const { port } = log.address() as AddressInfo;
    const data = temporaryFolder(t);
    const server = await withPlant(t, data, ['--audit-syslog', `tcp://127.0.0.1:${port}`]);
    const connected = once(log, 'connection');
    const ended = server.end();
    const [socket] = (await connected) as [Socket];
    const chunks = (await socket.toArray()) as Buffer[];
    await ended;
    const text = Buffer.concat(chunks).toString();
    assert.match(text, /^\d+ <109>1 \S+ \S+ telltale \d+ head - \ufeff\{"seq":\d+,.*"operation":"signHead".*\}$/);
    const line = text.slice(text.indexOf('{'));
    const { path } = segmentsIn(join(data, 'audit')).at(-1) ?? assert.fail();
    assert.equal(readFileSync(path, 'utf8').trimEnd().split('\n').at(-1), line);
  });
});

describe('after kill -9', () => {
  test('every write that was answered is in the trail, once, and the trail is whole', async (t) => {
    const data = temporaryFolder(t);
    const server = await withPlant(t, data);
    const answered: string[] = [];
    const writing = Array.from({ length: 8 }, async (_, writer) => {
      for (let at = 0; ; at++) {
        const value = `i${writer * 100_000 + at}`;
        const path = `/data/commands/${writer % 2 ? 'valve' : 'pump'}?value=${value}`;
        const answer = await ask(server, 'PUT', path).catch(() => undefined); // it was killed
        if (answer === undefined) return;
        assert.equal(answer.status, 204);
        answered.push(value);
      }
    });
    await until('a few hundred are answered', async () => answered.length > 300);
    await server.end('SIGKILL');
    await Promise.all(writing);
    const again = await startServer(t, { data });
    const client = new TelltaleClient({ url: again.url });
    const { stream } = await client.audit.export('json', { operation: 'writeCommand' });
    let text = '';
    for await (const chunk of stream) text += Buffer.from(chunk).toString();
    const recorded = text
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as AuditRecord).new as string);
    const found = new Set(recorded);
    assert.deepEqual(
      answered.filter((value) => !found.has(value)),
      [],
    );
    assert.equal(found.size, recorded.length);
    await again.end();
    assert.deepEqual(verifyTrail(data).faults, []);
  });

  test('a write that was cut off is cut off the trail, and told; a record that is missing is reported', async (t) => {
    const data = temporaryFolder(t);
    const server = await withPlant(t, data);
    await ask(server, 'PUT', '/data/commands/valve?value=i5');
    await server.end('SIGKILL');
    const { path } = segmentsIn(join(data, 'audit')).at(-1) ?? assert.fail();
    writeFileSync(path, '{"seq":99,"time":"2030', { flag: 'a' });
    const again = await startServer(t, { data });
    assert.match(again.log, /audit trail: 22 bytes of a write that was interrupted were cut off behind record \d+\./);
    assert.ok((await recordsOf(again)).some(({ operation }) => operation === 'repairTrail'));
    await again.end('SIGKILL');
    assert.deepEqual(verifyTrail(data).faults, []);
    truncateSync(path, readFileSync(path, 'utf8').trimEnd().lastIndexOf('\n') + 1);
    const third = await startServer(t, { data });
    const ready = await fetch(`${third.url}/readyz`);
    assert.equal(ready.status, 503);
    assert.match(await ready.text(), /audit lacks the records/);
    const { code, stdout } = await runCli(['audit', 'verify', data], { url: third.url });
    assert.equal(code, 1);
    assert.match(stdout, /"faultCount":[1-9]/);
  });
});

describe('on a disk of its own that is full', () => {
  test('operating goes on, what changes configuration or users is refused, and all that waited is written later', async (t) => {
    const disk = disks['is full'](t);
    if (typeof disk === 'string') return t.skip(disk);
    const data = temporaryFolder(t);
    symlinkSync(join(disk.data, '..'), join(data, 'audit'));
    const server = await withPlant(t, data);
    assert.ok(existsSync(join(data, 'audit', 'audit.control')));
    disk.fill(server);
    // What fits into the last page of a file is still written.
    await until('the disk refuses', async () => {
      assert.equal((await ask(server, 'PUT', '/data/commands/valve?value=i1')).status, 204);
      return (await ask(server, 'GET', '/readyz')).status === 503;
    });
    for (let at = 2; at < 20; at++) {
      assert.equal((await ask(server, 'PUT', `/data/commands/pump?value=i${at}`)).status, 204);
    }
    assert.equal((await ask(server, 'POST', '/data/alarms/high/activate')).status, 204);
    const refused = await server.send('PUT', '/alarms/low', { name: 'low', severity: 1 });
    const problem = (await refused.json()) as { type: string; detail: string };
    assert.equal(refused.status, 503);
    assert.match(problem.type, /audit-failing/);
    assert.match(problem.detail, /^The audit trail cannot be written \(ENOSPC/);
    assert.equal((await server.get('/alarms/low')).status, 404);
    assert.match(server.log, /the disk refuses records of the audit trail, which is retried/);
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    assert.match(metrics, /^telltale_audit_failing 1$/m);
    disk.free(server);
    await until('it is well', async () => (await ask(server, 'GET', '/readyz')).status === 200);
    assert.equal((await server.send('PUT', '/alarms/low', { name: 'low', severity: 1 })).status, 204);
    const pumped = await recordsOf(server, '&object=pump');
    assert.deepEqual(
      pumped.map(({ new: now }) => now),
      Array.from({ length: 18 }, (_, at) => `i${at + 2}`),
    );
    await server.end();
    assert.deepEqual(verifyTrail(data).faults, []);
  });
});
