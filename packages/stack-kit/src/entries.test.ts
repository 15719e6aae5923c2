import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import Type from 'typebox';
import { formatEntries, parseEntries } from './entries.ts';
import { defineVariables, Entries, readEntries, Secret } from './variables.ts';

const user = Type.Object({
  key: Secret({ title: 'Key' }),
  level: Type.Enum(['low', 'high'], { title: 'Level', default: 'high' }),
});

test('entries stand one a line, or with semicolons between them, and may be commented', () => {
  const expected = [
    { name: 'joe', texts: { key: 'a', level: 'low' } },
    { name: 'ann', texts: { key: 'b; # "c"' } },
    { name: '__proto__', texts: {} },
  ];
  assert.deepEqual(parseEntries('# users\njoe: key=a level=low\r\n\nann: key="b; # \\"c\\""\n__proto__:'), expected);
  assert.deepEqual(parseEntries('joe: key=a level=low; ann : key="b; # \\"c\\"";__proto__:'), expected);
  assert.deepEqual(parseEntries(' \n;'), []);
});

test('any entries read back as they were written', () => {
  const name = fc.stringMatching(/^[A-Za-z_][-A-Za-z0-9_]{0,20}$/);
  const key = fc.stringMatching(/^[A-Za-z][A-Za-z0-9_]{0,10}$/);
  const texts = fc.dictionary(key, fc.string({ unit: 'binary' }), { noNullPrototype: true });
  const entry = fc.record({ name, texts }, { noNullPrototype: true });
  fc.assert(
    fc.property(fc.uniqueArray(entry, { selector: (each) => each.name, maxLength: 5 }), (entries) => {
      assert.deepEqual(parseEntries(formatEntries(entries)), entries);
    }),
  );
});

test('what is no entry is refused, and its values are not in the error', () => {
  const wrongs = [
    'joe key=a',
    ': key=a',
    'joe: key',
    'joe: key=se"cret"',
    'joe: key=a key=b',
    'a: ; a: ',
    'a: b="c',
    '9:',
  ];
  for (const text of wrongs) assert.throws(() => parseEntries(text), /^ValueError: (must be entries|has )/, text);
  assert.throws(
    () => parseEntries('joe: key="sec\\xret" x=1'),
    (error: Error) => !error.message.includes('ret'),
  );
  const many = Array.from({ length: 257 }, (_, at) => `u${at}:`).join(';');
  assert.throws(() => parseEntries(many), /more than 256/);
});

test('each entry is held against its variables', () => {
  const set = defineVariables(Type.Object({ users: Entries({ title: 'Users', description: 'More.', entries: user }) }));
  assert.deepEqual(Object.keys(set.parameters.users?.entries ?? {}), ['key', 'level']);
  assert.deepEqual(set.read({}).values, { users: '' });
  assert.deepEqual(readEntries(user, 'joe: key=abc'), [{ name: 'joe', values: { key: 'abc', level: 'high' } }]);
  assert.deepEqual(set.read({ users: 'joe: key=a level=odd; ann: key=a' }).faults, [
    { field: 'users', message: 'has an entry joe in which level must be one of low, high, not "odd"' },
  ]);
  assert.match(set.read({ users: 'joe: kye=a' }).faults[0]?.message ?? '', /kye is unknown.*; key is required$/);
});
