// What a centre promises of names: a site that says the name of another one, which may be away or not heard yet, does not get what is
// meant for that.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Beat } from '../bus/index.ts';
import { NamedSites } from './named-sites.ts';

const heard = (id: string, name: string) => ({ id, beat: { name } as Beat });
const unheard = (id: string) => ({ id, beat: undefined });
const store = 'postgresql://127.0.0.1/plant';

function named(options: { store?: string; members?: () => { role: string; name: string; title: string }[] } = {}) {
  return new NamedSites({ store: options.store, members: options.members ?? (() => []) });
}

test('a name is that of the site that the store has by it, also while that is away and another one says it', () => {
  const sites = named({ store });
  assert.equal(sites.nameOf(heard('b', 'north')), 'b');
  assert.equal(sites.isStoreRead, false);
  sites.stored([
    { id: 'a', name: 'north' },
    { id: 'b', name: 'b' },
    { id: 'c', name: 'north' },
  ]);
  const all = [heard('b', 'north'), unheard('a')];
  assert.deepEqual(
    all.map((each) => sites.nameOf(each)),
    ['b', 'north'],
  );
  assert.deepEqual(
    ['north', 'a', 'b', 'south'].map((wanted) => sites.find(wanted, all)),
    ['a', 'a', 'b', undefined],
  );
  assert.match(
    sites.warnings.join(),
    /site b says that it is called "north", which is the site a: here it is called b/,
  );
  assert.equal(sites.nameOf(heard('a', 'north')), 'north');
});

test('of two that were heard before the store was read, the one has the name that had it', () => {
  const sites = named({ store });
  assert.deepEqual([sites.nameOf(heard('b', 'north')), sites.nameOf(heard('a', 'north'))], ['b', 'a']);
  sites.stored([{ id: 'a', name: 'north' }]);
  assert.deepEqual([sites.nameOf(heard('b', 'north')), sites.nameOf(heard('a', 'north'))], ['b', 'north']);
});

test('without a store, a name is that of the first who says it, until that says another one', () => {
  const sites = named();
  assert.deepEqual([sites.nameOf(heard('a', 'north')), sites.nameOf(heard('b', 'north'))], ['north', 'b']);
  assert.equal(sites.warnings.length, 1);
  assert.equal(sites.nameOf(heard('a', 'east')), 'east');
  sites.stored([{ id: 'a', name: 'north' }]);
  assert.deepEqual([sites.nameOf(heard('b', 'north')), sites.warnings], ['north', []]);
});

test('the title of a member is its name alone, whoever said it before, and also before the store is read', () => {
  let members = [{ role: 'site', name: 'a', title: 'North works' }];
  const sites = named({ store, members: () => members });
  assert.deepEqual(
    [heard('b', 'North works'), unheard('a'), heard('a', 'North works'), heard('b', 'south')].map((each) =>
      sites.nameOf(each),
    ),
    ['b', 'North works', 'North works', 'b'],
  );
  sites.stored([]);
  assert.equal(sites.nameOf(heard('b', 'south')), 'south');
  members = [...members, { role: 'site', name: 'c', title: 'south' }];
  assert.deepEqual([sites.nameOf(heard('b', 'south')), sites.nameOf(unheard('c'))], ['b', 'south']);
  // It is renamed, and nobody else gets its title for that.
  assert.deepEqual([sites.nameOf(heard('a', 'yard')), sites.nameOf(heard('b', 'North works'))], ['yard', 'b']);
});

test('no site has the id of another one as its name, and one without a name has its id', () => {
  const sites = named();
  assert.deepEqual(
    [heard('a', 'a'), heard('b', 'a'), heard('c', '')].map((each) => sites.nameOf(each)),
    ['a', 'b', 'c'],
  );
});
