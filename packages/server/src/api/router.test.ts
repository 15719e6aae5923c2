// Promises of finding what a request is for.
import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { test } from 'node:test';
import type { Route } from './route.ts';
import { Router } from './router.ts';

const common = {
  effect: { action: 'read', resource: 'service' },
  permission: 'public',
  audited: false,
  answer: { status: 200, description: '' },
  problems: [],
  handle: () => '',
} as const;
const routes: Route[] = [
  { ...common, method: 'GET', path: '/things/:name', id: 'get' },
  { ...common, method: 'DELETE', path: '/things/:name', id: 'delete' },
  { ...common, method: 'GET', path: '/things/names', id: 'names' },
];
const router = new Router(routes, ({ id }) => id);
const find = (method: string, url: string) => {
  const { endpoint, params, query } = router.find({ method, url } as IncomingMessage, {} as ServerResponse);
  return [endpoint, params.name, query];
};

test('the same is found for a URL each time, however many others were asked for in between', () => {
  for (let round = 0; round < 3; round++) {
    for (let number = 0; number < 1500; number++) {
      assert.deepEqual(find('GET', `/things/x${number}?fields=a`), ['get', `x${number}`, 'fields=a']);
      assert.deepEqual(find('GET', `/things/x${number}`), ['get', `x${number}`, '']);
    }
    assert.deepEqual(find('GET', '/things/names'), ['names', undefined, '']);
  }
});

test('what was found for one method is not found for another', () => {
  assert.deepEqual(find('GET', '/things/a'), ['get', 'a', '']);
  assert.deepEqual(find('DELETE', '/things/a'), ['delete', 'a', '']);
  assert.deepEqual(find('HEAD', '/things/a'), ['get', 'a', '']);
  assert.deepEqual(find('GET', '/things/a'), ['get', 'a', '']);
});
