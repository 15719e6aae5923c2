// Promises of generating: what it makes, keeps, follows, deletes and refuses.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { beforeEach, describe, test } from 'node:test';
import { type Family, type GenerateResult, type Measurement, ProblemError, parseJson } from '@telltale/schema';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { Configuration } from './configuration.ts';
import { type GenerateOptions, generate } from './generate.ts';
import { listTypicals } from './list-typicals.ts';

const folder = temporaryFolder(suiteCleanup());
let files = 0;
let path: string;
let configuration: Configuration;

const open = () => new Configuration({ path, stacks: [], now: () => 1_700_000_000_000_000 });

beforeEach(() => {
  path = join(folder, `${++files}.sqlite`);
  configuration = open();
});

const plain: GenerateOptions = { dryRun: false, render: false, deleteMissing: false, overwrite: false };

function run(request: object, options: Partial<GenerateOptions> = {}): GenerateResult {
  const steps = generate(configuration, Buffer.from(JSON.stringify(request)), { ...plain, ...options }, 'ann');
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return JSON.parse(Buffer.from(value).toString());
  }
}

function faultsOf(request: object, options: Partial<GenerateOptions> = {}): string[] {
  try {
    run(request, options);
  } catch (error) {
    assert.ok(error instanceof ProblemError, String(error));
    return [error.problem, ...(error.errors ?? []).map((fault) => `${fault.path}: ${fault.message}`)];
  }
  return [];
}

const put = (family: Family, name: string, fields: object) =>
  configuration.put(family, name, Buffer.from(JSON.stringify({ name, ...fields })), 'bob');
const read = (family: Family, name: string) => parseJson(Buffer.from(configuration.get(family, name)).toString());
const list = () => JSON.parse(Buffer.from(listTypicals(configuration)).toString());
const file = (text: string) => Buffer.from(text).toString('base64');

const pump = {
  name: 'pump',
  parameters: { pump: {}, base: {}, severity: { default: '2' }, note: { default: '' }, on: { default: '' } },
  objects: {
    measurements: {
      '{pump}_speed': {
        datatype: 'd',
        address: '1/hr{base+3}',
        euRangeHi: '{base*10}',
        properties: { 'of{pump}': '{note}', x: '{{' },
      },
    },
    alarms: {
      '{pump}_high': {
        severity: '{severity}',
        enabled: '{on}',
        trgMeasurement: '{pump}_speed',
        description: '{note}',
      },
    },
  },
};
const one = [{ pump: 'p1', base: 1 }];

describe('generating', () => {
  test('makes the objects of each instance, from a list or a table, and again changes nothing', () => {
    const result = run({ type: pump, file: file('\ufeffbase;note;pump;on\n1;;p1\n0;top;p2;off\n') });
    const { changes, ...counts } = result;
    assert.deepEqual(counts, {
      type: 'pump',
      instances: 2,
      objects: 4,
      added: 4,
      changed: 0,
      removed: 0,
      unchanged: 0,
      kept: [],
      left: [],
    });
    assert.deepEqual(changes[0], { family: 'alarms', name: 'p1_high', instance: 'p1', change: 'added' });
    assert.deepEqual(read('measurements', 'p1_speed'), {
      name: 'p1_speed',
      address: '1/hr4',
      datatype: 'd',
      euRangeHi: '10',
      properties: { x: '{' },
    });
    assert.deepEqual(read('alarms', 'p2_high'), {
      name: 'p2_high',
      description: 'top',
      severity: 2,
      enabled: false,
      trgMeasurement: 'p2_speed',
    });
    const again = run({
      type: pump,
      instances: [
        { pump: 'p1', base: '1' },
        { pump: 'p2', base: 0, note: 'top', on: false },
      ],
    });
    assert.deepEqual([again.added, again.changed, again.unchanged, again.changes], [0, 0, 4, []]);
    assert.deepEqual(list(), {
      pump: {
        p1: [
          { family: 'alarms', name: 'p1_high', state: 'made' },
          { family: 'measurements', name: 'p1_speed', state: 'made' },
        ],
        p2: [
          { family: 'alarms', name: 'p2_high', state: 'made' },
          { family: 'measurements', name: 'p2_speed', state: 'made' },
        ],
      },
    });
    configuration.close();
  });

  test('keeps what people changed since, with both values where the type has changed as well', () => {
    run({ type: pump, instances: one });
    put('measurements', 'p1_speed', { datatype: 'd', address: 'x', euRangeHi: '10', properties: { x: '{', own: '1' } });
    configuration.delete('alarms', 'p1_high', 'bob');
    const { kept, changed } = run({ type: pump, instances: [{ pump: 'p1', base: 2 }] });
    assert.equal(changed, 1);
    assert.deepEqual(kept, [
      { family: 'alarms', name: 'p1_high', instance: 'p1', change: 'deleted' },
      {
        family: 'measurements',
        name: 'p1_speed',
        instance: 'p1',
        change: 'changed',
        fields: [
          { field: 'address', byHand: 'x', before: '1/hr4', type: '1/hr5' },
          { field: 'properties.own', byHand: '1' },
        ],
      },
    ]);
    assert.deepEqual(read('measurements', 'p1_speed'), {
      name: 'p1_speed',
      address: 'x',
      datatype: 'd',
      euRangeHi: '20',
      properties: { own: '1', x: '{' },
    });
    const overwritten = run({ type: pump, instances: one }, { overwrite: true });
    assert.deepEqual([overwritten.added, overwritten.changed, overwritten.kept], [1, 1, []]);
    assert.deepEqual(run({ type: pump, instances: one }).kept, []);
    configuration.close();
  });

  test('tries everything and changes nothing in a dry run', () => {
    assert.equal(run({ type: pump, instances: one }, { dryRun: true }).added, 2);
    assert.deepEqual([list(), configuration.upToDate()], [{}, true]);
    configuration.close();
  });

  test('follows renames: the object keeps its new name, and what the type refers to it by follows', () => {
    run({ type: pump, instances: one });
    configuration.rename(
      { family: 'measurements', from: 'p1_speed', to: 'basin' },
      { commit: true, render: false },
      'bob',
    );
    for (const overwrite of [false, true]) {
      const { kept, added, changed } = run({ type: pump, instances: one }, { overwrite });
      assert.deepEqual([added, changed], [0, 0]);
      assert.deepEqual(kept, [
        { family: 'measurements', name: 'basin', instance: 'p1', change: 'renamed', madeName: 'p1_speed' },
      ]);
    }
    run({ type: pump, instances: [{ pump: 'p1', base: 5, note: 'n' }] });
    assert.equal((read('measurements', 'basin') as { address: string }).address, '1/hr8');
    assert.equal((read('alarms', 'p1_high') as { trgMeasurement: string }).trgMeasurement, 'basin');
    configuration.close();
  });

  test('is undone with the objects that are discarded, and restored with those of a revision', () => {
    const objects = { measurements: { '{pump}_speed': { datatype: 'd', description: '{base}' } } };
    const type = { ...pump, objects };
    run({ type, instances: one }, { render: true });
    const two = [
      { pump: 'p1', base: 7 },
      { pump: 'p2', base: 2 },
    ];
    const back = (name?: string) =>
      configuration.discard({ family: name && 'measurements', name } as object, { commit: true }, 'bob');
    run({ type, instances: two });
    back('p1_speed');
    assert.deepEqual(run({ type, instances: two }).kept, []);
    back();
    assert.deepEqual([Object.keys(list().pump), configuration.upToDate()], [['p1'], true]);
    const made = list();
    const again = run({ type, instances: two }, { render: true });
    assert.deepEqual([again.added, again.changed, again.kept], [1, 1, []]);
    configuration.restore(1, { render: false, family: 'measurements', name: 'p1_speed' }, 'bob');
    assert.deepEqual([list().pump.p1, list().pump.p2?.length], [made.pump.p1, 1]);
    assert.equal(run({ type, instances: two }, { dryRun: true }).changed, 1);
    configuration.restore(1, { render: false }, 'bob');
    assert.deepEqual([list(), run({ type, instances: one }).unchanged], [made, 1]);
    configuration.close();
  });

  test('shows what it no longer makes, and deletes it on request, unless people changed it', () => {
    run({ type: pump, instances: [...one, { pump: 'p2', base: 2 }] });
    put('alarms', 'p2_high', { severity: 9 });
    const left = { instance: 'p2', changedByHand: false };
    const shown = run({ type: pump, instances: one });
    assert.deepEqual(shown.left, [
      { family: 'alarms', name: 'p2_high', ...left, changedByHand: true },
      { family: 'measurements', name: 'p2_speed', ...left },
    ]);
    const { removed, left: stays } = run({ type: pump, instances: one }, { deleteMissing: true });
    assert.deepEqual([removed, stays.length], [1, 1]);
    assert.equal(run({ type: pump, instances: [] }, { deleteMissing: true, overwrite: true }).removed, 3);
    assert.deepEqual([list(), configuration.upToDate()], [{}, true]);
    configuration.close();
  });

  test('refuses names that it did not make, all at once, but takes over what is as the type says', () => {
    put('alarms', 'p1_high', { severity: 1 });
    put('measurements', 'p2_speed', { datatype: 'd' });
    const both = [...one, { pump: 'p2', base: 2 }];
    assert.deepEqual(faultsOf({ type: pump, instances: both }), [
      'name-taken',
      '/alarms/p1_high: alarms has p1_high, which was not generated',
      '/measurements/p2_speed: measurements has p2_speed, which was not generated',
    ]);
    assert.deepEqual(list(), {});
    run({ type: pump, instances: both }, { overwrite: true });
    const other = { ...pump, name: 'other' };
    assert.equal(run({ type: other, instances: both }).unchanged, 4);
    assert.deepEqual(Object.keys(list()), ['other']);
    assert.match(faultsOf({ type: pump, instances: [{ pump: 'p1', base: 7 }] })[1] ?? '', /by the type other/);
    configuration.close();
  });

  test('says what is wrong with the type, with its place', () => {
    const type = {
      ...pump,
      objects: {
        measurements: {
          '{pump': {},
          '{pum}_a': { name: 'x', datatype: 'd', adress: '1', properties: { a: 5 } },
          '{pump}/b': { datatype: '{base' },
        },
      },
    };
    assert.deepEqual(faultsOf({ type, instances: one }), [
      'invalid-typical',
      '/type/objects/measurements/{pump: "{pump" is not closed: write {name}, or {{ for a brace',
      '/type/objects/measurements/{pum}_a: "pum" is no parameter of the type. Did you mean pump?',
      '/type/objects/measurements/{pum}_a/name: is not written here: the object has the name under which it stands',
      '/type/objects/measurements/{pum}_a/adress: is no field of measurements. Did you mean address?',
      '/type/objects/measurements/{pum}_a/properties/a: must be a string',
      '/type/objects/measurements/{pump}~1b/datatype: "{base" is not closed: write {name}, or {{ for a brace',
    ]);
    assert.deepEqual(faultsOf({ type: pump }), ['invalid-body', '/instances: is required, or file']);
    assert.equal(faultsOf({ type: { ...pump, parameters: {} }, instances: [] })[0], 'invalid-body');
    assert.equal(faultsOf({ type: { ...pump, objects: { stacks: {} } }, instances: [] })[0], 'invalid-body');
    assert.equal(faultsOf({ type: { ...pump, objects: {} }, instances: [] })[0], 'invalid-typical');
    configuration.close();
  });

  test('reads booleans, durations and decimal commas of a spreadsheet as tables do', () => {
    const type = {
      name: 'tank',
      parameters: { tank: {}, on: {}, period: {}, high: {} },
      objects: {
        measurements: { '{tank}': { datatype: 'd', enabled: '{on}', archPeriod: '{period}', euRangeHi: '{high}' } },
      },
    };
    run({ type, file: file('tank;on;period;high\nt1;WAHR;1m;2,5\nt2;FALSCH;250;3\n') });
    const { enabled, archPeriod, euRangeHi } = read('measurements', 't1') as Measurement;
    assert.deepEqual([enabled, archPeriod, euRangeHi], [true, 60_000, '2.5']);
    assert.deepEqual((read('measurements', 't2') as Measurement).archPeriod, 250);
    assert.deepEqual(faultsOf({ type, file: file('tank,on,period,high\nt1,on,soon,2\n') }).slice(1), [
      'row 2: "soon" is no whole number: write digits alone, such as 1000 (ms), or a duration such as 5s, for measurements/{tank}/archPeriod of the type',
    ]);
    configuration.close();
  });

  test('says what is wrong with the instances, with row and column', () => {
    const faults = (text: string) => faultsOf({ type: pump, file: file(text) }).slice(1);
    assert.deepEqual(faults('pump,bas\np1,1\n'), [
      'row 1, column bas: is no parameter of the type. Did you mean base?',
      'row 1, column base: is missing: add the column, or give the parameter a default in the type',
    ]);
    assert.deepEqual(faults('pump,base,\np1,x,\np2,,\np3,3,4\np1,1,\n'), [
      'row 3, column base: is empty: write a value, or give the parameter a default in the type',
      'row 4, column C: has no heading in the first row',
      'row 5: is the instance "p1", as row 2 is: each needs another one',
    ]);
    assert.deepEqual(faults('pump,base,on\np1,x,\np-2,2,\np3,3,maybe\np4,4,perhaps\n'), [
      'row 2, column base: "x" is no whole number, and {base+3} computes with it, for measurements/{pump}_speed/address of the type',
      '/type/objects/alarms/{pump}_high/name: must be a name: 1 to 64 characters of 0-9, a-z, A-Z and _ (row 3: "p-2_high")',
      '/type/objects/measurements/{pump}_speed/name: must be a name: 1 to 64 characters of 0-9, a-z, A-Z and _ (row 3: "p-2_speed")',
      'row 4: "maybe" is neither true nor false: write true or false, for alarms/{pump}_high/enabled of the type',
      'row 5: "perhaps" is neither true nor false: write true or false, for alarms/{pump}_high/enabled of the type',
    ]);
    assert.deepEqual(faultsOf({ type: pump, instances: [{ pump: 'a', base: 1, x: 1 }] }).slice(1), [
      '/instances/0/x: is no parameter of the type. Known are pump, base, severity, note, on.',
    ]);
    const same = { ...pump, instance: '{pump}{base}', objects: { measurements: { a: { datatype: 'd' } } } };
    assert.deepEqual(faultsOf({ type: same, instances: [...one, { pump: 'p2', base: 1 }] }).slice(1), [
      '/instances/1: makes measurements/a, as /instances/0 does',
    ]);
    assert.equal(faultsOf({ type: pump, file: '!' })[0], 'invalid-body');
    configuration.close();
  });
});

test('a table of instances may be as long as a body', () => {
  const rows = Array.from({ length: 3000 }, (_, at) => `p${at},${String(at % 10).repeat(900)}\n`);
  const type = {
    name: 'pump',
    parameters: { pump: {}, note: {} },
    objects: { measurements: { '{pump}': { datatype: 'd', description: '{note}' } } },
  };
  assert.equal(run({ type, file: file(`pump,note\n${rows.join('')}`) }, { dryRun: true }).added, 3000);
});

describe('a request that is made to take long', () => {
  const of = (fields: object, parameters: object = { pump: {} }) => ({
    name: 'pump',
    parameters,
    objects: { measurements: { '{pump}': { datatype: 'd', ...fields } } },
  });
  const instances = [{ pump: 'p1' }];

  test('is refused at once where its file is white space that is no base64', () => {
    const refused = faultsOf({ type: of({}), file: `${' '.repeat(2_000_000)}!` });
    assert.deepEqual(refused, ['invalid-body', '/file: must be base64']);
    assert.equal(run({ type: of({}), file: ` ${file('pump\np1')}\n` }).added, 1);
  });

  test('has hints for the first of very many unknown names', () => {
    const name = (of: string, at: number) => `${of}${at}${of.repeat(64)}`.slice(0, 64);
    const unknown = Array.from({ length: 9000 }, (_, at) => name('q', at));
    const names = Array.from({ length: 99 }, (_, at) => [name('p', at), { default: '1' }]);
    const parameters = Object.fromEntries([['pump', {}], ...names]);
    const row = Object.fromEntries([['pomp', 1], ...unknown.map((key) => [key, 1])]);
    const [problem, first, ...others] = faultsOf({ type: of({}, parameters), instances: [row] });
    assert.deepEqual([problem, others.length], ['invalid-typical', 99]);
    assert.match(first ?? '', /^\/instances\/0\/pomp: is no parameter of the type. Did you mean pump\?$/);
    const description = ['pomp', ...unknown].map((key) => `{${key}}`).join('');
    const [, told] = faultsOf({ type: of({ description }, parameters), instances });
    assert.match(told ?? '', /"pomp" is no parameter of the type. Did you mean pump\?$/);
  });

  test('is refused for what it would become, before that is all made', () => {
    const parameters = { pump: {}, text: { default: 'x'.repeat(1000) } };
    const many = Array.from({ length: 100 }, (_, at) => ({ pump: `p${at}` }));
    const faulty = of({ datatype: 'z', description: '{text}'.repeat(900) }, parameters);
    assert.deepEqual(faultsOf({ type: faulty, instances: many }), ['table-too-large']);
    const properties = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`p${at}`, '{text}'.repeat(900)]));
    const [problem, fault] = faultsOf({ type: of({ properties }, parameters), instances });
    assert.equal(problem, 'invalid-typical');
    assert.match(fault ?? '', /becomes longer than 1048576 characters/);
    const placeholders = '{pump}'.repeat(170_000);
    const large = of({ description: placeholders, address: placeholders, eu: placeholders });
    assert.match(faultsOf({ type: large, instances })[1] ?? '', /the type has too many placeholders$/);
    assert.match(
      faultsOf({ type: of({ eu: 'x'.repeat(2_000_000) }), instances })[1] ?? '',
      /is longer than 1048576 char/,
    );
  });
});
