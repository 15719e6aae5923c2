// Two servers of a site: one acts for it, the other waits and takes over.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { Etcd, withoutEtcd } from './engines/etcd.ts';
import { Pair, untilSo } from './standby-pair.ts';

describe('of two nodes of a site', { skip: withoutEtcd }, () => {
  test('one reads and writes; the other says who does, refuses what is of the site, and takes over', async (t) => {
    const etcd = await Etcd.start(t);
    const pair = await Pair.start(t, etcd);
    const [a, b] = pair.nodes;
    await untilSo('a reads', () => pair.isRead(a));
    assert.equal((await pair.write(a, 1)).status, 204);
    await untilSo('a knows b', async () => (await pair.state(a)).nodes.length === 2);
    const { role, leader } = await pair.state(b);
    assert.deepEqual([role, leader?.node], ['standby', 'a']);
    assert.deepEqual([await pair.readiness(a), await pair.readiness(b)], ['ready', 'standby']);
    const refused = await pair.write(b, 2);
    assert.equal(refused.status, 503);
    assert.match(
      refused.text,
      new RegExp(`not-leading.*Node b does not lead the site works: a does, at ${a.server.url}`),
    );
    const edit = await b.server.send('PUT', '/measurements/other', { name: 'other', datatype: 'i' });
    assert.match(await edit.text(), /not-leading/);
    assert.equal(await pair.isRead(b), false);

    const killedMs = performance.now();
    await a.server.end('SIGKILL');
    await untilSo('b reads', () => pair.isRead(b));
    t.diagnostic(`b read ${Math.round(performance.now() - killedMs)} ms after a was killed`);
    assert.equal((await pair.write(b, 3)).status, 204);
    await untilSo('b says that it is alone', async () => (await pair.readiness(b)) === 'degraded');
    await pair.again(a);
    await untilSo('a waits', async () => (await pair.state(a)).leader?.node === 'b');
    assert.equal((await pair.write(a, 4)).status, 503);
    await b.server.end();
    await untilSo('a reads', () => pair.isRead(a));
    assert.equal((await pair.write(a, 5)).status, 204);
    assert.deepEqual(pair.device.writes, [1, 3, 5]);
  });

  test('each knows what was acknowledged at the other one, and goes on with it', async (t) => {
    const etcd = await Etcd.start(t);
    const pair = await Pair.start(t, etcd);
    const [a, b] = pair.nodes;
    await untilSo('a reads', () => pair.isRead(a));
    const done = async (node: typeof a, method: string, path: string) => {
      const { status, text } = await pair.ask(node, method, path);
      assert.equal(status, 204, `${path}: ${text}`);
    };
    await done(a, 'PUT', '/commands/valve?value=i7');
    await done(a, 'PUT', '/commands/note?value=sfirst');
    await done(a, 'PUT', '/measurements/forced?value=d9');
    await untilSo('the alarm is raised', async () => JSON.stringify(await pair.shown(a)).includes('ACT_UNACK'));
    await done(a, 'POST', '/alarms/high/acknowledge?authority=anna');
    await done(a, 'POST', '/connectors/spare/disable');
    const shown = await pair.shown(a);
    assert.match(JSON.stringify(shown), /ACT_ACK.*anna.*"isDisabled":true/);
    await untilSo('b shows the same', async () => isDeepStrictEqual(await pair.shown(b), shown));

    await a.server.end('SIGKILL');
    await untilSo('b leads', async () => (await pair.state(b)).role === 'leading');
    assert.deepEqual(await pair.shown(b), shown);
    await done(b, 'DELETE', '/measurements/forced');
    await done(b, 'PUT', '/commands/note?value=ssecond');
    await done(b, 'POST', '/connectors/spare/enable');
    await pair.again(a);
    const after = await pair.shown(b);
    assert.match(JSON.stringify(after), /second.*"isDisabled":false/);
    await untilSo('a shows the same', async () => isDeepStrictEqual(await pair.shown(a), after));
    await b.server.end();
    await untilSo('a leads', async () => (await pair.state(a)).role === 'leading');
    assert.deepEqual(await pair.shown(a), after);
  });

  test('none writes without etcd, and values and history go on', async (t) => {
    const etcd = await Etcd.start(t);
    const pair = await Pair.start(t, etcd);
    const [a, b] = pair.nodes;
    await untilSo('a reads', () => pair.isRead(a));
    await etcd.members[0]?.kill();
    await untilSo('a has no lease', async () => (await pair.state(a)).role === 'suspended');
    for (const node of [a, b]) {
      const { status, text } = await pair.write(node, 1);
      assert.equal(status, 503);
      assert.match(text, /not-leading/);
    }
    assert.equal(await pair.isRead(a), true);
    const readiness = await (await fetch(`${a.server.url}/readyz`)).text();
    assert.match(readiness, /"degraded".*The lease of the site: .*Nothing is written to devices here/);
    const says = async () => (await fetch(`${a.server.url}/readyz`)).text();
    await untilSo('its programs rest', async () => (await says()).includes('Function modules rest'));
    assert.equal(await pair.isRead(a), true);
    const shownUs = (await pair.goodAtUs(a)) ?? 0;
    await untilSo('it records', async () => ((await pair.recorded(a, 'level')).at(-1) ?? 0) > shownUs);
    await etcd.members[0]?.again();
    await untilSo('a may write again', async () => (await pair.write(a, 2)).status === 204);
    assert.deepEqual(pair.device.writes, [2]);
  });

  test('one that was stopped for long writes nothing when it goes on', async (t) => {
    const etcd = await Etcd.start(t);
    const pair = await Pair.start(t, etcd);
    const [a, b] = pair.nodes;
    await untilSo('a reads', () => pair.isRead(a));
    await untilSo('b waits', async () => (await pair.state(b)).leader?.node === 'a');
    process.kill(a.server.pid, 'SIGSTOP');
    const late = pair.write(a, 1).catch(() => undefined);
    await untilSo('b reads', () => pair.isRead(b));
    assert.equal((await pair.write(b, 2)).status, 204);
    process.kill(a.server.pid, 'SIGCONT');
    assert.equal((await late)?.status, 503);
    await untilSo('a waits', async () => (await pair.state(a)).role === 'standby');
    await untilSo('a does not read', async () => !(await pair.isRead(a)));
    assert.deepEqual(pair.device.writes, [2]);
  });
});
