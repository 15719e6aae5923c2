// Promises of renames in the configuration: what they change, when they count, and that they are known until they are confirmed.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { beforeEach, describe, test } from 'node:test';
import { type Family, ProblemError, parseJson } from '@telltale/schema';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { Configuration } from './configuration.ts';
import { Database } from './database.ts';
import { readObject, type Step } from './read-objects.ts';
import type { Rename } from './renamed-references.ts';

const folder = temporaryFolder(suiteCleanup());
const measurements = (from: string, to: string): Rename => ({ family: 'measurements', from, to });
const plain = { commit: true, render: false };
let files = 0;
let path: string;
let proposed: (readonly Rename[])[];
let configuration: Configuration;

function open(): Configuration {
  const propose = (_: unknown, renames: readonly Rename[]) => void proposed.push(renames);
  return new Configuration({ path, stacks: [], now: () => 1_700_000_000_000_000, propose });
}

function put(family: Family, name: string, fields: object): void {
  configuration.put(family, name, Buffer.from(JSON.stringify({ name, ...fields })), 'ann');
}

const read = (family: Family, name: string) =>
  parseJson(Buffer.from(configuration.get(family, name)).toString()) as Record<string, unknown>;
const render = () => configuration.render({ force: false }, 'ann');
const rename = (from: string, to: string, options = plain) =>
  configuration.rename(measurements(from, to), options, 'ann');
const isProblem = (problem: string) => (error: unknown) => error instanceof ProblemError && error.problem === problem;

beforeEach(() => {
  path = join(folder, `${++files}.sqlite`);
  proposed = [];
  configuration = open();
  put('measurements', 'a', { datatype: 'd', leader: 'b' });
  put('measurements', 'b', { datatype: 'd' });
  render();
  proposed = [];
});

describe('a rename', () => {
  test('counts with the rendering, once for all names that an object had since the last one', () => {
    rename('a', 'x');
    rename('x', 'y');
    assert.deepEqual(proposed, []);
    render();
    assert.deepEqual(proposed, [[measurements('a', 'y')]]);
    configuration.close();
  });

  test('does not count where it was undone, or the object was not there, or is gone, or another one has its old name', () => {
    rename('a', 'x');
    rename('x', 'a');
    assert.equal(configuration.upToDate(), true);
    put('measurements', 'new', { datatype: 'd' });
    rename('new', 'newer');
    rename('a', 'y');
    configuration.delete('measurements', 'y', 'ann');
    rename('b', 'z');
    put('measurements', 'b', { datatype: 'i' });
    render();
    assert.deepEqual(proposed, [[]]);
    configuration.close();
  });

  test('is followed by what refers to the object, itself included, and by nothing of the same name elsewhere', () => {
    put('commands', 'a', { datatype: 'd', leader: 'a', description: 'a' });
    put('alarms', 'a', { severity: 1, trgMeasurement: 'a' });
    put('connectors', 'a', { wdtMeasurement: 'a' });
    put('function-modules', 'a', { termToKill: 1, queryTimeout: 1, properties: { writes: 'a b', other: 'a' } });
    put('measurements', 'a', { datatype: 'd', leader: 'a' });
    const { referrers } = rename('a', 'x');
    assert.deepEqual(referrers.map(({ family }) => family).sort(), [
      'alarms',
      'commands',
      'connectors',
      'function-modules',
    ]);
    assert.deepEqual(read('measurements', 'x'), { name: 'x', datatype: 'd', leader: 'x' });
    assert.deepEqual(read('commands', 'a'), { name: 'a', description: 'a', datatype: 'd', leader: 'x' });
    assert.equal(read('alarms', 'a').trgMeasurement, 'x');
    assert.equal(read('connectors', 'a').wdtMeasurement, 'x');
    // The command and the alarm are still called so.
    assert.deepEqual(read('function-modules', 'a').properties, { other: 'a', writes: 'a, x b' });
    configuration.close();
  });

  test('of a command is followed by its followers, unless a measurement of its name leads them', () => {
    put('commands', 'c', { datatype: 'd' });
    put('commands', 'b', { datatype: 'd' });
    put('measurements', 'f', { datatype: 'd', leader: 'c' });
    configuration.rename({ family: 'commands', from: 'c', to: 'd' }, plain, 'ann');
    assert.equal(read('measurements', 'f').leader, 'd');
    configuration.rename({ family: 'commands', from: 'b', to: 'e' }, plain, 'ann');
    assert.equal(read('measurements', 'a').leader, 'b');
    configuration.close();
  });

  test('is a step of a transaction, too', () => {
    const object = readObject('alarms', 'high', { name: 'high', severity: 1, trgMeasurement: 'b' }, '', []);
    assert.ok(object !== undefined);
    const steps: Step[] = [
      { operation: 'put', object, parsed: { name: 'high', severity: 1, trgMeasurement: 'b' } },
      { operation: 'rename', renames: [measurements('b', 'x')] },
    ];
    assert.throws(
      () => configuration.transaction([...steps], { commit: true, render: true }, 'ann'),
      (error: ProblemError) => error.errors?.every(({ path }) => !path.endsWith('/trgMeasurement')) === true,
    );
    configuration.transaction(steps, plain, 'ann');
    assert.equal(read('alarms', 'high').trgMeasurement, 'x');
    configuration.delete('alarms', 'high', 'ann');
    render();
    assert.deepEqual(proposed, [[measurements('b', 'x')]]);
    configuration.close();
  });

  test('is refused where another object has the name, or runs under it still; and rolled back where it is told so', () => {
    assert.throws(() => rename('a', 'b'), isProblem('name-taken'));
    assert.throws(() => rename('a', 'names'), isProblem('reserved-name'));
    assert.throws(() => rename('nobody', 'x'), isProblem('unknown-object'));
    configuration.delete('measurements', 'a', 'ann');
    assert.throws(() => rename('b', 'a'), isProblem('name-taken'));
    rename('b', 'c', { commit: false, render: false });
    assert.equal(configuration.has('measurements', 'c'), false);
    configuration.close();
  });

  test('is known until it is confirmed, through restarts and uploads, and meanwhile nothing gets the old name', () => {
    rename('b', 'x');
    render();
    configuration.replace({ objects: [], made: [] }, { render: false }, 'ann');
    configuration.close();
    let known: readonly Rename[] = [];
    new Database(path, (_, renames) => {
      known = renames;
    }).close();
    assert.deepEqual(known, [measurements('b', 'x')]);
    configuration = open();
    assert.deepEqual(configuration.missing(), []);
    put('measurements', 'b', { datatype: 'd' });
    assert.throws(render, isProblem('render-refused'));
    configuration.confirmRenames([measurements('b', 'x')]);
    render();
    configuration.close();
    new Database(path, (_, renames) => {
      known = renames;
    }).close();
    assert.deepEqual(known, []);
  });
});
