import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { ManualClock } from '@telltale/schema/testing';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { type HostSetup, hostsOfTests, point, problemOf } from '../../test/host-bench.ts';
import { packPoints } from './protocol.ts';

const hosts = hostsOfTests();

async function setUp(mode = 'good', setup?: HostSetup) {
  const bench = await hosts.setUp(setup);
  const { host, events, until } = bench;
  host.start('connector', { name: 'a', stackName: 'trial', vars: { mode }, properties: {} });
  const measurements = [point(1), point(2, 'silent'), point(3, 'block')];
  host.putPoints('connector', 'a', packPoints({ measurements, commands: [] }));
  host.pointsDone('connector', 'a');
  await until(() => events.includes('a 1=1'));
  return bench;
}

const at = (path?: string) => ({ path, cursor: undefined, limit: 2 });
const { signal } = new AbortController();

describe('explain', () => {
  test('reports how a reading came about, and nothing where there is nothing to report', async () => {
    const { host } = await setUp();
    const trace = await host.explain('a', 1);
    assert.deepEqual([trace?.request, trace?.raw, trace?.value, trace?.scanPeriodMs], ['read p1', '01', 1, 1000]);
    assert.equal(await host.explain('a', 2), undefined);
    assert.equal(await host.explain('a', 99), undefined);
  });

  test('is a problem where there is no connector, or where the stack says what makes no sense', async () => {
    const { host } = await setUp('wrong');
    assert.match(await problemOf(host.explain('__proto__', 1)), /^unknown-object: .*"__proto__"/);
    assert.match(await problemOf(host.explain('a', 1)), /^device-refused: .*could not explain it/);
  });

  test('is a problem after 2 s, and at once when the thread has ended', async () => {
    const clock = new ManualClock();
    const { host, until } = await setUp('good', { clock });
    const late = problemOf(host.explain('a', 3));
    clock.advance(2000);
    assert.match(await late, /^device-timeout: .*2000 ms/);
    const lost = problemOf(host.browse('a', at(), signal));
    for (let second = 0; second < 10; second++) clock.advance(1000);
    assert.match(await lost, /^connector-down: .*not answered for 10 s/);
    await until(() => host.threads().running === 0);
    assert.match(await problemOf(host.explain('a', 1)), /^connector-down: .*not answered for 10 s/);
    assert.match(await problemOf(host.browse('a', at(), signal)), /^connector-down/);
  });
});

describe('browse', () => {
  test('reports what the device offers', async () => {
    const { host } = await setUp();
    const { items, cursor } = await host.browse('a', at(), signal);
    assert.deepEqual([items.map(({ title }) => title), cursor], [['Level', 'Level'], undefined]);
  });

  test('is a problem with the reason where it cannot', async () => {
    const { host } = await setUp();
    assert.match(await problemOf(host.browse('nobody', at(), signal)), /^unknown-object/);
    assert.match(await problemOf(host.browse('a', at('refused'), signal)), /^device-refused: .*no such folder/);
    assert.match(await problemOf(host.browse('a', at('wrong'), signal)), /^device-refused: .*item 0 has no title/);
    host.start('connector', { name: 'line', stackName: 'line_device', vars: { port: '1' }, properties: {} });
    assert.match(await problemOf(host.browse('line', at(), signal)), /^connector-down: .*still connecting/);
  });

  test('ends with its asker, and the stack is reported, long before its time is over', {
    timeout: 20_000,
  }, async () => {
    const { host, lines, until } = await setUp();
    const asker = new AbortController();
    const browsing = host.browse('a', at('endless'), asker.signal);
    const others = Array.from({ length: 3 }, () =>
      host.browse('a', at('endless'), asker.signal).catch(() => undefined),
    );
    assert.match(await problemOf(host.browse('a', at(), signal)), /^too-many-requests/);
    asker.abort(new Error('the client has gone'));
    await assert.rejects(browsing, /the client has gone/);
    await Promise.all(others);
    await until(() => lines.filter(({ msg }) => msg === 'browsing was aborted').length === 4);
    await host.browse('a', at(), signal);
    await assert.rejects(host.browse('a', at(), asker.signal), /the client has gone/);
  });
});

describe('a secret', () => {
  test('reaches the stack, and neither the log nor the status', async (t) => {
    const folder = temporaryFolder(t);
    mkdirSync(join(folder, 'b'));
    writeFileSync(join(folder, 'b', 'token'), 'sesame-open\n', { mode: 0o600 });
    const { host, lines, until, status } = await setUp('good', { secretsFolder: folder });
    const vars = { mode: 'tell token', token: 'file:token' };
    for (const [name, token] of [
      ['b', 'file:token'],
      ['c', 'sesame-given'],
      ['d', 'file:token'],
    ] as const) {
      host.start('connector', { name, stackName: 'trial', vars: { ...vars, token }, properties: {} });
      host.pointsDone('connector', name);
    }
    await until(() => ['b', 'c'].every((name) => status(name)?.state === 'failed') && status('d')?.state === 'down');
    await until(() => lines.filter(({ msg }) => msg === 'token ***').length === 2);
    assert.equal(status('b')?.lastError?.text, 'not with ***');
    assert.equal(status('d')?.lastError?.text, 'variable token: there is no file secrets/d/token');
    assert.ok(!JSON.stringify([lines, host.status()]).includes('sesame'));
  });

  test('whose file is missing is waited for: the connector comes up by itself when it is there', async (t) => {
    const folder = temporaryFolder(t);
    const { host, until, status } = await setUp('good', { secretsFolder: folder });
    const vars = { mode: 'good', token: 'file:token' };
    host.start('connector', { name: 'late', stackName: 'trial', vars, properties: {} });
    host.pointsDone('connector', 'late');
    await until(() => status('late')?.state === 'down');
    assert.equal(status('late')?.lastError?.text, 'variable token: there is no file secrets/late/token');
    mkdirSync(join(folder, 'late'));
    writeFileSync(join(folder, 'late', 'token'), 'sesame-open\n', { mode: 0o600 });
    await until(() => status('late')?.state === 'up');
  });

  test('of a connector that is restarted is read again, and its link ends and comes again', async (t) => {
    const folder = temporaryFolder(t);
    mkdirSync(join(folder, 'again'));
    writeFileSync(join(folder, 'again', 'token'), 'sesame-one\n', { mode: 0o600 });
    const { host, until, status } = await setUp('good', { secretsFolder: folder });
    const vars = { mode: 'tell token', token: 'file:token' };
    host.start('connector', { name: 'again', stackName: 'trial', vars, properties: {} });
    host.pointsDone('connector', 'again');
    await until(() => status('again')?.state === 'failed');
    const before = status('again')?.counters.errors ?? 0;
    host.restart('connector', 'again');
    await until(() => status('again')?.state === 'failed' && (status('again')?.counters.errors ?? 0) > before);
    host.restart('connector', 'nobody');
  });
});
