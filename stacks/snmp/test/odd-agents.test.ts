// The connector against agents that are small, wrong, or lie.
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { test } from 'node:test';
import { quality } from '@telltale/schema';
import { until } from '@telltale/stack-kit/testing';
import { tag } from '../src/ber.ts';
import { decodeMessage, encodeCommunityMessage, encodeScoped, encodeSecured } from '../src/message.ts';
import { compareOids } from '../src/oid.ts';
import { encodePdu, encodeVarbinds, errorStatus, pduType } from '../src/pdu.ts';
import { encodeValue } from '../src/snmp-value.ts';
import { UsmUser } from '../src/usm.ts';
import { column, rows, value, vars } from './agent-column.ts';
import { FakeAgent, type FakeAnswer } from './fake-agent.ts';
import { RunningConnector } from './running-connector.ts';

async function start(
  t: { after(call: () => unknown): void },
  agent: FakeAgent,
  count: number,
  more: Readonly<Record<string, string>> = {},
): Promise<RunningConnector> {
  const running = new RunningConnector(vars(agent.port, more));
  t.after(async () => {
    await running.stop();
    agent.stop();
  });
  running.setPoints(rows(count));
  await running.start();
  return running;
}

async function allGood(running: RunningConnector, count: number): Promise<void> {
  for (const { name } of rows(count)) {
    const reading = await running.until(name, () => true);
    assert.deepEqual([reading.value, reading.quality], [Number(name), quality.good], name);
  }
}

test('an agent to whom much is too big is asked for less, and remembered as such', async (t) => {
  const agent = await FakeAgent.start(({ varbinds }) =>
    varbinds.length > 5
      ? { status: errorStatus.tooBig, varbinds: [] }
      : { varbinds: varbinds.map(({ oid }) => value(oid)) },
  );
  const running = await start(t, agent, 30, { bulk: 'false' });
  await allGood(running, 30);
  const asked = agent.requests.length;
  await until('the next scans', () => agent.requests.length > asked + 20);
  assert.ok(agent.requests.slice(asked + 8).every(({ varbinds }) => varbinds.length <= 5));
});

test('an object for which the agent refuses the whole request turns bad alone', async (t) => {
  const agent = await FakeAgent.start(({ varbinds }): FakeAnswer => {
    const index = varbinds.findIndex(({ oid }) => oid === `${column}.7`) + 1;
    if (index > 0) return { status: errorStatus.genErr, index, varbinds };
    return { varbinds: varbinds.map(({ oid }) => value(oid)) };
  });
  const running = await start(t, agent, 20, { bulk: 'false' });
  await running.until('7', (reading) => reading.quality === quality.bad.configurationError);
  for (const { name } of rows(20)) {
    if (name !== '7') await running.until(name, (reading) => reading.quality === quality.good);
  }
});

test('an object that the agent encodes wrongly turns bad alone, by GET and by GETBULK', async (t) => {
  const five = Buffer.from('00ffffffff', 'hex');
  const odd: Readonly<Record<string, FakeAnswer['varbinds'][number]>> = {
    [`${column}.3`]: { oid: `${column}.3`, tag: tag.integer, content: five },
    [`${column}.4`]: { oid: `${column}.4`, tag: tag.ip, content: Buffer.alloc(0) },
    [`${column}.5`]: { oid: `${column}.5`, tag: tag.gauge32, content: Buffer.alloc(5, 0xff) },
  };
  const given = (oid: string) => odd[oid] ?? value(oid);
  const agent = await FakeAgent.start(({ type, varbinds, errorIndex }) => {
    if (type === pduType.get) return { varbinds: varbinds.map(({ oid }) => given(oid)) };
    const after = rows(20).filter(({ address }) => compareOids(address, varbinds[0]?.oid ?? '') > 0);
    return { varbinds: after.slice(0, errorIndex).map(({ address }) => given(address)) };
  });
  for (const bulk of ['true', 'false']) {
    const running = new RunningConnector(vars(agent.port, { bulk }));
    t.after(() => running.stop());
    running.setPoints([...rows(8), { name: 'text', address: `${column}.4`, datatype: 's' }]);
    await running.start();
    for (const name of ['1', '2', '6', '7', '8']) await running.until(name, (each) => each.quality === quality.good);
    for (const name of ['3', '4', '5', 'text']) {
      await running.until(name, (each) => each.quality === quality.bad.sensorFailure);
    }
    const trace = running.connector.explain?.(running.point('3'));
    assert.deepEqual([trace?.raw, trace?.value], ['wrongly encoded 00:ff:ff:ff:ff', undefined]);
  }
  t.after(() => agent.stop());
});

test('an answer to GETBULK that ends early is completed, and one out of order is not believed', async (t) => {
  const walk = (after: string, count: number) =>
    rows(100)
      .map(({ address }) => address)
      .filter((oid) => compareOids(oid, after) > 0)
      .slice(0, count)
      .map(value);
  const short = await FakeAgent.start(({ type, varbinds, errorIndex }) => {
    if (type === pduType.get) return { varbinds: varbinds.map(({ oid }) => value(oid)) };
    return { varbinds: walk(varbinds[0]?.oid ?? '', Math.min(3, errorIndex)) };
  });
  await allGood(await start(t, short, 12), 12);
  assert.ok(short.requests.some(({ type }) => type === pduType.getBulk));
  const wrong = await FakeAgent.start(({ type, varbinds, errorIndex }) => {
    if (type === pduType.get) return { varbinds: varbinds.map(({ oid }) => value(oid)) };
    return { varbinds: walk(varbinds[0]?.oid ?? '', errorIndex).reverse() };
  });
  const running = await start(t, wrong, 12);
  await allGood(running, 12);
  const asked = wrong.requests.length;
  await until('the next scans', () => wrong.requests.length > asked + 3);
  assert.ok(wrong.requests.slice(asked).every(({ type }) => type === pduType.get));
});

test('a column within another is read as far as its own walk has come, not as the other one’s', async (t) => {
  const indexes = [10, 11, 12, 13];
  const oids = [...indexes.map((index) => `${column}.${index}`), ...indexes.map((index) => `${column}.5.${index}`)];
  const has = oids.toSorted(compareOids);
  const agent = await FakeAgent.start(({ type, varbinds, errorIndex: repetitions }) => {
    const integer = (oid: string) => encodeValue(oid, oids.indexOf(oid), 'integer');
    if (type !== pduType.getBulk) return { varbinds: varbinds.map(({ oid }) => integer(oid)) };
    const walks = varbinds.map(({ oid }) => has.filter((each) => compareOids(each, oid) > 0));
    const walked = Array.from({ length: repetitions }, (_, row) => walks.map((walk) => walk[row]));
    const all = walked.flat().map((oid) => (oid === undefined ? assert.fail('it walks beyond the end') : integer(oid)));
    return { varbinds: all.slice(0, 7) }; // the last row of the inner column does not fit
  });
  const running = new RunningConnector(vars(agent.port));
  t.after(async () => {
    await running.stop();
    agent.stop();
  });
  running.setPoints(oids.map((address, at) => ({ name: `${at}`, address, datatype: 'i' as const })));
  await running.start();
  for (const at of oids.keys()) {
    const reading = await running.until(`${at}`, () => true);
    assert.deepEqual([reading.value, reading.quality], [at, quality.good], `${oids[at]}`);
  }
  assert.ok(agent.requests.some(({ type, varbinds }) => type === pduType.getBulk && varbinds.length === 2));
});

test('an agent that answers with other objects, or too few, is taken for silent', async (t) => {
  const answers: ((oids: readonly string[]) => FakeAnswer)[] = [
    (oids) => ({ varbinds: oids.map((oid) => ({ ...value(oid), oid: `${oid}.1` })) }),
    (oids) => ({ varbinds: oids.slice(1).map(value) }),
    (oids) => ({ varbinds: [...oids, ...oids].map(value) }),
  ];
  for (const answer of answers) {
    let isWrong = false;
    const agent = await FakeAgent.start(({ varbinds }) => {
      const oids = varbinds.map(({ oid }) => oid);
      return isWrong ? answer(oids) : { varbinds: oids.map(value) };
    });
    const running = await start(t, agent, 3);
    await running.until('1', (reading) => reading.quality === quality.good);
    isWrong = true;
    await running.until('1', (reading) => reading.quality === quality.bad.communicationFailure);
    isWrong = false;
    await running.until('1', (reading) => reading.quality === quality.good);
  }
});

test('an answer of somebody else is never believed, though it has all that the right one has', async (t) => {
  const strange = createSocket('udp4');
  t.after(() => strange.close());
  const agent = await FakeAgent.start(({ varbinds }) => ({ varbinds: varbinds.map(({ oid }) => value(oid)) }));
  let forged = 0;
  agent.socket.prependListener('message', (bytes, from) => {
    const message = decodeMessage(bytes);
    if (message.version !== '2c') return;
    const { requestId, varbinds } = message.pdu;
    const lies = varbinds.map(({ oid }) => encodeValue(oid, 666, 'integer'));
    const head = { type: pduType.response, requestId, errorStatus: 0, errorIndex: 0 };
    const pdu = encodePdu(head, encodeVarbinds(lies));
    strange.send(encodeCommunityMessage('2c', message.community, pdu), from.port, from.address);
    forged++;
  });
  const running = await start(t, agent, 3);
  const seen = new Set<unknown>();
  await until('many answers', () => {
    seen.add(running.readings.get('1')?.value);
    return forged > 20;
  });
  assert.ok(!seen.has(666));
});

test('an answer of version 3 that is not signed is never believed where signed ones are asked for', async (t) => {
  const user = { user: 'operator', authKey: 'first key', privKey: 'second key' };
  const real = new UsmUser({ ...user, securityLevel: 'authPriv', authProtocol: 'sha256', privProtocol: 'aes' });
  const engineId = Buffer.from('80001f8805aabbccdd', 'hex');
  const none = Buffer.alloc(0);
  const open = { isAuthenticated: false, isEncrypted: false, isReportable: false };
  const security = { engineId, engineBoots: 1, engineTime: 1, authParameters: none, privParameters: none };
  let forged = 0;
  let isHonest = false;
  const agent = await FakeAgent.raw((bytes, send) => {
    const message = decodeMessage(bytes);
    if (message.version !== '3') return;
    const { msgId } = message;
    if (!message.isAuthenticated) {
      const counter = { oid: '1.3.6.1.6.3.15.1.1.4.0', tag: tag.counter32, content: Buffer.of(1) };
      const report = encodePdu(
        { type: pduType.report, requestId: 0, errorStatus: 0, errorIndex: 0 },
        encodeVarbinds([counter]),
      );
      const scoped = encodeScoped(engineId, '', report);
      send(encodeSecured({ msgId, ...open, ...security, user: '', scoped }).bytes);
      return;
    }
    const { pdu } = real.open(message);
    const lies = pdu.varbinds.map(({ oid }) => encodeValue(oid, isHonest ? 1 : 666, 'integer'));
    const head = { type: pduType.response, requestId: pdu.requestId, errorStatus: 0, errorIndex: 0 };
    const scoped = encodeScoped(engineId, '', encodePdu(head, encodeVarbinds(lies)));
    forged++;
    if (isHonest) send(real.seal({ engineId, boots: 1, time: 1 }, { msgId, isReportable: false }, scoped));
    else send(encodeSecured({ msgId, ...open, ...security, user: 'operator', scoped }).bytes);
  });
  const running = new RunningConnector(vars(agent.port, { ...user, version: '3' }));
  t.after(async () => {
    await running.stop();
    agent.stop();
  });
  running.setPoints(rows(1));
  await assert.rejects(running.start(), { name: 'NotConnected' });
  assert.ok(forged > 0);
  assert.equal(running.readings.get('1'), undefined);
  await running.connector.close();
  isHonest = true;
  await running.start();
  await running.until('1', (reading) => reading.value === 1 && reading.quality === quality.good);
});

test('a browse has no more items than were asked for, and goes on where it ended', { timeout: 15_000 }, async (t) => {
  const groups = 7;
  const agent = await FakeAgent.start(({ type, varbinds }) => ({
    varbinds: varbinds.map(({ oid }) => {
      if (type === pduType.get) return encodeValue(oid, 1, 'integer');
      const found = [
        ...Array.from({ length: groups }, (_, group) => `1.3.6.1.2.1.${group + 1}.1.0`),
        '1.3.6.1.4.1.99999.1.0',
      ].find((each) => compareOids(each, oid) > 0);
      if (found === undefined) return { oid, tag: tag.endOfMibView, content: Buffer.alloc(0) };
      return encodeValue(found, 1, 'integer');
    }),
  }));
  for (const limit of [1, 3, 7, 8, 100]) {
    const running = new RunningConnector(vars(agent.port));
    t.after(() => running.stop());
    running.setPoints([]);
    await running.start();
    const paths: (string | undefined)[] = [];
    let cursor: string | undefined;
    do {
      const page = await running.connector.browse?.({ path: undefined, cursor, limit }, new AbortController().signal);
      assert.ok((page?.items.length ?? 0) <= limit, `${page?.items.length} for ${limit}`);
      paths.push(...(page?.items.map(({ path }) => path) ?? []));
      cursor = page?.cursor;
    } while (cursor !== undefined && paths.length < 50);
    const expected = Array.from({ length: groups }, (_, group) => `1.3.6.1.2.1.${group + 1}`);
    assert.deepEqual(paths, [...expected, '1.3.6.1.4.1'], `${limit}`);
  }
  const hosts = ['a', 'b', 'c'].map((name) => `${name}=127.0.0.1:${agent.port}`).join(',');
  const several = new RunningConnector({ ...vars(agent.port), hosts });
  t.after(async () => {
    await several.stop();
    agent.stop();
  });
  several.setPoints([]);
  await several.start();
  const browse = async (cursor?: string) =>
    several.connector.browse?.({ path: undefined, cursor, limit: 2 }, new AbortController().signal);
  const page = await browse();
  assert.deepEqual(
    page?.items.map(({ path }) => path),
    ['a/', 'b/'],
  );
  const rest = await browse(page?.cursor);
  assert.deepEqual(
    rest?.items.map(({ path }) => path),
    ['c/'],
  );
  assert.equal(rest?.cursor, undefined);
  await assert.rejects(browse('x'), { name: 'Refused' });
});
