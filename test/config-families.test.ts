// The six families over HTTP: names, collection, one object, put, delete, and what is refused.
import assert from 'node:assert/strict';
import { before, beforeEach, describe, test } from 'node:test';
import { Collection, checker, type Family, families, familyNames, Names } from '@telltale/schema';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { ConfigClient } from './config-client.ts';
import { fullest, type Sample, smallest } from './sample-objects.ts';
import { type ServerProcess, startServer } from './server-process.ts';

const cleanup = suiteCleanup();
const folder = temporaryFolder(cleanup);
let server: ServerProcess;
const client = new ConfigClient(() => server);

before(async () => {
  server = await startServer(cleanup, { data: folder });
});

/** Names that mean something to JavaScript, and nothing here. */
const treacherous = ['__proto__', 'constructor', 'hasOwnProperty', 'prototype', 'toString', 'valueOf', '0', '10', '9'];

const emptyFamily = async (family: Family) => {
  for (const name of await client.read<string[]>(`/${family}/names`)) await client.done('DELETE', `/${family}/${name}`);
};

for (const family of familyNames) {
  describe(family, () => {
    beforeEach(() => emptyFamily(family));

    test('an object that is put is read back field by field, alone and in the collection', async () => {
      await client.put(`/${family}/small`, smallest(family, 'small'));
      await client.put(`/${family}/full`, fullest(family, 'full'));
      assert.deepEqual(await client.read(`/${family}/small`), smallest(family, 'small'));
      assert.deepEqual(await client.read(`/${family}/full`), fullest(family, 'full'));
      const collection = await client.read(`/${family}/`);
      assert.deepEqual(collection, { small: smallest(family, 'small'), full: fullest(family, 'full') });
      assert.deepEqual(checker(Collection(families[family])).faults(collection), []);
    });

    test('a second put replaces the object whole: a field that it leaves out is gone', async () => {
      await client.put(`/${family}/twice`, fullest(family, 'twice'));
      await client.put(`/${family}/twice`, smallest(family, 'twice'));
      assert.deepEqual(await client.read(`/${family}/twice`), smallest(family, 'twice'));
    });

    test('names are a sorted array', async () => {
      for (const name of ['b', 'Z', '_', 'a', '10', '9', 'A', 'b1']) {
        await client.put(`/${family}/${name}`, smallest(family, name));
      }
      const names = await client.read<string[]>(`/${family}/names`);
      assert.deepEqual(checker(Names).faults(names), []);
      assert.deepEqual(names, [...names].sort());
      assert.deepEqual(new Set(names).size, names.length);
      assert.ok(['b', 'Z', '_', 'a', '10', '9', 'A', 'b1'].every((name) => names.includes(name)));
      assert.deepEqual(Object.keys(await client.read<object>(`/${family}/`)).sort(), names);
    });

    test('names= limits the collection, leaves out the unknown, and takes a name twice for once', async () => {
      await client.put(`/${family}/one`, smallest(family, 'one'));
      await client.put(`/${family}/two`, smallest(family, 'two'));
      const list = (names: string) => client.read<object>(`/${family}/?names=${names}`);
      assert.deepEqual(await list('two'), { two: smallest(family, 'two') });
      const both = { one: smallest(family, 'one'), two: smallest(family, 'two') };
      assert.deepEqual(await list('two,nobody,one,two,constructor'), both);
      assert.deepEqual(await list('nobody'), {});
      assert.deepEqual(await list(''), {});
    });

    test('a deleted object is gone from everywhere, and can be deleted only once', async () => {
      await client.put(`/${family}/brief`, smallest(family, 'brief'));
      await client.done('DELETE', `/${family}/brief`);
      await client.refused('unknown-object', 'GET', `/${family}/brief`);
      await client.refused('unknown-object', 'DELETE', `/${family}/brief`);
      assert.ok(!(await client.read<string[]>(`/${family}/names`)).includes('brief'));
      assert.ok(!Object.hasOwn(await client.read<object>(`/${family}/`), 'brief'));
    });

    test('names that mean something to JavaScript behave as any other', async () => {
      for (const name of treacherous) await client.refused('unknown-object', 'GET', `/${family}/${name}`);
      for (const name of treacherous) await client.put(`/${family}/${name}`, smallest(family, name));
      for (const name of treacherous) {
        assert.deepEqual(await client.read(`/${family}/${name}`), smallest(family, name));
        const { text } = await client.ask('GET', `/${family}/?names=${name}`);
        assert.equal(text, `{"${name}":${JSON.stringify(smallest(family, name))}}`);
      }
      const names = await client.read<string[]>(`/${family}/names`);
      for (const name of treacherous) assert.ok(names.includes(name), name);
      for (const name of treacherous) await client.done('DELETE', `/${family}/${name}`);
      for (const name of treacherous) await client.refused('unknown-object', 'DELETE', `/${family}/${name}`);
    });

    test('an impossible name is 404 on reads and 400 on writes', async () => {
      for (const name of ['a-b', 'a.b', 'a%20b', 'a%2Fb', '%00', 'f%C3%BC', 'a'.repeat(65), '..%2f..', '*', 'a,b']) {
        const path = `/${family}/${name}`;
        await client.refused('unknown-object', 'GET', path);
        await client.refused('invalid-name', 'PUT', path, { body: smallest(family, 'a') });
        await client.refused('invalid-name', 'DELETE', path);
        assert.equal((await client.ask('HEAD', path)).status, 404);
      }
      const longest = 'a'.repeat(64);
      await client.put(`/${family}/${longest}`, smallest(family, longest));
      assert.deepEqual(await client.read(`/${family}/${longest}`), smallest(family, longest));
    });

    test('names is a reserved word', async () => {
      await client.refused('reserved-name', 'PUT', `/${family}/names`, { body: smallest(family, 'names') });
      await client.refused('unknown-object', 'DELETE', `/${family}/names`);
      assert.ok(Array.isArray(await client.read(`/${family}/names`)));
    });

    test('null means not set', async () => {
      const full = fullest(family, 'sparse');
      const required = smallest(family, 'sparse');
      const nulls = Object.fromEntries(Object.keys(full).map((field) => [field, required[field] ?? null]));
      await client.put(`/${family}/sparse`, full);
      await client.put(`/${family}/sparse`, nulls);
      assert.deepEqual(await client.read(`/${family}/sparse`), required);
      const missing = Object.keys(required).map((field) => `/${field}`);
      const allNull = Object.fromEntries(Object.keys(full).map((field) => [field, null]));
      assert.deepEqual(
        (await client.faulty('invalid-body', 'PUT', `/${family}/sparse`, { body: allNull })).sort(),
        missing.sort(),
      );
    });

    test('an unknown field, a wrong type and a wrong name are refused at once, each named', async () => {
      const wrong: Sample = { ...smallest(family, 'other'), colour: 'red', properties: { key: 7, '': 'x' } };
      const sent = { body: JSON.parse(`{"__proto__":1,${JSON.stringify(wrong).slice(1)}`) };
      assert.deepEqual((await client.faulty('invalid-body', 'PUT', `/${family}/wrong`, sent)).sort(), [
        '/__proto__',
        '/colour',
        '/name',
        '/properties/',
        '/properties/key',
      ]);
      await client.refused('unknown-object', 'GET', `/${family}/wrong`);
      await client.refused('unknown-object', 'GET', `/${family}/other`);
    });

    test('each field refuses a value of another type and says where', async () => {
      const full = fullest(family, 'typed');
      for (const field of Object.keys(full).filter((key) => key !== 'name')) {
        const wrong = typeof full[field] === 'string' ? 5 : 'text';
        const paths = await client.faulty('invalid-body', 'PUT', `/${family}/typed`, {
          body: { ...full, [field]: wrong },
        });
        assert.deepEqual([...new Set(paths)], [`/${field}`], `${family}.${field}`);
      }
      await client.refused('unknown-object', 'GET', `/${family}/typed`);
    });

    test('a body that is no object, or no JSON, is refused', async () => {
      for (const body of [[], 'text', 5, true, [null]]) {
        assert.deepEqual(await client.faulty('invalid-body', 'PUT', `/${family}/a`, { body }), [''], `${body}`);
      }
      await client.refused('invalid-body', 'PUT', `/${family}/a`, { raw: 'null' });
      for (const raw of [
        '',
        '{',
        '{"name":"a",}',
        "{'name':'a'}",
        'NaN',
        '{} {}',
        new Uint8Array([0x22, 0xff, 0x22]),
      ]) {
        await client.refused('malformed-json', 'PUT', `/${family}/a`, { raw, type: 'application/json' });
      }
      await client.refused('json-too-deep', 'PUT', `/${family}/a`, { raw: '['.repeat(9) + ']'.repeat(9) });
    });

    test('any other method is 405, and Allow names those that apply', async () => {
      const allow = async (method: string, path: string) => {
        const { status, headers } = await client.ask(method, `/${family}${path}`);
        assert.equal(status, 405, `${method} ${path}`);
        return headers.get('allow')?.split(', ').sort();
      };
      for (const method of ['POST', 'PATCH', 'OPTIONS']) {
        assert.deepEqual(await allow(method, '/x'), ['DELETE', 'GET', 'HEAD', 'PUT']);
      }
      for (const method of ['PUT', 'DELETE', 'POST', 'PATCH', 'OPTIONS']) {
        assert.deepEqual(await allow(method, '/'), ['GET', 'HEAD']);
      }
    });
  });
}

test('every answer given here is in the reference of the service', async () => {
  assert.deepEqual(await client.undocumented(), []);
});
