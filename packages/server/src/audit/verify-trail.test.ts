// Promises of the verification of a trail: whatever was done to a record is found, and a trail that is whole has no fault.
import assert from 'node:assert/strict';
import { cpSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import fc from 'fast-check';
import { fieldsOfWrite, linesIn, openTrail, putLines, startMs } from '../../test/trail-bench.ts';
import { lineOf, noHash, type Place, readLine } from './record-line.ts';
import { segmentsIn } from './segments.ts';
import { verifyTrail } from './verify-trail.ts';

const root = temporaryFolder(suiteCleanup());
const whole = join(root, 'whole');

/** Twelve records and two heads. */
function write(folder: string): void {
  const trail = openTrail(folder);
  for (let number = 0; number < 12; number += 3) {
    trail.commit(
      [0, 1, 2].map((at) => fieldsOfWrite(number + at)),
      startMs,
    );
  }
  trail.sign(startMs + 3_600_000);
  trail.commit([fieldsOfWrite(12)], startMs);
  trail.close();
}
write(whole);
const lines = linesIn(whole);

function copyOf(t: TestContext): string {
  const copy = temporaryFolder(t);
  cpSync(whole, copy, { recursive: true });
  return copy;
}

const faultsOf = (folder: string) => verifyTrail(folder).faults.join('\n');

describe('a trail', () => {
  test('that nobody has touched has no fault, in the data folder and as a copy of its own folder', (t) => {
    const { faults, records, first, last, heads, signedTo, keys, hash } = verifyTrail(whole);
    assert.deepEqual([faults, records, first, last, heads, signedTo], [[], 15, 1, 15, 2, 14]);
    assert.equal(keys.length, 1);
    assert.equal(hash, readLine(Buffer.from(lines[14]?.trimEnd() ?? ''))?.hash);
    const copy = temporaryFolder(t);
    cpSync(join(whole, 'audit'), copy, { recursive: true });
    assert.deepEqual(verifyTrail(copy).faults, []);
  });

  test('in which any bit of any record is flipped has a fault', (t) => {
    const folder = temporaryFolder(t);
    const trail = openTrail(folder);
    trail.commit([fieldsOfWrite(1), fieldsOfWrite(2)], startMs);
    trail.close();
    const path = segmentsIn(join(folder, 'audit'))[0]?.path ?? '';
    const bytes = readFileSync(path);
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8));
      writeFileSync(path, changed);
      assert.notEqual(faultsOf(folder), '', `byte ${at}`);
    }
  });

  test('from which any records are dropped has a fault', (t) => {
    const copy = copyOf(t);
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(lines.length - 1), { minLength: 1 }), (dropped) => {
        putLines(
          copy,
          lines.filter((_, at) => !dropped.includes(at)),
        );
        assert.notEqual(faultsOf(copy), '');
      }),
    );
    for (let at = 0; at < lines.length; at++) {
      putLines(copy, lines.toSpliced(at, 1));
      assert.notEqual(faultsOf(copy), '', `record ${at + 1}`);
    }
  });

  test('whose records stand in another order, or are there twice, has a fault', (t) => {
    const copy = copyOf(t);
    fc.assert(
      fc.property(fc.shuffledSubarray(lines, { minLength: lines.length }), (shuffled) => {
        fc.pre(shuffled.some((line, at) => line !== lines[at]));
        putLines(copy, shuffled);
        assert.notEqual(faultsOf(copy), '');
      }),
    );
    for (let at = 0; at < lines.length; at++) {
      putLines(copy, lines.toSpliced(at, 0, lines[at] as string));
      assert.match(faultsOf(copy), /stands behind/);
    }
  });

  test('whose hashes were made anew behind a changed record has a fault, by its signed heads and by what was acknowledged', (t) => {
    const copy = copyOf(t);
    for (let changed = 0; changed < lines.length; changed++) {
      let last: Place = { seq: 0, hash: noHash };
      const forged = lines.map((line, at) => {
        const fields = line.replace(/^\{"seq":\d+,/, '').replace(/,"previous".*$/s, '');
        const made = lineOf(at === changed ? fields.replace('"result":"done"', '"result":"DONE"') : fields, last);
        last = made;
        return `${made.line}\n`;
      });
      putLines(copy, forged);
      const expected =
        changed < 13 ? /the signature of record 14 is wrong/ : /is another than the one that was acknowledged/;
      assert.match(faultsOf(copy), expected, `record ${changed + 1}`);
    }
  });

  test('of which a whole segment is gone, renamed or emptied has a fault', (t) => {
    const folder = temporaryFolder(t);
    const trail = openTrail(folder, 2000);
    for (let number = 0; number < 40; number++) trail.commit([fieldsOfWrite(number)], startMs);
    trail.close();
    const segments = segmentsIn(join(folder, 'audit'));
    assert.ok(segments.length > 5);
    assert.equal(faultsOf(folder), '');
    for (const { path } of segments) {
      const bytes = readFileSync(path);
      rmSync(path);
      assert.match(faultsOf(folder), /are missing/, path);
      writeFileSync(path, '');
      assert.match(faultsOf(folder), /are missing/, path);
      writeFileSync(path, bytes);
      const other = path.replace('audit-00', 'audit-90');
      renameSync(path, other);
      assert.notEqual(faultsOf(folder), '', path);
      renameSync(other, path);
    }
    assert.equal(faultsOf(folder), '');
  });

  test('without the public key, or what was acknowledged last, has a fault', (t) => {
    const copy = copyOf(t);
    const { keys } = verifyTrail(copy);
    rmSync(join(copy, 'audit', `key-${keys[0]?.slice(0, 16)}.pem`));
    assert.match(faultsOf(copy), /signed with a key that is not here/);
    const other = copyOf(t);
    rmSync(join(other, 'audit', 'audit.control'));
    assert.match(faultsOf(other), /audit\.control is missing/);
    assert.match(faultsOf(temporaryFolder(t)), /not the folder of an audit trail/);
  });
});
