import assert from 'node:assert/strict';
import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { describe, test } from 'node:test';
import { systemClock } from '@telltale/schema';
import { ManualClock } from '@telltale/schema/testing';
import { HostNames } from './host-names.ts';
import { cleanupOf } from './testing/cleanup.ts';

const first: LookupAddress[] = [{ address: '10.0.0.1', family: 4 }];
const second: LookupAddress[] = [{ address: '10.0.0.2', family: 4 }];
const failure = (code: string) => Object.assign(new Error(code), { code });

function setUp() {
  const clock = new ManualClock();
  const asked: PromiseWithResolvers<LookupAddress[]>[] = [];
  const names = new HostNames(clock, () => {
    const question = Promise.withResolvers<LookupAddress[]>();
    asked.push(question);
    return question.promise;
  });
  return { clock, asked, names };
}

describe('the name of a host', () => {
  test('is asked for once at a time, however often it is wanted, and anew afterwards', async () => {
    const { asked, names } = setUp();
    const [one, other] = [names.addresses('plc'), names.addresses('plc')];
    assert.equal(asked.length, 1);
    asked[0]?.resolve(first);
    assert.deepEqual([await one, await other], [first, first]);
    const later = names.addresses('plc');
    assert.equal(asked.length, 2);
    asked[1]?.resolve(second);
    assert.deepEqual(await later, second);
  });

  test('that the system takes long for is what it was before, and the newest word counts from then on', async () => {
    const { clock, asked, names } = setUp();
    const known = names.addresses('plc');
    asked[0]?.resolve(first);
    await known;
    const late = names.addresses('plc');
    clock.advance(1000);
    assert.deepEqual(await late, first);
    const stillLate = names.addresses('plc');
    assert.equal(asked.length, 2);
    asked[1]?.resolve(second);
    assert.deepEqual(await stillLate, second);
    assert.equal(clock.pending, 0);
  });

  test('that the name server does not answer is what it was before; one that there is no more is an error', async () => {
    const { clock, asked, names } = setUp();
    const unknown = names.addresses('plc');
    asked[0]?.reject(failure('EAI_AGAIN'));
    await assert.rejects(unknown, { code: 'EAI_AGAIN' });
    const known = names.addresses('plc');
    asked[1]?.resolve(first);
    await known;
    const silent = names.addresses('plc');
    asked[2]?.reject(failure('EAI_AGAIN'));
    assert.deepEqual(await silent, first);
    const gone = names.addresses('plc');
    asked[3]?.reject(failure('ENOTFOUND'));
    await assert.rejects(gone, { code: 'ENOTFOUND' });
    assert.equal(clock.pending, 0);
  });

  test('of the system leads a connection to its host, and one that cannot be is its error', async (t) => {
    const cleanup = cleanupOf(t);
    const server = createServer().listen(0, '127.0.0.1');
    cleanup.defer(() => void server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const { lookup } = new HostNames(systemClock);
    for (const autoSelectFamily of [true, false]) {
      const socket = connect({ host: 'localhost', port, family: 4, lookup, autoSelectFamily });
      cleanup.defer(() => void socket.destroy());
      await once(socket, 'connect');
    }
    const silent = new HostNames(systemClock, () => Promise.reject(failure('ENOTFOUND')));
    const lost = connect({ host: 'nowhere', port, lookup: silent.lookup });
    await assert.rejects(once(lost, 'connect'), { code: 'ENOTFOUND' });
  });
});
