// Promises of the routes of the page.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findPageRoute, pageRoutes, siteBaseOf } from './page-routes.ts';

const found = (path: string) => {
  const { route, params } = findPageRoute(path) ?? {};
  return [route, ...(params?.values() ?? [])];
};

test('every route is found by a path of its form, with what stands for its parameters', () => {
  for (const route of pageRoutes) {
    const path = route.replaceAll(/:\w+/g, 'x');
    assert.deepEqual(found(path), [route, ...(route.match(/:\w+/g) ?? []).map(() => 'x')]);
  }
});

test('a view of its own goes before one of any name', () => {
  assert.deepEqual(found('/config/changes'), ['/config/changes']);
  assert.deepEqual(found('/config/measurements'), ['/config/:family', 'measurements']);
});

test('slashes too many change nothing, and names are decoded', () => {
  assert.deepEqual(found('//points//a%2Fb/'), ['/points/:name', 'a/b']);
  assert.deepEqual(found('/points/__proto__'), ['/points/:name', '__proto__']);
});

test('what is no view, or cannot be decoded, is not found', () => {
  for (const path of ['/nothing', '/points/a/b', '/points/%ff', '/Points', '/points/%']) {
    assert.equal(findPageRoute(path), undefined, path);
  }
});

test('what is below a site is of its page, and nothing else is', () => {
  assert.equal(siteBaseOf('/sites/north'), '/sites/north');
  assert.equal(siteBaseOf('/sites/north/'), '/sites/north');
  assert.equal(siteBaseOf('/sites/a%2Fb/points/p1'), '/sites/a%2Fb');
  for (const path of ['/', '/sites', '/sites/', '/sitesnorth/a', '/points/sites/north'])
    assert.equal(siteBaseOf(path), '');
});
