// Promises of finding changes in stored text: what is found is what parsing all of it finds, whatever the texts within say.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Change, type Family, familyNames } from '@telltale/schema';
import fc from 'fast-check';
import { changeOf, removalsIn, renamesIn } from './stored-changes.ts';

const name = fc.constantFrom('a', 'b', 'aa', 'family', 'removed', 'constructor');
const tricky = '{"family":"measurements","name":"a","change":"added","renamedFrom":"b"';
const text = fc.oneof(fc.string(), fc.constantFrom(tricky, `,${tricky}`, `[${tricky},`, '"change":"removed"', '\\'));
const map = fc.oneof(
  fc.dictionary(fc.constantFrom('family', 'name', 'change', 'renamedFrom'), name),
  fc.constant({ family: 'measurements', name: 'a', change: 'added', renamedFrom: 'b' }),
  fc.constant({ family: 'alarms', name: 'b', change: 'removed' }),
);
const field = fc.record({
  field: fc.constantFrom('properties', 'description'),
  before: map,
  after: fc.oneof(map, text),
});
const change = fc
  .record({
    family: fc.constantFrom<Family>(...familyNames),
    name,
    change: fc.constantFrom('added', 'changed', 'removed'),
    renamedFrom: name,
    author: text,
    fields: fc.array(field, { maxLength: 3 }),
  })
  .map(({ renamedFrom, author, fields, ...head }) => ({
    ...head,
    ...(head.change === 'added' && ['measurements', 'commands', 'alarms'].includes(head.family) && { renamedFrom }),
    time: [1, 2],
    author,
    fields,
  }));
const list = fc.uniqueArray(change, { selector: ({ family, name }) => `${family} ${name}`, maxLength: 20 });

test('a change, the renames and the removals are found as if all were parsed', () => {
  fc.assert(
    fc.property(list, (changes) => {
      const stored = Buffer.from(JSON.stringify(changes));
      for (const family of familyNames) {
        for (const each of ['a', 'b', 'aa', 'constructor', 'nobody']) {
          const expected = changes.find((one) => one.family === family && one.name === each);
          assert.deepEqual(
            JSON.stringify(changeOf(stored, family, each)),
            expected && JSON.stringify(expected as unknown as Change),
          );
        }
      }
      const renamed = changes.filter((one) => 'renamedFrom' in one);
      assert.deepEqual(
        renamesIn(stored),
        renamed.map(({ family, renamedFrom: from, name: to }) => ({ family, from, to })),
      );
      const removed = changes.filter((one) => one.change === 'removed');
      assert.deepEqual(
        removalsIn(stored),
        removed.map(({ family, name }) => ({ family, name })),
      );
    }),
  );
});
