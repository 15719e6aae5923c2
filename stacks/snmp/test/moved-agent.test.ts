// The session with an agent that is found elsewhere by and by.
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { test } from 'node:test';
import { ManualClock } from '@telltale/schema/testing';
import { until } from '@telltale/stack-kit/testing';
import { communityAccount } from '../src/account.ts';
import { AgentSession } from '../src/agent-session.ts';
import { decodeMessage, encodeCommunityMessage } from '../src/message.ts';
import { encodePdu, encodeVarbinds, pduType } from '../src/pdu.ts';
import { encodeValue } from '../src/snmp-value.ts';
import { FakeAgent } from './fake-agent.ts';

const column = '1.3.6.1.4.1.99999.1';
const value = (oid: string) => encodeValue(oid, Number(oid.slice(column.length + 1)), 'integer');

test('an agent whose name leads elsewhere by now is found there after a while, and not given up while a set waits', {
  timeout: 15_000,
}, async (t) => {
  let isSilent = false;
  const first = await FakeAgent.start(({ varbinds }) =>
    isSilent ? undefined : { varbinds: varbinds.map(({ oid }) => value(oid)) },
  );
  // The same port at another address of this machine, as after a change of the name.
  const moved = createSocket('udp4');
  moved.on('message', (bytes, from) => {
    const message = decodeMessage(bytes);
    if (message.version !== '2c') return;
    const { requestId, varbinds } = message.pdu;
    const head = { type: pduType.response, requestId, errorStatus: 0, errorIndex: 0 };
    const list = encodeVarbinds(varbinds.map(({ oid }) => value(oid)));
    moved.send(encodeCommunityMessage('2c', message.community, encodePdu(head, list)), from.port, from.address);
  });
  moved.bind(first.port, '127.0.0.2');
  await once(moved, 'listening');
  let address = '127.0.0.1';
  let lookups = 0;
  const clock = new ManualClock();
  const session = new AgentSession({
    host: { name: 'a', account: undefined, host: 'agent.example', port: first.port },
    clock,
    timeoutMs: 300,
    retries: 0,
    account: communityAccount('a', '2c', 'secret', false),
    resolve: async () => {
      lookups++;
      return address;
    },
  });
  t.after(() => {
    session.close();
    moved.close();
    first.stop();
  });
  const { signal } = new AbortController();
  const get = () => session.read({ type: pduType.get, varbinds: encodeVarbinds([value(`${column}.1`)]) }, signal);
  await get();
  await get();
  assert.equal(lookups, 1);
  address = '127.0.0.2';
  isSilent = true;
  const silent = async (asking: Promise<unknown>) => {
    const asked = first.requests.length;
    const rejected = assert.rejects(asking, { name: 'NoAnswer' });
    await until('it is asked', () => first.requests.length > asked);
    clock.advance(300);
    await rejected;
  };
  const set = session.set(encodeVarbinds([value(`${column}.1`)]), signal);
  set.catch(() => undefined);
  await until('the set is sent', () => first.requests.at(-1)?.type === pduType.set);
  for (let each = 0; each < 4; each++) await silent(get());
  assert.equal(lookups, 1);
  clock.advance(5000);
  await assert.rejects(set, { name: 'NoAnswer' });
  await get();
  assert.equal(lookups, 2);
});
