// A command that is on its way to a site that stands still is never carried out late.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '@telltale/schema';
import { FaultProxy, until } from '@telltale/stack-kit/testing';
import { cleanupOf, type Scope, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { Nats, type NatsServer, withoutNats } from '../../../../../test/engines/nats.ts';
import type { CommandSiteOptions, CommandSiteSaid } from '../../../test/bus/command-site-process.ts';
import { PartProcess } from '../../../test/bus/part-process.ts';
import { connectBus } from '../../../test/bus-peers.ts';
import type { BusConnection } from '../connection/bus-connection.ts';
import { Sites } from '../sites/sites.ts';
import { type Forwarded, Forwarder } from './forwarder.ts';

const site = 'works';
const stillMs = 6000;

interface World {
  readonly nats: NatsServer;
  readonly process: PartProcess<CommandSiteOptions, CommandSiteSaid>;
  readonly line: FaultProxy;
}

interface Centre {
  readonly bus: BusConnection;
  readonly sites: Sites;
  put(path: string, beginMs?: number): Forwarded;
  outcomeOf: Forwarder['outcomeOf'];
}

async function start(scope: Scope): Promise<World> {
  const [nats] = (await Nats.start(scope)).servers as [NatsServer];
  const line = cleanupOf(scope).use(await FaultProxy.start({ host: '127.0.0.1', port: nats.port }));
  const process = new PartProcess<CommandSiteOptions, CommandSiteSaid>(
    scope,
    new URL('../../../test/bus/command-site-process.ts', import.meta.url),
  );
  await process.start({ folder: temporaryFolder(scope), url: `nats://127.0.0.1:${line.port}`, site });
  return { nats, line, process };
}

async function centreAt(scope: Scope, { nats }: World, name: string): Promise<Centre> {
  const bus = await connectBus(scope, { url: nats.url, name });
  const sites = new Sites({ bus, clock: systemClock });
  const forwarder = new Forwarder({ bus, clock: systemClock, sites, centre: name });
  sites.start();
  forwarder.start();
  cleanupOf(scope).defer(() => sites.stop());
  cleanupOf(scope).defer(() => forwarder.stop());
  await until('the site is there', () => sites.momentAt(site) !== undefined);
  const put = (path: string, beginMs = 4000) => {
    const request = { method: 'PUT', path, headers: {}, caller: {} };
    return forwarder.forward(site, request, { isEnd: true, times: { beginMs, answerMs: 30_000 } });
  };
  return { bus, sites, put, outcomeOf: (...of) => forwarder.outcomeOf(...of) };
}

const stall = { kind: 'stall' } as const;
const ways: Record<string, { begin(world: World): unknown; end(world: World): unknown }> = {
  'its process is stopped': { begin: ({ process }) => process.freeze(), end: ({ process }) => process.thaw() },
  'the line holds everything up': {
    begin: ({ line }) => line.setFaults({ toDevice: stall, toClient: stall }),
    end: ({ line }) => line.setFaults({}),
  },
};

describe('a site that stands still for 6 s', { skip: withoutNats }, () => {
  for (const [what, { begin, end }] of Object.entries(ways)) {
    test(`carries out no command that came meanwhile, where ${what}`, async (t) => {
      const world = await start(t);
      const { sites, put, outcomeOf } = await centreAt(t, world, 'centre1');
      await put('/before').answer;
      await begin(world);
      const commands = [put('/short', 1000), put('/usual')];
      for (const { answer } of commands) await assert.rejects(answer, { word: 'unknown' });
      assert.equal(sites.of(site)?.isUp, false);
      assert.throws(() => put('/silent'), { word: 'away' });
      await sleep(stillMs - 4000);
      await end(world);
      await until('the site is back', () => sites.momentAt(site) !== undefined);
      for (const { id } of commands) assert.deepEqual(await outcomeOf(site, id), { state: 'not-begun' });
      await put('/after').answer;
      assert.deepEqual(world.process.said.done, ['/before', '/after']);
    });
  }

  test('carries out none of a centre that is gone meanwhile, though all of it came: but for one with more time', async (t) => {
    const world = await start(t);
    const gone = await centreAt(t, world, 'centre1');
    world.process.freeze();
    const commands = [gone.put('/usual'), gone.put('/long', 60_000)];
    await gone.bus.flushed();
    await gone.bus.stop();
    for (const { answer } of commands) await assert.rejects(answer, { word: 'unknown' });
    await sleep(stillMs);
    world.process.thaw();
    const { put } = await centreAt(t, world, 'centre2');
    await put('/after').answer;
    assert.deepEqual(world.process.said.done, ['/long', '/after']);
  });
});
