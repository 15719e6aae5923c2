// Promises of stored entries whose files are damaged: what was kept is wholly there, or it is reported.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { copyFiles, damagesTo } from '../../test/damage.ts';
import { UnusableDatabase } from '../sqlite/index.ts';
import { EntryDatabase } from './entry-database.ts';
import type { Entry, EntryForm } from './protocol.ts';

const root = temporaryFolder(suiteCleanup());
let count = 0;
const form: EntryForm = { applicationId: 7, version: 1, mayBeGone: true, meaning: 'entries may be older' };

const entry = (number: number, value: number): Entry => ({
  family: number % 2 === 0 ? 'commands' : 'alarms',
  name: `n${number}`,
  text: JSON.stringify({ value, text: 'x'.repeat(100) }),
});

function make(keep: (database: EntryDatabase, folder: string) => void): string {
  const folder = mkdtempSync(join(root, 'made-'));
  const database = new EntryDatabase(join(folder, 'state.sqlite'), form);
  for (let commit = 0; commit < 8; commit++) {
    database.keep(Array.from({ length: 10 }, (_, at) => entry(commit * 5 + at, commit)));
    database.keep([{ ...entry(commit * 5, 0), text: null }]);
  }
  keep(database, folder);
  database.close();
  return folder;
}

/** What a killed server leaves: all of it in the log. */
function killed(): string {
  let left = '';
  make((_database, folder) => {
    left = `${folder}-killed`;
    copyFiles(folder, left);
  });
  return left;
}

const stopped = () => make(() => undefined);

function copyOf(folder: string): string {
  const copy = join(root, `copy${++count}`);
  copyFiles(folder, copy);
  return copy;
}

function open(folder: string): { entries: readonly Entry[]; missing: readonly string[] } {
  const database = new EntryDatabase(join(folder, 'state.sqlite'), form);
  const { entries, missing } = database;
  database.close();
  return { entries: entries.map(({ family, name, text }) => ({ family, name, text })), missing };
}

for (const [what, folder, names] of [
  ['killed', killed(), ['state.sqlite', 'state.sqlite-wal', 'state.control']],
  ['stopped', stopped(), ['state.sqlite', 'state.control']],
] as const) {
  describe(`of a server that was ${what}, what was kept is wholly there or reported, where`, () => {
    const whole = open(copyOf(folder));
    assert.deepEqual([whole.missing, whole.entries.length], [[], 37]);
    for (const { title, apply } of damagesTo(folder, names)) {
      test(title, () => {
        const copy = copyOf(folder);
        apply(copy);
        try {
          const found = open(copy);
          if (found.missing.length === 0) assert.deepEqual(found, whole);
        } catch (error) {
          if (!(error instanceof UnusableDatabase)) throw error;
          assert.match(error.message, /^\/\S+state\.(sqlite|control) [^\n]+$/);
        }
      });
    }
  });
}

test('an entry that is not as it was written is named and not used, and the others are', () => {
  const folder = stopped();
  const sqlite = new DatabaseSync(join(folder, 'state.sqlite'));
  sqlite.exec("UPDATE kept SET text = replace(text, 'x', 'y') WHERE name = 'n11'");
  sqlite.close();
  const { entries, missing } = open(folder);
  assert.match(missing.join(), /alarms: 17 are there, and 18 were stored; alarms n11 is damaged, and not used/);
  assert.deepEqual([entries.length, entries.some(({ name }) => name === 'n11')], [36, false]);
  assert.deepEqual(open(folder).missing, missing);
});

test('however long and odd the names are of which it reports, all that was found is reported at the next start', () => {
  const folder = stopped();
  const path = join(folder, 'state.sqlite');
  let reported: readonly string[] = [];
  for (const letter of ['漢', '"', '\u0001', '漢']) {
    const database = new EntryDatabase(path, form);
    const name = (at: number) => `${letter.repeat(1000)}${at}`;
    database.keep([1, 2, 3].map((at) => ({ family: 'uploads', name: name(at), text: '{}' })));
    database.close();
    const sqlite = new DatabaseSync(path);
    sqlite.exec("UPDATE kept SET text = '[]' WHERE family = 'uploads'");
    sqlite.close();
    const before = reported;
    reported = open(folder).missing;
    assert.deepEqual([reported.length, reported.slice(0, -1)], [Math.min(3, before.length + 1), before.slice(-2)]);
    assert.match(reported.at(-1) ?? '', /^state\.sqlite, uploads: .* \(the files as they were found: \S+\)$/s);
    assert.deepEqual(open(folder).missing, reported);
  }
});

test('of files that are damaged again and again, twenty copies are kept', () => {
  const folder = stopped();
  const copies = join(folder, 'damaged');
  for (let copy = 0; copy < 19; copy++) mkdirSync(join(copies, String(copy)), { recursive: true });
  for (const expected of [
    /the files as they were found: damaged\/state-/,
    /damaged has 20 copies, and no more are made/,
  ]) {
    rmSync(join(folder, 'state.sqlite'));
    assert.match(open(folder).missing.at(-1) ?? '', expected);
    assert.equal(readdirSync(copies).length, 20);
  }
});

test('a file that is gone is begun again, and reported', () => {
  const folder = stopped();
  rmSync(join(folder, 'state.sqlite'));
  const { entries, missing } = open(folder);
  assert.deepEqual(entries, []);
  assert.match(
    missing.join(),
    /^state\.sqlite lacks the last 16 of 16 changes, .*\(.*commands 19, alarms 18\): entries may be older\. It has nothing/,
  );
});

test('a file of before there were claims opens and reports nothing', () => {
  const folder = stopped();
  rmSync(join(folder, 'state.control'));
  const sqlite = new DatabaseSync(join(folder, 'state.sqlite'));
  sqlite.exec('DROP TABLE progress; ALTER TABLE kept DROP COLUMN checksum');
  sqlite.close();
  const { entries, missing } = open(folder);
  assert.deepEqual([entries.length, missing], [37, []]);
});

test('a claim that was cut off by a power cut leaves the one before it', () => {
  const folder = stopped();
  const path = join(folder, 'state.control');
  writeFileSync(path, 'torn', { flag: 'r+' });
  const { entries, missing } = open(folder);
  assert.deepEqual([entries.length, missing], [37, []]);
});
