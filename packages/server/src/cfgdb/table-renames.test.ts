// Promises of the column `renamed from` of tables: what is renamed, what follows, what is passed over, and what is refused where.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { beforeEach, describe, test } from 'node:test';
import { type Family, ProblemError, parseJson, type TableResult } from '@telltale/schema';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { Configuration } from './configuration.ts';
import { putTable } from './put-table.ts';
import type { Rename } from './renamed-references.ts';

const folder = temporaryFolder(suiteCleanup());
let files = 0;
let proposed: readonly Rename[];
let configuration: Configuration;

const parse = <T>(json: Uint8Array) => parseJson(Buffer.from(json).toString()) as T;
const put = (family: Family, name: string, fields: object) =>
  configuration.put(family, name, Buffer.from(JSON.stringify({ name, ...fields })), 'ann');
const render = () => configuration.render({ force: true }, 'ann');
const read = (name: string, family: Family = 'measurements') =>
  parse<Record<string, unknown>>(configuration.get(family, name));
const names = () => parse<string[]>(configuration.names('measurements'));

function send(text: string, options = {}, family: Family = 'measurements'): TableResult {
  const all = { dryRun: false, render: false, deleteMissing: false, ...options };
  const steps = putTable(configuration, family, Buffer.from(text), all, 'ann');
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return parse<TableResult>(value);
  }
}

function faultsOf(text: string, family?: Family): string[] {
  try {
    send(text, {}, family);
  } catch (error) {
    assert.ok(error instanceof ProblemError && error.problem === 'invalid-table', String(error));
    return (error.errors ?? []).map(({ path, message }) => `${path}: ${message}`);
  }
  throw new Error('It was taken.');
}

beforeEach(() => {
  const propose = (_: unknown, renames: readonly Rename[]) => {
    proposed = renames;
    return undefined;
  };
  const path = join(folder, `${++files}.sqlite`);
  configuration = new Configuration({ path, stacks: [], now: () => 1_700_000_000_000_000, propose });
  put('measurements', 'level', { datatype: 'd', eu: 'm' });
  put('measurements', 'flow', { datatype: 'd', leader: 'level' });
  put('alarms', 'high', { severity: 1, trgMeasurement: 'level', trgOperator: 'gt', trgRefValue: '1' });
  render();
});

describe('a table with a column renamed from', () => {
  test('renames, and its rows change the objects under their new names, also what refers to them', () => {
    const table = 'name,renamed from,eu\nflow,,l\nbasin,level,cm\n';
    const { changes, ...counts } = send(table, { dryRun: true });
    assert.deepEqual(counts, { rows: 2, added: 0, renamed: 1, changed: 2, removed: 0, unchanged: 0 });
    assert.deepEqual(changes, [
      { name: 'flow', row: 2, change: 'changed', fields: [{ field: 'eu', after: 'l' }] },
      {
        name: 'basin',
        row: 3,
        change: 'changed',
        renamedFrom: 'level',
        fields: [{ field: 'eu', before: 'm', after: 'cm' }],
      },
    ]);
    assert.deepEqual(names(), ['flow', 'level']);
    send(table, { render: true });
    assert.deepEqual(read('basin'), { name: 'basin', datatype: 'd', eu: 'cm' });
    assert.deepEqual(read('flow'), { name: 'flow', datatype: 'd', leader: 'basin', eu: 'l' });
    assert.equal(read('high', 'alarms').trgMeasurement, 'basin');
    assert.deepEqual(names(), ['basin', 'flow']);
    assert.deepEqual(proposed, [{ family: 'measurements', from: 'level', to: 'basin' }]);
    configuration.close();
  });

  test('can be imported again: what has its new name already is passed over', () => {
    const table = 'renamed from;name\nlevel;basin\nflow;flow\n';
    assert.deepEqual(send(table), { rows: 2, added: 0, renamed: 1, changed: 0, removed: 0, unchanged: 1 });
    assert.deepEqual(send(table), { rows: 2, added: 0, changed: 0, removed: 0, unchanged: 2 });
    render();
    assert.deepEqual(send(table), { rows: 2, added: 0, changed: 0, removed: 0, unchanged: 2 });
    configuration.close();
  });

  test('deletes what it does not have, and never what it renames', () => {
    assert.deepEqual(send('name,renamed from\nbasin,level\n', { deleteMissing: true }), {
      rows: 1,
      added: 0,
      renamed: 1,
      changed: 0,
      removed: 1,
      unchanged: 0,
    });
    assert.deepEqual(names(), ['basin']);
    configuration.close();
  });

  test('is refused by row and column: unknown and taken names, swaps, chains, twice the same; nothing is changed', () => {
    assert.deepEqual(faultsOf('name,renamed from\nbasin,levle\n'), [
      'row 2, column renamed from: measurements has no "levle" to rename. Did you mean level?',
    ]);
    assert.deepEqual(faultsOf('name,renamed from\nlevel,flow\n'), [
      'row 2, column renamed from: measurements has level already',
    ]);
    assert.deepEqual(faultsOf('name,renamed from\nlevel,flow\nflow,level\n'), [
      'row 2, column renamed from: flow has row 3 of its own: rename it, render, and import that row afterwards',
      'row 3, column renamed from: level has row 2 of its own: rename it, render, and import that row afterwards',
    ]);
    assert.deepEqual(faultsOf('name,renamed from\nx,level\nlevel,flow\n'), [
      'row 2, column renamed from: level has row 3 of its own: rename it, render, and import that row afterwards',
      'row 3, column renamed from: measurements has level already',
    ]);
    assert.deepEqual(faultsOf('name,renamed from\nx,level\ny,level\n'), [
      'row 3, column renamed from: level is renamed by row 2 already',
    ]);
    configuration.delete('measurements', 'flow', 'ann');
    assert.deepEqual(faultsOf('name,renamed from\nflow,level\n'), [
      'row 2, column renamed from: another flow runs until its deletion is rendered; render first',
    ]);
    assert.deepEqual(faultsOf('name,renamed from\nplc2,plc\n', 'connectors'), [
      'row 1, column renamed from: is for measurements, commands, alarms: connectors have no history',
    ]);
    assert.ok(faultsOf('name,renamed from\nno name,level\n').some((fault) => fault.startsWith('row 2, column name: ')));
    assert.deepEqual(names(), ['level']);
    configuration.close();
  });

  test('has hints for the first of very many objects that there are not', () => {
    const made = Array.from({ length: 5000 }, (_, index) => `level${index},d\n`);
    send(`name,datatype\n${made.join('')}`);
    const rows = Array.from({ length: 20_000 }, (_, index) => `b${index},lovel${index}\n`).join('');
    const faults = faultsOf(`name,renamed from\n${rows}`);
    assert.equal(faults[0], 'row 2, column renamed from: measurements has no "lovel0" to rename. Did you mean level0?');
    assert.equal(faults.at(-1), 'row 101, column renamed from: measurements has no "lovel99" to rename.');
    configuration.close();
  });

  test('renames 2,000 objects at once, each with what refers to it', () => {
    const made = Array.from(
      { length: 2000 },
      (_, index) => `a${index},d,${index === 0 ? '' : `a${index - 1}`}
`,
    );
    send(`name,datatype,leader
${made.join('')}`);
    const rows = Array.from({ length: 2000 }, (_, index) => `b${index},a${index}\n`).join('');
    assert.equal(send(`name,renamed from\n${rows}`).renamed, 2000);
    assert.equal(read('b1999').leader, 'b1998');
    assert.equal(
      names().some((name) => name.startsWith('a')),
      false,
    );
    configuration.close();
  });
});
