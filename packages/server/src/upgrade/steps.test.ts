// Every change of what is stored has a step: a folder of each earlier format, upgraded, has the tables of one that is made now.
import assert from 'node:assert/strict';
import { cpSync, existsSync, globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { Database } from '../cfgdb/database.ts';
import { EntryDatabase } from '../entries/index.ts';
import { stateForm } from '../state/index.ts';
import { steps } from './steps/index.ts';
import { upgradeFolder } from './upgrade-folder.ts';

const fixtures = fileURLToPath(new URL('../../../../test/data-folders/', import.meta.url));
const silent = { info: () => undefined, warn: () => undefined };

/** From table and column to type and whether it may be null; the order of columns is nobody's business. */
function columnsOf(path: string): Record<string, string> {
  using sqlite = new DatabaseSync(path, { readOnly: true });
  const rows = sqlite
    .prepare(
      `SELECT t.name AS tableName, c.name AS columnName, c.type, c."notnull" AS isRequired, c.pk AS key
       FROM pragma_table_list t, pragma_table_xinfo(t.name) c
       WHERE t.schema = 'main' AND t.name NOT LIKE 'sqlite_%' ORDER BY t.name, c.name`,
    )
    .all();
  return Object.fromEntries(
    rows.map(({ tableName, columnName, type, isRequired, key }) => [
      `${tableName}.${columnName}`,
      `${type}${isRequired === 1 ? ' NOT NULL' : ''}${Number(key) > 0 ? ` key ${key}` : ''}`,
    ]),
  );
}

/** `progress` is made by the first change. */
const ofForm = (columns: Record<string, string>) =>
  Object.entries(columns).filter(([name]) => !name.startsWith('progress.'));

const whatToDo =
  'is stored in another form than in data folders that exist. Add a step: the next number in ' +
  'packages/server/src/upgrade/steps/, a file and its test, and a line in steps/index.ts. CONTRIBUTING.md, "Format of the ' +
  'data folder", says how.';

describe('the steps of an upgrade', () => {
  test('stand in order, each in a file of its own with a test beside it', () => {
    const folder = fileURLToPath(new URL('./steps/', import.meta.url));
    steps.forEach(({ format, summary }, index) => {
      assert.equal(format, index + 2, summary);
      const [file = ''] = globSync(`${format}-*.ts`, { cwd: folder }).filter((name) => !name.endsWith('.test.ts'));
      assert.ok(existsSync(join(folder, file.replace('.ts', '.test.ts'))), `${file} has no test`);
    });
  });

  for (const fixture of globSync('format-*', { cwd: fixtures })) {
    test(`give a folder of ${basename(fixture)} every table and column that a new one has`, (t) => {
      const [old, fresh] = [join(temporaryFolder(t), 'old'), temporaryFolder(t)];
      cpSync(join(fixtures, fixture, 'data'), old, { recursive: true });
      upgradeFolder(old, silent);
      new Database(join(fresh, 'cfgdb.sqlite')).close();
      new EntryDatabase(join(fresh, 'state.sqlite'), stateForm).close();
      for (const name of ['cfgdb.sqlite', 'state.sqlite']) {
        const [upgraded, made] = [columnsOf(join(old, name)), columnsOf(join(fresh, name))];
        for (const [column, form] of ofForm(made)) {
          assert.equal(upgraded[column], form, `${column} in ${name} ${whatToDo}`);
        }
        for (const [column] of ofForm(upgraded)) assert.ok(column in made, `${column} in ${name} ${whatToDo}`);
      }
    });
  }
});
