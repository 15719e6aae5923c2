import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { astray, blockName, blockSpanOf, generationOf, isTemporary, journalName } from './file-names.ts';

const number = fc.integer({ min: 0, max: 2 ** 32 - 1 });

describe('names of files', () => {
  test('say what they were made from', () => {
    fc.assert(
      fc.property(number, number, number, number, (partition, one, other, rewrite) => {
        const place = { partition, genFrom: Math.min(one, other), genTo: Math.max(one, other), rewrite };
        assert.deepEqual(blockSpanOf(blockName(place)), place);
        assert.equal(generationOf(journalName(one)), one);
      }),
    );
    assert.equal(blockName({ partition: astray, genFrom: 1, genTo: 2, rewrite: 0 }), 'block-astray-1-2-0.ttb');
  });

  test('that nobody made are none', () => {
    const others = [
      '',
      'journal-.ttj',
      'journal-01.ttj',
      'journal-1.ttj.tmp',
      'journal-4294967296.ttj',
      'journal--1.ttj',
    ];
    for (const name of others) assert.equal(generationOf(name), undefined, name);
    const blocks = ['block-1-3-2-0.ttb', 'block-1-1-1.ttb', 'block-1-1-1-00.ttb', 'block-1-1-1-0.ttb.damaged'];
    for (const name of [...blocks, 'block-4294967295-1-1-0.ttb', 'x']) assert.equal(blockSpanOf(name), undefined, name);
    assert.ok(isTemporary('block-1-1-1-0.ttb.tmp'));
    assert.ok(!isTemporary('block-1-1-1-0.ttb'));
  });
});
