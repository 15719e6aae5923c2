// Promises of what is written of a trail: a commit is there or not, whenever the process or the power ends; the trail goes on
// behind its last record, and tells what is missing.
import assert from 'node:assert/strict';
import { cpSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { dayMs, fieldsOfWrite, linesIn, openTrail, startMs } from '../../test/trail-bench.ts';
import { segmentsIn } from './segments.ts';
import { verifyTrail } from './verify-trail.ts';

const segmentOf = (folder: string) => segmentsIn(join(folder, 'audit')).at(-1)?.path ?? '';
const operationsIn = (folder: string) => linesIn(folder).map((line) => JSON.parse(line).operation as string);

describe('a trail that is opened again', () => {
  test('goes on behind its last record', (t) => {
    const folder = temporaryFolder(t);
    for (let start = 0; start < 3; start++) {
      const trail = openTrail(folder);
      assert.deepEqual(trail.opened, { seq: start === 0 ? 0 : 2 * start + 1, missing: [], told: [] });
      trail.commit([fieldsOfWrite(start), fieldsOfWrite(start)], startMs);
      trail.close();
    }
    assert.deepEqual(verifyTrail(folder).faults, []);
    assert.equal(statSync(join(folder, 'audit.key')).mode & 0o777, 0o600);
  });

  test('has what was acknowledged, wherever a later write was cut off, and tells what it cut', (t) => {
    const made = temporaryFolder(t);
    const trail = openTrail(made);
    trail.commit([fieldsOfWrite(0)], startMs);
    const control = readFileSync(join(made, 'audit', 'audit.control'));
    const { size } = statSync(segmentOf(made));
    trail.commit([fieldsOfWrite(1), fieldsOfWrite(2)], startMs);
    trail.close();
    const full = statSync(segmentOf(made)).size;
    for (let length = size; length < full; length += 7) {
      const folder = temporaryFolder(t);
      cpSync(made, folder, { recursive: true });
      writeFileSync(join(folder, 'audit', 'audit.control'), control); // of a power cut before the commit was acknowledged
      truncateSync(segmentOf(folder), length);
      const again = openTrail(folder);
      const { seq, missing, told } = again.opened;
      assert.deepEqual([missing, seq >= 2], [[], true]);
      again.commit([fieldsOfWrite(3)], startMs);
      again.close();
      const isTorn = length > size && length !== full - (full - size) / 2;
      if (told.length > 0)
        assert.match(told.join(), /^\d+ bytes of a write that was interrupted were cut off behind record \d\.$/);
      assert.ok(told.length > 0 || !isTorn || seq === 3, `${length}`);
      assert.deepEqual(verifyTrail(folder).faults, []);
      const told1 = told.length > 0 ? ['repairTrail'] : [];
      assert.deepEqual(operationsIn(folder).slice(seq), [...told1, 'writeCommand']);
    }
  });

  test('from which acknowledged records are missing tells so until that is acknowledged, and gives no number twice', (t) => {
    const folder = temporaryFolder(t);
    const trail = openTrail(folder);
    for (let number = 0; number < 5; number++) trail.commit([fieldsOfWrite(number)], startMs);
    trail.close();
    const lines = linesIn(folder);
    writeFileSync(segmentOf(folder), lines.slice(0, 3).join(''));
    const again = openTrail(folder);
    assert.deepEqual(again.opened.missing, ['audit lacks the records 4 to 6: somebody removed or changed files']);
    again.commit([fieldsOfWrite(9)], startMs);
    again.close();
    assert.match(verifyTrail(folder).faults.join(), /the records 4 to 6 are missing before 7/);
    const third = openTrail(folder);
    assert.equal(third.opened.missing.length, 1);
    third.acknowledgeMissing();
    third.close();
    const last = openTrail(folder);
    assert.deepEqual([last.opened.missing, last.opened.seq], [[], 9]);
    last.close();
    rmSync(join(folder, 'audit', 'audit.control'));
    assert.match(openTrail(folder).opened.told.join(), /audit\.control was missing/);
  });

  test('whose private key is gone or damaged signs with a new one, and both are known', (t) => {
    const folder = temporaryFolder(t);
    for (const spoil of [
      () => {},
      () => rmSync(join(folder, 'audit.key')),
      () => writeFileSync(join(folder, 'audit.key'), ''),
    ]) {
      spoil();
      const trail = openTrail(folder);
      trail.commit([fieldsOfWrite(1)], startMs);
      trail.sign(startMs);
      trail.close();
    }
    const { faults, keys, heads } = verifyTrail(folder);
    assert.deepEqual([faults, keys.length, heads], [[], 3, 4]);
  });
});

describe('retention', () => {
  test('removes whole segments that are older, leaves a signed record of it, and nothing else may be missing', (t) => {
    const folder = temporaryFolder(t);
    const trail = openTrail(folder);
    for (let day = 0; day < 10; day++) trail.commit([fieldsOfWrite(day, startMs + day * dayMs)], startMs + day * dayMs);
    const now = startMs + 9 * dayMs;
    assert.equal(trail.cut(startMs, now), undefined);
    const cut = trail.cut(now - 3 * dayMs, now);
    assert.match(cut?.line ?? '', /"operation":"cutTrail","from":1,"to":12,/);
    trail.close();
    const { faults, first, notes } = verifyTrail(folder);
    assert.deepEqual([faults, first], [[], 13]);
    assert.match(notes.join(), /up to 12 were cut off after their retention/);
    rmSync(segmentsIn(join(folder, 'audit'))[0]?.path ?? '');
    assert.match(verifyTrail(folder).faults.join(), /The records 1 to 14 are missing, and no signed cut says so/);
  });

  test('that was interrupted before its files were gone is no fault, and goes on later', (t) => {
    const [folder, before] = [temporaryFolder(t), temporaryFolder(t)];
    const trail = openTrail(folder);
    for (let day = 0; day < 6; day++) trail.commit([fieldsOfWrite(day, startMs + day * dayMs)], startMs + day * dayMs);
    cpSync(folder, before, { recursive: true });
    const now = startMs + 5 * dayMs;
    trail.cut(now - dayMs, now);
    trail.close();
    const [gone] = segmentsIn(join(before, 'audit')).slice(1);
    cpSync(gone?.path ?? '', join(folder, 'audit', gone?.name ?? ''));
    // Of the four that were cut, the second is back: what lies between is missing.
    assert.match(verifyTrail(folder).faults.join(), /missing/);
    for (const { path, name } of segmentsIn(join(before, 'audit')).slice(1, 5))
      cpSync(path, join(folder, 'audit', name));
    assert.deepEqual(verifyTrail(folder).faults, []);
    const again = openTrail(folder);
    assert.ok(again.cut(now - dayMs, now));
    again.close();
    assert.deepEqual(verifyTrail(folder).faults, []);
  });
});
