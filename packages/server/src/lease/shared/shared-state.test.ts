// Promises of what a site shares in etcd, against a model and with a real etcd.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FaultProxy, until } from '@telltale/stack-kit/testing';
import { cleanupOf } from '@telltale/stack-kit/testing/cleanup';
import fc from 'fast-check';
import { Etcd, withoutEtcd } from '../../../../../test/engines/etcd.ts';
import { SeededRandom, testSeed } from '../../../../../test/seeded-random.ts';
import { etcdClient } from '../../../test/lease-world.ts';
import { lead, nameOf, startFollower, storedParts } from '../../../test/shared-world.ts';
import { LeaseLost, NotShared } from './shared-errors.ts';
import type { SharedChange } from './shared-state.ts';

const random = new SeededRandom(testSeed);
/** Much of it in common with another of another salt. */
const long = (length: number, salt: number) => {
  const bytes = Buffer.from(new SeededRandom(7).bytes(length));
  bytes.writeUInt32LE(salt, Math.floor(length / 2));
  return bytes;
};

const names = fc.constantFrom('a', 'b', 'head', 'ä/b', '..', ' ', '%2F', 'x'.repeat(200));
const families = fc.constantFrom('commands', 'alarms', 'state', 'parts');
const value = fc.oneof(
  { weight: 8, arbitrary: fc.string({ unit: 'binary', maxLength: 50 }).map((text) => Buffer.from(text)) },
  { weight: 1, arbitrary: fc.integer({ min: 8191, max: 8194 }).map((length) => long(length, 0)) },
  { weight: 1, arbitrary: fc.nat(3).map((salt) => long(700_000, salt)) },
  { weight: 3, arbitrary: fc.constant(undefined) },
);
const change: fc.Arbitrary<SharedChange> = fc.record({ family: families, name: names, bytes: value });
/** Changes that are begun together, each of several entries. */
const rounds = fc.array(fc.array(fc.array(change, { maxLength: 5 }), { maxLength: 6 }), { maxLength: 5 });

describe('the shared state of a site', { skip: withoutEtcd }, () => {
  test('is what was acknowledged last, for whoever follows it and whoever leads next, and nothing is left over', async (t) => {
    const etcd = await Etcd.start(t);
    const known = startFollower(t, etcd);
    const model = new Map<string, string>();
    await fc.assert(
      fc.asyncProperty(rounds, async (all) => {
        const { state } = await lead(t, etcd, known);
        for (const round of all) {
          const done = round.map((changes) => state.change(changes));
          for (const { bytes, ...key } of round.flat()) {
            if (bytes === undefined) model.delete(nameOf(key));
            else model.set(nameOf(key), Buffer.from(bytes).toString('latin1'));
          }
          await Promise.all(done);
        }
        assert.deepEqual(new Map([...(await known.upToDate())].sort()), new Map([...model].sort()));
        const needed = new Set([...known.follower.large.values()].flatMap(({ parts }) => parts));
        await until('nothing is left over', async () => (await storedParts(t, etcd)).length <= needed.size);
        assert.deepEqual(new Set(await storedParts(t, etcd)), needed);
        await state.close();
      }),
      { numRuns: 30, seed: testSeed },
    );
    assert.equal(known.begun, 1);
    const late = startFollower(t, etcd);
    assert.deepEqual(new Map([...(await late.upToDate())].sort()), new Map([...model].sort()));
  });

  test('takes a crowd of changes in few transactions, in their order', async (t) => {
    const etcd = await Etcd.start(t);
    const known = startFollower(t, etcd);
    const { state, epoch } = await lead(t, etcd, known);
    const count = 5000;
    const done = Array.from({ length: count }, (_, at) => {
      const bytes = Buffer.from(String(at));
      return state.change([{ family: 'commands', name: `c${at % 1000}`, bytes }]);
    });
    await Promise.all(done);
    const texts = await known.upToDate();
    assert.equal(texts.size, 1000);
    for (let at = 0; at < 1000; at++) assert.equal(texts.get(`commands c${at}`), String(count - 1000 + at));
    const transactions = known.follower.revision - epoch;
    t.diagnostic(`${transactions} transactions`);
    assert.ok(transactions <= 60, `${transactions}`);
  });

  test('has a long value in parts, of which another version shares what is the same', async (t) => {
    const etcd = await Etcd.start(t);
    const known = startFollower(t, etcd);
    const { state } = await lead(t, etcd, known);
    const bytes = Buffer.from(random.bytes(5_000_000));
    await state.change([{ family: 'configuration', name: 'one', bytes }]);
    const before = await storedParts(t, etcd);
    const other = Buffer.concat([bytes.subarray(0, 2_000_000), Buffer.from('inserted'), bytes.subarray(2_000_000)]);
    await state.change([{ family: 'configuration', name: 'two', bytes: other }]);
    const after = await storedParts(t, etcd);
    assert.ok(before.length > 20 && after.length - before.length <= 2, `${before.length} and ${after.length}`);
    const texts = await known.upToDate();
    assert.equal(texts.get('configuration one'), bytes.toString('latin1'));
    assert.equal(texts.get('configuration two'), other.toString('latin1'));
    await state.change([{ family: 'configuration', name: 'one', bytes: undefined }]);
    await until('what only one needs is removed', async () => (await storedParts(t, etcd)).length === before.length);
  });

  test('takes nothing more of an epoch when another node leads, and says so', async (t) => {
    const etcd = await Etcd.start(t);
    const known = startFollower(t, etcd);
    const a = await lead(t, etcd, known);
    await a.state.change([{ family: 'commands', name: 'c', bytes: Buffer.from('a') }]);
    const b = await lead(t, etcd, known);
    const late = Array.from({ length: 300 }, (_, at) =>
      a.state.change([{ family: 'commands', name: `c${at}`, bytes: Buffer.from('late') }]),
    );
    for (const each of late) await assert.rejects(each, LeaseLost);
    await assert.rejects(a.state.change([]), /This node does not lead/);
    assert.deepEqual(await known.upToDate(), new Map([['commands c', 'a']]));
    await b.state.change([{ family: 'commands', name: 'c', bytes: Buffer.from('b') }]);
    assert.deepEqual([a.state.isOver, b.state.isOver], [true, false]);
  });

  test('says in time that etcd has not acknowledged a change, and goes on when it does', async (t) => {
    const etcd = await Etcd.start(t);
    const known = startFollower(t, etcd);
    const { state } = await lead(t, etcd, known);
    await etcd.members[0]?.freeze();
    const late = state.change([{ family: 'commands', name: 'c', bytes: Buffer.from('1') }], 500);
    await assert.rejects(late, (error: Error) => {
      assert.ok(error instanceof NotShared);
      assert.match(error.message, /^etcd has not acknowledged it within 0\.5 s/);
      return true;
    });
    const next = state.change([{ family: 'commands', name: 'd', bytes: Buffer.from('2') }], 60_000);
    etcd.members[0]?.thaw();
    await next;
    await state.change([{ family: 'commands', name: 'c', bytes: Buffer.from('3') }]);
    const texts = await known.upToDate();
    assert.deepEqual([texts.get('commands c'), texts.get('commands d')], ['3', '2']);
  });

  test('is read anew by who has fallen behind what etcd remembers', async (t) => {
    const etcd = await Etcd.start(t);
    const proxy = await FaultProxy.start({ host: '127.0.0.1', port: etcd.members[0]?.port ?? 0 });
    cleanupOf(t).use(proxy);
    const known = startFollower(t, etcd, { ports: [proxy.port] });
    const { state } = await lead(t, etcd, known);
    await state.change([{ family: 'commands', name: 'gone', bytes: Buffer.from('1') }]);
    assert.deepEqual(await known.upToDate(), new Map([['commands gone', '1']]));
    await proxy.refuse();
    proxy.reset();
    await state.change([{ family: 'commands', name: 'gone', bytes: undefined }]);
    await state.change([{ family: 'commands', name: 'new', bytes: Buffer.from('2') }]);
    const client = etcdClient(t, etcd);
    const { revision } = await client.range({ key: btoa('x') });
    await client.compact(revision);
    await until(
      'it says that it cannot follow',
      () => known.follower.failure?.includes('refuses connections') === true,
    );
    await proxy.listen();
    assert.deepEqual(await known.upToDate(), new Map([['commands new', '2']]));
    assert.deepEqual([known.begun, known.follower.failure], [2, undefined]);
  });

  test('is read with its long values by who comes when etcd has long forgotten how they were written', async (t) => {
    const etcd = await Etcd.start(t);
    const known = startFollower(t, etcd);
    const { state } = await lead(t, etcd, known);
    const long = 'a long value, '.repeat(10_000);
    await state.change([{ family: 'configuration', name: 'whole', bytes: Buffer.from(long) }]);
    await state.change([{ family: 'commands', name: 'c', bytes: Buffer.from('1') }]);
    const client = etcdClient(t, etcd);
    const { revision } = await client.range({ key: btoa('x') });
    await client.compact(revision);
    const late = startFollower(t, etcd);
    assert.deepEqual(
      await late.upToDate(),
      new Map([
        ['configuration whole', long],
        ['commands c', '1'],
      ]),
    );
    assert.equal(late.begun, 1);
  });

  test('is followed on where a watch falls silent without an end', async (t) => {
    const etcd = await Etcd.start(t);
    const target = { host: '127.0.0.1', port: etcd.members[0]?.port ?? 0 };
    const [first, second] = [await FaultProxy.start(target), await FaultProxy.start(target)];
    cleanupOf(t).use(first);
    cleanupOf(t).use(second);
    const known = startFollower(t, etcd, { ports: [first.port, second.port], ttlMs: 1000 });
    const { state } = await lead(t, etcd, known);
    await state.change([{ family: 'commands', name: 'c', bytes: Buffer.from('1') }]);
    await known.upToDate();
    first.setFaults({ toClient: { kind: 'discard' } });
    await state.change([{ family: 'commands', name: 'c', bytes: Buffer.from('2') }]);
    await until('it has heard of it', () => known.texts.get('commands c') === '2');
    assert.equal(known.begun, 1);
  });
});
