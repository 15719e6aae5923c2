// What a centre asks a site for is given up when nobody waits for it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '@telltale/stack-kit/testing';
import { ExchangeWorld, siteId } from '../../test/bus/exchange-world.ts';
import { localCaller } from '../access/index.ts';
import { askSite } from './ask-site.ts';

test('what a centre asks a site for ends when nobody waits for it any more', async (t) => {
  const world = await ExchangeWorld.start(t);
  world.handle = () => undefined;
  const stop = new AbortController();
  const asked = askSite(world.forwarder, siteId, '/data/measurements', localCaller, stop.signal);
  await until('it is begun', () => world.done.length === 1);
  assert.equal(world.forwarder.open, 1);
  stop.abort();
  await assert.rejects(asked, /nobody waits for the answer/);
  await until('nothing is left', () => world.open === 0 && world.forwarder.open === 0);
  const late = askSite(world.forwarder, siteId, '/data/measurements', localCaller, stop.signal);
  await assert.rejects(late, /nobody waits for the answer/);
});
