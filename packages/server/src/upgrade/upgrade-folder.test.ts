// Promises of an upgrade: which folders it touches, what it copies, and what it refuses. Whole folders of earlier formats are in
// test/data-folders/.
import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { folderListing } from '../../../../test/folder-listing.ts';
import { Database } from '../cfgdb/database.ts';
import { configurationFile, versionOf } from './database-files.ts';
import { currentFormat } from './steps/index.ts';
import { stateFormat, upgradeFolder } from './upgrade-folder.ts';

const fixture = fileURLToPath(new URL('../../../../test/data-folders/format-1/data', import.meta.url));

let folder: string;
let lines: string[];
const at = (...names: string[]) => join(folder, ...names);
const log = { info: (text: string) => lines.push(text), warn: (text: string) => lines.push(text) };
const upgrade = () => upgradeFolder(folder, log);
const formatOf = (...names: string[]) => JSON.parse(readFileSync(at(...names, 'format.json'), 'utf8'));
const configurationVersion = () => versionOf(at('cfgdb.sqlite'), configurationFile);

beforeEach((t) => {
  folder = temporaryFolder(t);
  lines = [];
});

function change(sql: string, name = 'cfgdb.sqlite'): void {
  using sqlite = new DatabaseSync(at(name));
  sqlite.exec(sql);
}

describe('an upgrade', () => {
  test('leaves a folder alone that is empty, of another program, or of this format', () => {
    upgrade();
    assert.deepEqual(folderListing(folder), {});
    change('CREATE TABLE notes (text)');
    const foreign = folderListing(folder);
    upgrade();
    assert.deepEqual(folderListing(folder), foreign);
    rmSync(at('cfgdb.sqlite'));
    new Database(at('cfgdb.sqlite')).close();
    const fresh = folderListing(folder);
    upgrade();
    assert.deepEqual(folderListing(folder), fresh);
    assert.deepEqual(lines, []);
  });

  test('takes the versions of the databases for the format where nothing says which it is', () => {
    cpSync(fixture, folder, { recursive: true });
    upgrade();
    rmSync(at('format.json'));
    rmSync(at('before-upgrade'), { recursive: true });
    upgrade();
    assert.ok(!existsSync(at('before-upgrade')) && lines.length === 1, lines.join('\n'));
    stateFormat(folder);
    assert.deepEqual(formatOf(), { format: currentFormat });
  });

  test('reports that format.json is damaged, and goes by the databases', () => {
    cpSync(fixture, folder, { recursive: true });
    for (const text of ['', '{"format":', '{"format":"2"}', '[]', 'null', '{"format":-1}']) {
      writeFileSync(at('format.json'), text);
      upgrade();
      assert.match(lines[0] ?? '', /format\.json is damaged/, text);
      assert.equal(configurationVersion(), currentFormat);
      lines = [];
      stateFormat(folder);
      assert.deepEqual(formatOf(), { format: currentFormat }, text);
    }
  });

  test('upgrades an older database that was put back into an upgraded folder', () => {
    cpSync(fixture, folder, { recursive: true });
    upgrade();
    cpSync(join(fixture, 'cfgdb.sqlite'), at('cfgdb.sqlite'));
    upgrade();
    assert.equal(configurationVersion(), currentFormat);
    assert.equal(lines.length, 2);
  });

  test('reads the version of a database that is in its write-ahead log alone', () => {
    cpSync(fixture, folder, { recursive: true });
    const original = new DatabaseSync(at('cfgdb.sqlite'));
    original.exec(
      `PRAGMA wal_autocheckpoint = 0; ALTER TABLE measurements ADD COLUMN area TEXT; PRAGMA user_version = ${currentFormat}`,
    );
    const killed = join(folder, 'killed');
    mkdirSync(killed);
    for (const name of ['cfgdb.sqlite', 'cfgdb.sqlite-wal']) cpSync(at(name), join(killed, name));
    original.close();
    upgradeFolder(killed, log); // the first page says 1: the step is repeated for nobody
    assert.equal(versionOf(join(killed, 'cfgdb.sqlite'), configurationFile), currentFormat);
  });

  test('copies what stands in the folder itself, once, and not what an upgrade that was cut off has changed', () => {
    cpSync(fixture, folder, { recursive: true });
    writeFileSync(at('telltale.lock'), '');
    upgrade();
    const copies = ['archive.control', 'cfgdb.control', 'cfgdb.sqlite', 'format.json', 'state.control', 'state.sqlite'];
    assert.deepEqual(Object.keys(folderListing(at('before-upgrade', 'format-1'))), copies);
    assert.deepEqual(formatOf('before-upgrade', 'format-1'), { format: 1 });
    writeFileSync(at('format.json'), JSON.stringify({ format: 1, upgradingTo: currentFormat }));
    upgrade();
    const copy = at('before-upgrade', 'format-1', 'cfgdb.sqlite');
    assert.deepEqual(readFileSync(copy), readFileSync(join(fixture, 'cfgdb.sqlite')));
  });

  test('refuses a newer database or folder, names the file, and changes nothing', () => {
    cpSync(fixture, folder, { recursive: true });
    const newer = currentFormat + 1;
    change(`PRAGMA user_version = ${newer}; PRAGMA journal_mode = DELETE`, 'state.sqlite');
    const before = folderListing(folder);
    assert.throws(
      upgrade,
      new RegExp(`state\\.sqlite was written by a newer version of the server \\(form ${newer}, `),
    );
    assert.deepEqual(folderListing(folder), before);
    for (const format of [{ format: newer }, { format: 1, upgradingTo: newer }]) {
      writeFileSync(at('format.json'), JSON.stringify(format));
      assert.throws(upgrade, /format\.json was written by a newer version/);
    }
  });

  test('says which database it cannot change', () => {
    cpSync(fixture, folder, { recursive: true });
    change('DROP TABLE alarms');
    assert.throws(upgrade, /cfgdb\.sqlite cannot be opened \(no such table: alarms\)/);
    assert.equal(configurationVersion(), 1);
  });
});
