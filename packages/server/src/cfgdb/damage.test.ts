// Promises of a configuration database whose files are damaged: what was acknowledged is wholly there, or it is reported.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { before, describe, test } from 'node:test';
import { ProblemError } from '@telltale/schema';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { copyFiles, damagesTo } from '../../test/damage.ts';
import { UnusableDatabase } from '../sqlite/index.ts';
import { Database } from './database.ts';
import { readObject } from './read-objects.ts';

const root = temporaryFolder(suiteCleanup());
let count = 0;

const edit = { timeUs: 1_700_000_000_000_000, author: 'ann' };

function put(database: Database, name: string, severity: number): void {
  const stored = readObject('alarms', name, { name, severity, description: 'x'.repeat(200) }, '', []);
  database.put(stored ?? assert.fail(), edit);
}

/** Some commits: renderings, objects that were replaced and deleted, and changes that nobody has rendered. */
function grow(database: Database): void {
  for (let commit = 0; commit < 6; commit++) {
    database.change(() => {
      for (let at = 0; at < 10; at++) put(database, `a${commit * 6 + at}`, commit + 1);
      if (commit > 0) database.delete('alarms', `a${commit * 6 - 1}`, edit);
      if (commit % 2 === 0) database.storeRendering(edit);
    });
  }
}

/** All that a database has. */
function contentOf(database: Database): unknown {
  const revisions = database.revisions.list().map(({ id }) => {
    const found = database.revisions.find(id) ?? assert.fail();
    return [found.summary, found.changesText, [...found.content().alarms]];
  });
  return [
    [...database.content.alarms].sort(),
    [...database.rendered.alarms].sort(),
    [...database.changes()],
    revisions,
  ];
}

function folderOf(make: (database: Database, folder: string) => void): string {
  const folder = join(root, `made${++count}`);
  copyFiles(mkdtempSync(join(root, 'empty-')), folder);
  const database = new Database(join(folder, 'cfgdb.sqlite'));
  make(database, folder);
  return folder;
}

/** What a killed server leaves: all of it in the log. */
function killed(): string {
  let left = '';
  const folder = folderOf((database, path) => {
    grow(database);
    left = `${path}-killed`;
    copyFiles(path, left);
    database.close();
  });
  assert.notEqual(folder, left);
  return left;
}

/** What a server leaves that was stopped. */
function stopped(): string {
  return folderOf((database) => {
    grow(database);
    database.close();
  });
}

for (const [what, make, names] of [
  ['killed', killed, ['cfgdb.sqlite', 'cfgdb.sqlite-wal', 'cfgdb.control']],
  ['stopped', stopped, ['cfgdb.sqlite', 'cfgdb.control']],
] as const) {
  describe(`of a server that was ${what}, what was acknowledged is wholly there or reported, where`, () => {
    const folder = make();
    let whole: unknown;
    before(() => {
      const copy = join(root, `whole${++count}`);
      copyFiles(folder, copy);
      const database = new Database(join(copy, 'cfgdb.sqlite'));
      assert.deepEqual(database.missing, []);
      whole = contentOf(database);
      database.close();
      assert.deepEqual(readdirSync(copy).sort(), ['cfgdb.control', 'cfgdb.sqlite']);
    });

    assert.deepEqual(readdirSync(folder).sort(), [...names].sort());
    for (const { title, apply } of damagesTo(folder, names)) {
      test(title, () => {
        const copy = join(root, `damaged${++count}`);
        copyFiles(folder, copy);
        apply(copy);
        let database: Database;
        try {
          database = new Database(join(copy, 'cfgdb.sqlite'));
        } catch (error) {
          assert.ok(error instanceof UnusableDatabase, String(error));
          assert.match(error.message, /^\/\S+cfgdb\.(sqlite|control) [^\n]+$/);
          return;
        }
        try {
          if (database.missing.length === 0) assert.deepEqual(contentOf(database), whole);
          else checkEvidence(copy, database.missing);
        } catch (error) {
          if (!(error instanceof ProblemError)) throw error; // a revision that is damaged says so
        } finally {
          database.close();
        }
      });
    }
  });
}

/** The sentence names the copies of the files, which are there. */
function checkEvidence(folder: string, missing: readonly string[]): void {
  const place = /the files as they were found: (damaged\/\S+)\)$/.exec(missing.at(-1) ?? '')?.[1];
  assert.ok(place !== undefined, missing.join('\n'));
  assert.ok(statSync(join(folder, place, 'cfgdb.sqlite')).size > 0);
}

/** A killed server whose log has a flipped bit after two thirds. */
function flippedLog(): string {
  const folder = killed();
  const path = join(folder, 'cfgdb.sqlite-wal');
  const bytes = readFileSync(path);
  const at = Math.floor(bytes.length * 0.66);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(path, bytes);
  return folder;
}

describe('commits that are missing', () => {
  test('are counted, and what runs is the newest rendering that is there', () => {
    const folder = flippedLog();
    const damagedLog = readFileSync(join(folder, 'cfgdb.sqlite-wal'));
    const database = new Database(join(folder, 'cfgdb.sqlite'));
    const [reported = ''] = database.missing;
    assert.match(
      reported,
      /^cfgdb\.sqlite lacks the last \d of 6 changes, the last at \S+ \(.*alarms 3\d.*revisions 3.*\): changes of the configuration are missing\. It has /,
    );
    assert.ok(database.rendered.alarms.size > 0);
    const place = /found: (\S+)\)/.exec(reported)?.[1] ?? '';
    assert.deepEqual(readFileSync(join(folder, place, 'cfgdb.sqlite-wal')), damagedLog);
    database.close();
  });

  test('are reported at every start until somebody acknowledges it, and copied once', () => {
    const folder = flippedLog();
    const open = () => new Database(join(folder, 'cfgdb.sqlite'));
    let reported: readonly string[] = [];
    for (let time = 0; time < 3; time++) {
      const database = open();
      if (time > 0) assert.deepEqual(database.missing, reported);
      reported = database.missing;
      assert.equal(reported.length, 1);
      if (time === 1) database.change(() => put(database, 'later', 1));
      database.close();
    }
    assert.equal(readdirSync(join(folder, 'damaged')).length, 1);
    const database = open();
    database.acknowledgeMissing();
    assert.deepEqual(database.missing, []);
    database.close();
    const again = open();
    assert.deepEqual(again.missing, []);
    assert.ok(again.content.alarms.has('later'));
    again.close();
  });

  test('leave nothing to run where no rendering is left, so the file is refused', () => {
    const folder = killed();
    const path = join(folder, 'cfgdb.sqlite-wal');
    writeFileSync(path, readFileSync(path).subarray(0, 40_000)); // the tables are made, and nothing is in them
    assert.throws(() => new Database(join(folder, 'cfgdb.sqlite')), UnusableDatabase);
    assert.equal(readdirSync(join(folder, 'damaged')).length, 1);
  });
});

test('a database of before there were claims opens, reports nothing, and is held to its claims from then on', () => {
  const folder = stopped();
  const path = join(folder, 'cfgdb.sqlite');
  rmSync(join(folder, 'cfgdb.control'));
  const sqlite = new DatabaseSync(path);
  sqlite.exec('DROP TABLE progress; ALTER TABLE renderings DROP COLUMN checksum');
  sqlite.close();
  const database = new Database(path);
  assert.deepEqual(database.missing, []);
  database.change(() => put(database, 'later', 1));
  const whole = contentOf(database);
  database.close();
  const again = new Database(path);
  assert.deepEqual([again.missing, contentOf(again)], [[], whole]);
  again.close();
  writeFileSync(path, '');
  assert.throws(() => new Database(path), /is missing or empty, but had 1 change, /);
});
