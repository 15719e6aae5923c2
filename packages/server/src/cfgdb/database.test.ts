// Promises of opening a database file: a file that cannot be used is refused in one line, and left as it was.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { UnusableDatabase } from '../sqlite/index.ts';
import { Database } from './database.ts';
import { readObject } from './read-objects.ts';
import { digestOf } from './shared/site-change.ts';
import { applicationId, schemaVersion } from './tables.ts';

const root = temporaryFolder(suiteCleanup());
let count = 0;
const freshPath = () => join(root, `${++count}.sqlite`);

const edit = { timeUs: 1_700_000_000_000_000, author: 'ann' };

/** A database as a server leaves it, of many pages, with a rendering and a deletion. */
const grown = freshPath();
{
  const database = new Database(grown);
  database.change(() => {
    for (let at = 0; at < 500; at++) {
      const object = { name: `a${at}`, severity: at, description: `${at} `.repeat(20) };
      const stored = readObject('alarms', object.name, object, '', []);
      if (stored !== undefined) database.put(stored, edit);
    }
    database.storeRendering(edit);
    database.delete('alarms', 'a1', edit);
  });
  database.close();
}

function change(path: string, sql: string): void {
  const sqlite = new DatabaseSync(path, { defensive: false });
  sqlite.exec(sql);
  sqlite.close();
}

/** The names beside the file, and its bytes where it is one. */
function around(path: string): unknown {
  const beside = readdirSync(root).filter((name) => join(root, name).startsWith(path));
  return [beside, statSync(path).isFile() ? readFileSync(path, 'base64') : readdirSync(path)];
}

function refusal(path: string): string {
  try {
    new Database(path).close();
  } catch (error) {
    if (error instanceof UnusableDatabase) return error.message;
    throw error;
  }
  return assert.fail('it was opened');
}

test('a closed database is one file, and opens again with all that it held', () => {
  assert.deepEqual(around(grown), [[grown.slice(root.length + 1)], readFileSync(grown, 'base64')]);
  const database = new Database(grown);
  assert.equal(database.content.alarms.size, 499);
  assert.equal(database.rendered.alarms.size, 500);
  const time = [1_700_000_000, 0];
  assert.deepEqual([...database.changes()], [{ family: 'alarms', name: 'a1', change: 'removed', time, author: 'ann' }]);
  database.close();
});

test('an empty file becomes a database, with the mark of the service and its version', () => {
  const path = freshPath();
  writeFileSync(path, '');
  new Database(path).close();
  const sqlite = new DatabaseSync(path, { readOnly: true });
  assert.deepEqual({ ...sqlite.prepare('PRAGMA application_id').get() }, { application_id: applicationId });
  assert.deepEqual({ ...sqlite.prepare('PRAGMA user_version').get() }, { user_version: schemaVersion });
  sqlite.close();
});

describe('a file is refused in one line, and left as it was, where it', () => {
  /** Every page but the first has nonsense in its first half. */
  const damaged = (bytes: Buffer) => {
    for (let at = 4096; at < bytes.length; at += 4096) bytes.fill(0xa5, at, at + 2048);
    return bytes;
  };
  const cannot =
    /cannot be opened \(.+\): move it away, with its -wal, and put a backup in its place, or name another folder with --data\.$/;
  const isFolder = /cannot be opened \(.+\): there is a folder in the place of a file; move it away, or name another/;
  const foreign = /belongs to another application: move it away, or name another folder with --data\.$/;
  const newer = /newer version of the server \(form 99, this one knows \d+\): start that version/;
  const unusable: [string, (path: string) => unknown, RegExp][] = [
    ['is no database', (path) => writeFileSync(path, 'not a database at all '.repeat(100)), cannot],
    ['is cut off in its first page', (path) => writeFileSync(path, readFileSync(path).subarray(0, 900)), cannot],
    ['is cut off later', (path) => writeFileSync(path, readFileSync(path).subarray(0, 9000)), cannot],
    ['is damaged in the middle', (path) => writeFileSync(path, damaged(readFileSync(path))), cannot],
    ['is a folder', (path) => [rmSync(path), mkdirSync(path)], isFolder],
    ['belongs to another application', (path) => [rmSync(path), change(path, 'CREATE TABLE notes (text)')], foreign],
    ['has the mark of another application', (path) => change(path, 'PRAGMA application_id = 5'), foreign],
    ['is of a newer version', (path) => change(path, 'PRAGMA user_version = 99'), newer],
    [
      'is of a newer version, in another journal mode',
      (path) => change(path, 'PRAGMA user_version = 99; PRAGMA journal_mode = DELETE'),
      newer,
    ],
    ['lacks the table of a family', (path) => change(path, 'DROP TABLE commands'), cannot],
    ['lacks a table of the server', (path) => change(path, 'DROP TABLE deletions'), cannot],
    ['lacks a column', (path) => change(path, 'ALTER TABLE measurements DROP COLUMN eu'), cannot],
    ['has a rendering that is damaged', (path) => change(path, "UPDATE renderings SET content = x'00'"), cannot],
  ];
  for (const [what, spoil, reported] of unusable) {
    test(what, () => {
      const path = freshPath();
      cpSync(grown, path);
      spoil(path);
      const earlier = around(path);
      const line = refusal(path);
      assert.match(line, reported);
      assert.ok(line.startsWith(path), line);
      assert.doesNotMatch(line, /\n/);
      assert.deepEqual(around(path), earlier);
    });
  }

  test('is open already', () => {
    const path = freshPath();
    const database = new Database(path);
    assert.match(refusal(path), /cannot be opened \(database is locked\): another program has it open; end that one/);
    database.close();
    new Database(path).close();
  });
});

test('a change that fails leaves file and memory as they were', () => {
  const path = freshPath();
  cpSync(grown, path);
  const database = new Database(path);
  const snapshot = () => [[...database.content.alarms].sort(), [...database.changes()]];
  const earlier = snapshot();
  const failing = () =>
    database.change(() => {
      database.delete('alarms', 'a2', { timeUs: 1, author: 'bob' });
      const stored = readObject('alarms', 'new', { name: 'new', severity: 1 }, '', []);
      if (stored !== undefined) database.put(stored, edit);
      database.storeRendering(edit);
      throw new Error('no');
    });
  assert.throws(failing, /^Error: no$/);
  assert.deepEqual(snapshot(), earlier);
  assert.equal(database.revisions.list().length, 1);
  database.close();
  const again = new Database(path);
  assert.deepEqual([[...again.content.alarms].sort(), [...again.changes()]], earlier);
  again.close();
});

test('who deleted an object is forgotten when the object comes back, and when its deletion is rendered', () => {
  const path = freshPath();
  cpSync(grown, path);
  const remembered = () => {
    const sqlite = new DatabaseSync(path, { readOnly: true });
    const names = sqlite.prepare('SELECT name FROM deletions ORDER BY name').all();
    sqlite.close();
    return names.map(({ name }) => name);
  };
  const step = (work: (database: Database) => void) => {
    const database = new Database(path);
    database.change(() => work(database));
    database.close();
    return remembered();
  };
  assert.deepEqual(remembered(), ['a1']);
  const stored = readObject('alarms', 'a1', { name: 'a1', severity: 1 }, '', []) ?? assert.fail();
  assert.deepEqual(
    step((database) => database.delete('alarms', 'a2', edit)),
    ['a1', 'a2'],
  );
  assert.deepEqual(
    step((database) => database.put(stored, edit)),
    ['a2'],
  );
  assert.deepEqual(
    step((database) => database.storeRendering(edit)),
    [],
  );
});

test('the digest is of what there is: families that are empty, or that a version does not know, are not in it', () => {
  const database = new Database(freshPath());
  assert.equal(database.digest, digestOf([[], [], null]));
  database.change(() => {
    const stored = readObject('alarms', 'high', { name: 'high', severity: 1 }, '', []);
    if (stored !== undefined) database.put(stored, edit);
    database.storeRendering(edit);
  });
  const rendered = database.digest;
  database.change(() => database.delete('alarms', 'high', edit));
  assert.notEqual(database.digest, rendered);
  database.close();
});
