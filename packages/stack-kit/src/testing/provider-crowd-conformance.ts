// What is asked of every provider when clients come and go, vanish or talk nonsense, or whom it serves is lost.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FaultDice } from './fault.ts';
import { allowedGrowth, memoryInUse, settledHoldings, untilNoMoreThan } from './leaks.ts';
import { accepts } from './peer-process.ts';
import type { ProviderBench } from './provider-bench.ts';
import type { Serving } from './provider-conformance.ts';
import { record } from './recorder.ts';
import { type Rounds, untilEnough, warmUps } from './rounds.ts';
import { nearlySense, nonsense, visit, wait } from './strangers.ts';
import { until } from './until.ts';

const atOnce = 10;
const nearlySenses = 200;

export function testCrowds(
  world: ProviderBench['world'],
  bench: () => ProviderBench,
  serving: Serving,
  clients: Rounds,
): void {
  const listens = world.startServed === undefined && world.transport !== 'none';
  const startAndStop = async () => {
    const hosted = await bench().startProvider();
    bench().publishAll(hosted, 0);
    await bench().withClient((client) => bench().untilAllSeen(client, 0));
    await hosted.stop();
    assert.deepEqual(hosted.wrong, []);
  };

  test('it is started and stopped, again and again, and nothing is left', async () => {
    await startAndStop();
    const before = await settledHoldings();
    for (let turn = 0; turn < 4; turn++) await startAndStop();
    await untilNoMoreThan(before);
    if (listens && world.transport === 'tcp') assert.equal(await accepts(bench().endpoint.port), false);
  });

  test('it is stopped while clients are there: they are let go, and the port is free at once', {
    skip: !listens && 'it does not listen',
  }, async () => {
    const hosted = await bench().startProvider();
    await bench().withClient(async (client) => {
      bench().publishAll(hosted, 0);
      await bench().untilAllSeen(client, 0);
      const silent = world.transport === 'tcp' ? await wait(bench().endpoint) : undefined;
      await hosted.stop();
      if (silent !== undefined) {
        await until('a client is let go', () => silent.destroyed, { deadlineMs: 3000 }).finally(() => silent.destroy());
      }
    });
    assert.deepEqual(hosted.wrong, []);
    await startAndStop();
  });

  if (world.startServed !== undefined) testLossOfServed(bench, serving, clients);
  if (!listens) return;

  const visitor = (said: Buffer[], dice: FaultDice) => visit(world.transport, bench().endpoint, said, dice);

  test('clients that talk nonsense or vanish harm nobody', () =>
    serving(async (hosted, client) => {
      const dice = new FaultDice({ kind: 'garble', oneIn: 1, seed: 42 });
      for (let turn = 0; turn < 60; turn++) {
        await visitor(nonsense(dice), dice);
        if (turn % 20 !== 0) continue;
        bench().publishAll(hosted, turn);
        await bench().untilAllSeen(client, turn);
      }
      await bench().withClient((newcomer) => bench().untilAllSeen(newcomer, 40));
      assert.deepEqual([hosted.state, hosted.writes], ['up', []]);
    }));

  test('clients that talk nearly sense harm nobody', () =>
    serving(async (hosted, client) => {
      bench().publishAll(hosted, 0);
      const conversations = await overheard(bench());
      const dice = new FaultDice({ kind: 'garble', oneIn: 1, seed: 99 });
      for (let turn = 0; turn < nearlySenses; turn++) {
        const conversation = conversations[dice.below(conversations.length)] ?? [];
        await visitor(nearlySense(conversation, dice), dice);
      }
      bench().publishAll(hosted, 1);
      await bench().untilAllSeen(client, 1);
      await bench().withClient((newcomer) => bench().untilAllSeen(newcomer, 1));
      assert.equal(hosted.state, 'up');
    }));

  test('clients that come and go do not add up: no handle, no listener, no memory', (t) =>
    serving(async (hosted, client) => {
      const dice = new FaultDice({ kind: 'garble', oneIn: 1, seed: 7 });
      const crowd = () => Promise.all(Array.from({ length: atOnce }, () => visitor(nonsense(dice), dice)));
      for (let turn = 0; turn < 5; turn++) await crowd();
      const [handles, memory] = [await settledHoldings(), await memoryInUse()];
      const came = atOnce * (await untilEnough({ ...clients, count: Math.ceil((5 * clients.count) / atOnce) }, crowd));
      t.diagnostic(`${came} clients`);
      await untilNoMoreThan(handles);
      const growth = (await memoryInUse()) - memory;
      t.diagnostic(`${Math.round(growth / 1024)} KiB more memory in use`);
      assert.ok(growth <= allowedGrowth(came), `${growth} bytes more after ${came} clients`);
      bench().publishAll(hosted, 1);
      await bench().untilAllSeen(client, 1);
    }));
}

/** What a client says when it reads everything. */
async function overheard(bench: ProviderBench): Promise<readonly (readonly Buffer[])[]> {
  const { world, endpoint } = bench;
  await using recorder = await record(world.transport, endpoint);
  const client = await world.connectClient(recorder.endpoint);
  try {
    await bench.untilAllSeen(client, 0);
  } finally {
    await client.close();
  }
  const conversations = recorder.conversations.filter(({ length }) => length > 0);
  assert.ok(conversations.length > 0, 'the client has said nothing');
  return conversations;
}

function testLossOfServed(bench: () => ProviderBench, serving: Serving, reconnects: Rounds): void {
  test('whom it serves is lost: it comes back by itself, and everything is seen again', () =>
    serving(async (hosted, client) => {
      const way = bench().way ?? assert.fail('it connects to nobody');
      bench().publishAll(hosted, 0);
      await bench().untilAllSeen(client, 0);
      for (const lose of [() => way.reset(), () => way.hangUp(), () => way.cut()]) {
        const { connects } = hosted.connection.status().counters;
        await lose();
        await until(
          'the loss is noticed',
          () => hosted.state !== 'up' || hosted.connection.status().counters.connects > connects,
        );
        // Published while nobody is there to take it: whoever comes back sees the newest.
        bench().publishAll(hosted, 1);
        await way.repair();
        await until('it is up again', () => hosted.connection.status().counters.connects > connects);
        await bench().untilAllSeen(client, 1);
        bench().publishAll(hosted, 2);
        await bench().untilAllSeen(client, 2);
      }
    }));

  test('links that are lost and made again do not add up: no handle, no listener, no memory', (t) =>
    serving(async (hosted, client) => {
      let turn = 0;
      const relink = async () => {
        const { connects } = hosted.connection.status().counters;
        bench().way?.reset();
        await until('it is up again', () => hosted.connection.status().counters.connects > connects);
        bench().publishAll(hosted, ++turn % 2);
        await bench().untilAllSeen(client, turn % 2);
      };
      await untilEnough(warmUps, relink);
      await bench().way?.forget();
      const [handles, memory] = [await settledHoldings(), await memoryInUse()];
      const made = await untilEnough(reconnects, relink);
      t.diagnostic(`${made} links`);
      await bench().way?.forget();
      await untilNoMoreThan(handles);
      const growth = (await memoryInUse()) - memory;
      t.diagnostic(`${Math.round(growth / 1024)} KiB more memory in use`);
      assert.ok(growth <= allowedGrowth(made), `${growth} bytes more after ${made} links`);
    }));
}
