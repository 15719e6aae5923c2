import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isIdentifier, reservedName } from '@telltale/schema';
import fc from 'fast-check';
import { UniqueNames } from './unique-names.ts';

const namesOf = (texts: readonly string[], taken: readonly string[] = []) => {
  const names = new UniqueNames((name) => taken.includes(name));
  return texts.map((text) => names.take(text));
};

test('a name stays as it is, whatever it is; other texts become one that can be recognised', () => {
  assert.deepEqual(namesOf(['level', '__proto__', 'constructor', '_', '9']), [
    'level',
    '__proto__',
    'constructor',
    '_',
    '9',
  ]);
  assert.deepEqual(namesOf(['Tank 1 / Füllstand (größer)', 'ns=2;s=Pump.Speed', '«水»', '', '-5°C', 'x'.repeat(99)]), [
    'Tank_1_Fullstand_grosser',
    'ns_2_s_Pump_Speed',
    'point',
    'point_2',
    '5_C',
    'x'.repeat(64),
  ]);
});

test('none is given twice, none that is taken, and none that is reserved', () => {
  assert.deepEqual(namesOf(['level', 'level', 'level', 'level_2', 'names'], ['level']), [
    'level_2',
    'level_3',
    'level_4',
    'level_2_2',
    'names_2',
  ]);
  const long = 'y'.repeat(64);
  assert.deepEqual(namesOf([long, long, long]), [long, `${'y'.repeat(62)}_2`, `${'y'.repeat(62)}_3`]);
});

test('whatever the texts are, the names are valid, and no two are the same', () => {
  const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 80 }), fc.constantFrom('a', 'a_2', 'a b', 'names', ''));
  const property = fc.property(fc.array(text, { maxLength: 60 }), fc.array(text), (texts, taken) => {
    const names = namesOf(texts, taken);
    assert.ok(names.every((name) => isIdentifier(name) && name !== reservedName && !taken.includes(name)));
    assert.equal(new Set(names).size, texts.length);
  });
  fc.assert(property);
});
