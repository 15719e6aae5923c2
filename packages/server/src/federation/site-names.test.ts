// What a site that says another name all the time may cost the store: one statement at a time, and the newest name in the end.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { SiteNames } from './site-names.ts';

test('the store is told one name at a time, and the newest of many', async () => {
  const told: string[] = [];
  let answer = Promise.withResolvers<void>();
  const names = new SiteNames(async (site, name) => {
    told.push(`${site} ${name}`);
    await answer.promise;
  });
  names.said('north', 'North');
  for (let at = 0; at < 1000; at++) names.said('north', `North ${at}`);
  names.said('south', 'South');
  await turn();
  assert.deepEqual(told, ['north North']);
  answer.resolve();
  await turn();
  assert.deepEqual(told, ['north North', 'north North 999', 'south South']);
  // What the store was not told is told when it is said again.
  answer = Promise.withResolvers();
  names.said('south', 'Southern');
  answer.reject(new Error('the store is away'));
  await turn();
  answer = Promise.withResolvers();
  answer.resolve();
  names.said('south', 'Southern');
  await turn();
  assert.deepEqual(told.slice(3), ['south Southern', 'south Southern']);
});
