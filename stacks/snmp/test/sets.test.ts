// Sets: sent once, in their own time, and what is known of them afterwards.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { quality } from '@telltale/schema';
import { ManualClock } from '@telltale/schema/testing';
import { until } from '@telltale/stack-kit/testing';
import { communityAccount } from '../src/account.ts';
import { AgentSession } from '../src/agent-session.ts';
import { encodeVarbinds, errorStatus, pduType } from '../src/pdu.ts';
import { encodeValue } from '../src/snmp-value.ts';
import { column, rows, value, vars } from './agent-column.ts';
import { FakeAgent, type FakeAnswer } from './fake-agent.ts';
import { RunningConnector } from './running-connector.ts';

for (const version of ['2c', '3'] as const) {
  test(`version ${version}: an agent that is busy with a set, and answers no read, may take its time for it`, async (t) => {
    const held = Promise.withResolvers<FakeAnswer>();
    const agent = await FakeAgent.start((pdu) => {
      if (pdu.type !== pduType.set) return { varbinds: pdu.varbinds.map(({ oid }) => encodeValue(oid, 1, 'integer')) };
      agent.isSilent = true;
      return held.promise;
    });
    const running = new RunningConnector(vars(agent.port, version === '3' ? { ...agent.keys, version } : {}));
    t.after(async () => {
      await running.stop();
      agent.stop();
    });
    running.setPoints(rows(1), [{ name: 'set', address: `${column}.9`, datatype: 'i' }]);
    await running.start();
    await running.until('1', (reading) => reading.quality === quality.good);
    const write = running.write('set', 5);
    await until('the agent has the set', () => agent.isSilent);
    await running.until('1', (reading) => reading.quality === quality.bad.communicationFailure);
    const [set] = agent.requests.filter(({ type }) => type === pduType.set);
    agent.isSilent = false;
    held.resolve({ varbinds: set?.varbinds ?? [] });
    await write;
    await running.until('1', (reading) => reading.quality === quality.good);
    assert.equal(agent.requests.filter(({ type }) => type === pduType.set).length, 1);
  });
}

test('a set is sent once though nobody answers, and a read is sent again within its time', async (t) => {
  const agent = await FakeAgent.start(() => undefined);
  const clock = new ManualClock();
  const session = new AgentSession({
    host: { name: 'a', account: undefined, host: '127.0.0.1', port: agent.port },
    clock,
    timeoutMs: 300,
    retries: 2,
    account: communityAccount('a', '2c', 'secret', false),
  });
  t.after(() => {
    session.close();
    agent.stop();
  });
  const { signal } = new AbortController();
  const sent = (count: number) => until(`${count} were sent`, () => agent.requests.length === count);
  const read = assert.rejects(
    session.read({ type: pduType.get, varbinds: encodeVarbinds([value(`${column}.1`)]) }, signal),
    {
      name: 'NoAnswer',
      message: 'no answer within 300 ms',
    },
  );
  for (const count of [1, 2, 3]) {
    await sent(count);
    clock.advance(100);
  }
  await read;
  assert.equal(new Set(agent.requests.map(({ requestId }) => requestId)).size, 1);
  const set = assert.rejects(session.set(encodeVarbinds([value(`${column}.1`)]), signal), { name: 'NoAnswer' });
  await sent(4);
  for (let each = 0; each < 50; each++) clock.advance(100);
  await set;
  // Whatever was sent before this is there before it.
  const last = session.read({ type: pduType.getNext, varbinds: Buffer.alloc(0) }, signal).catch(() => undefined);
  await until('another is sent', () => agent.requests.at(-1)?.type === pduType.getNext);
  clock.advance(1000);
  assert.equal(agent.requests.filter(({ type }) => type === pduType.set).length, 1);
  session.close();
  await last;
  assert.equal(clock.pending, 0);
});

test('a set is refused where the agent says that it has not done it, and in doubt where it may have', async (t) => {
  let status = 0;
  const agent = await FakeAgent.start(({ type, varbinds }) =>
    type === pduType.set
      ? { status, index: status === 0 ? 0 : 1, varbinds }
      : { varbinds: varbinds.map(({ oid }) => value(oid)) },
  );
  const running = new RunningConnector(vars(agent.port));
  t.after(async () => {
    await running.stop();
    agent.stop();
  });
  running.setPoints(rows(1), rows(1));
  await running.start();
  await running.write('1', 5);
  const { genErr, commitFailed, undoFailed, ...others } = errorStatus;
  for (const each of [genErr, commitFailed, undoFailed, 19, 255, -1]) {
    status = each;
    await assert.rejects(running.write('1', 5), { name: 'unknown', message: /the agent answers/ }, `${each}`);
  }
  for (const each of Object.values(others).filter((known) => known !== 0)) {
    status = each;
    await assert.rejects(running.write('1', 5), { name: 'refused' }, `${each}`);
  }
});
