// Tables of every family, out and in again: the texts of the objects before and after are compared.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Family, families, familyNames, ProblemError } from '@telltale/schema';
import fc from 'fast-check';
import { anyObject } from '../../test/any-object.ts';
import { readObject } from './read-objects.ts';
import { readTable, type TableSteps } from './read-table.ts';
import { type WriteTableOptions, writeTable } from './write-table.ts';

type Objects = ReadonlyMap<string, string>;

function run<T>(steps: Generator<undefined, T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

function objectsOf(family: Family, bodies: readonly { name: string }[]): Objects {
  const objects = new Map<string, string>();
  for (const body of bodies) {
    const faults: never[] = [];
    const stored = body.name === 'names' ? undefined : readObject(family, body.name, body, '', faults);
    if (stored !== undefined) objects.set(stored.name, stored.text);
  }
  return objects;
}

function write(family: Family, objects: Objects, options: Partial<WriteTableOptions> = {}): Buffer {
  return Buffer.concat(run(writeTable(family, objects, { format: 'csv', ...options })));
}

function read(
  family: Family,
  table: string | Uint8Array,
  objects: Objects = new Map(),
  deleteMissing = false,
): TableSteps {
  return run(readTable(family, Buffer.from(table), objects, { deleteMissing, listChanges: true }));
}

/** The objects after the steps. */
function after(objects: Objects, { steps }: TableSteps): Objects {
  const result = new Map(objects);
  for (const step of steps) {
    if (step.operation === 'delete') result.delete(step.name);
    else if (step.operation === 'put') result.set(step.object.name, step.object.text);
  }
  return result;
}

function refusal(work: () => unknown): ProblemError {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof ProblemError, String(error));
    return error;
  }
  assert.fail('it was taken');
}

function faultsOf(work: () => unknown): string[] {
  return (refusal(work).errors ?? []).map(({ path, message }) => `${path}: ${message}`);
}

const level = { name: 'level', datatype: 'd', deadband: '0.5', description: 'Level', properties: { a: '1', b: '' } };
const levels = objectsOf('measurements', [level]);

describe('a table', () => {
  for (const family of familyNames) {
    test(`of ${family} holds every object exactly, whatever its names and texts`, () => {
      fc.assert(
        fc.property(fc.array(anyObject(family), { maxLength: 5 }), (bodies) => {
          const objects = objectsOf(family, bodies);
          for (const format of ['csv', 'xlsx'] as const) {
            const table = write(family, objects, { format });
            assert.deepEqual(after(new Map(), read(family, table)), objects);
            assert.equal(read(family, table, objects).steps.length, 0, 'nothing changes where the objects are there');
          }
        }),
        { numRuns: 300 },
      );
    });
  }

  test('has a column for each field, in the order of the schema, and one for each key of a map', () => {
    const [header] = write('measurements', levels).toString().split('\r\n');
    const fields = Object.keys(families.measurements.properties);
    const expected = fields.flatMap((field) =>
      field === 'providerAddresses' ? [] : field === 'properties' ? ['properties.a', 'properties.b'] : [field],
    );
    assert.deepEqual(header?.split(','), expected);
  });

  test('has the columns and the objects that are asked for, the name first', () => {
    const two = objectsOf('measurements', [level, { ...level, name: 'flow' }]);
    const options = { columns: ['deadband', 'properties', 'properties.c'], names: ['level', 'none'] };
    assert.equal(
      write('measurements', two, options).toString(),
      "name,deadband,properties.a,properties.b,properties.c\r\nlevel,0.5,1,',\r\n",
    );
    const { problem, message } = refusal(() => write('measurements', two, { columns: ['deadbnd'] }));
    assert.equal(problem, 'invalid-query');
    assert.match(message, /Did you mean deadband\?/);
  });

  test('changes the fields that it has columns for, and no others; an empty cell is not set', () => {
    const steps = read('measurements', 'name,deadband,properties.a\nlevel,,2\n', levels);
    const { deadband: _, ...others } = level;
    const expected = { ...others, properties: { a: '2', b: '' } };
    assert.deepEqual(JSON.parse(after(levels, steps).get('level') ?? ''), expected);
    assert.deepEqual(steps.changes, [
      {
        name: 'level',
        row: 2,
        change: 'changed',
        fields: [
          { field: 'properties', before: { a: '1', b: '' }, after: { a: '2', b: '' } },
          { field: 'deadband', before: '0.5' },
        ],
      },
    ]);
  });

  test('removes what it does not have, where that is asked for', () => {
    const table = 'name,datatype\nflow,d\n';
    assert.equal(read('measurements', table, levels).removed, 0);
    const steps = read('measurements', table, levels, true);
    assert.deepEqual([...after(levels, steps).keys()], ['flow']);
    assert.deepEqual([steps.added, steps.removed], [1, 1]);
  });

  test('is taken with semicolons, tabs, a byte order mark, UTF-16, empty rows, padding, and decimal commas', () => {
    const expected = after(new Map(), read('measurements', 'name,datatype,deadband,enabled\nx,d,0.5,true\n'));
    const same = [
      '\ufeffname;datatype;deadband;enabled\r\nx;d;0,5;WAHR\r\n',
      'name\tdatatype\tdeadband\tenabled\nx\td\t0,5\tyes',
      '\n,,,\nname,datatype,deadband,enabled,,\n,,,,,\nx,d,0.5,TRUE,,\n,,,\n',
      Buffer.from('\ufeffname\tdatatype\tdeadband\tenabled\r\nx\td\t0,5\t1\r\n', 'utf16le'),
    ];
    for (const table of same) assert.deepEqual(after(new Map(), read('measurements', table)), expected);
  });

  test('with semicolons leaves commas in texts, percents and escaped numbers as they are', () => {
    const steps = read('measurements', "name;datatype;deadband;description;euRangeLo\nx;d;1,5%;0,5;'0,5\n");
    const { deadband, description, euRangeLo } = JSON.parse(after(new Map(), steps).get('x') ?? '');
    assert.deepEqual([deadband, description, euRangeLo], ['1.5%', '0,5', '0,5']);
  });

  test('has durations in the columns that are milliseconds', () => {
    const steps = read('measurements', 'name,datatype,archPeriod,archTimeDeadband\nx,d,1h30m,250\n');
    const { archPeriod, archTimeDeadband } = JSON.parse(after(new Map(), steps).get('x') ?? '');
    assert.deepEqual([archPeriod, archTimeDeadband], [5_400_000, 250]);
    const wrong = faultsOf(() => read('alarms', 'name,severity\na,5s\n'));
    assert.deepEqual(wrong, ['row 2, column severity: "5s" is no whole number: write digits alone, such as 1000']);
  });

  test('says everything that is wrong, with row, column and what to write, and how much there is', () => {
    const table = [
      'name,datatype,enabled,archPeriod,deadband,archMode',
      'a,d,perhaps,soon,"0,5",sometimes',
      ',d,,,,',
      'a,d,,,,',
      'b,,,,,',
      'b-c,x,,,,,,surplus',
      'names,d,,,,',
    ].join('\n');
    assert.deepEqual(
      faultsOf(() => read('measurements', table)),
      [
        'row 2, column enabled: "perhaps" is neither true nor false: write true or false',
        'row 2, column archPeriod: "soon" is no whole number: write digits alone, such as 1000 (ms), or a duration such as 5s',
        'row 2, column deadband: "0,5" has a comma: write 0.5, or separate the columns with semicolons',
        'row 3, column name: is empty: write the name of the object',
        'row 4, column name: "a" is in row 2 already',
        'row 5, column datatype: is required: b is new',
        'row 6, column H: has no heading in the first row',
        'row 6, column name: must be a name: 1 to 64 characters of 0-9, a-z, A-Z and _',
        'row 6, column datatype: must be one of b, q, i, l, f, d, s',
        'row 7, column name: names is a reserved word',
      ],
    );
    const { message } = refusal(() => read('measurements', `name,datatype\n${',d\n'.repeat(120)}`));
    assert.match(message, /^120 things are wrong, and nothing was changed\. Row 2, column name: .*100 are listed\.$/);
  });

  test('with a wrong header says which columns there are', () => {
    const [first = '', second, third] = faultsOf(() => read('connectors', 'stackname,vars.,vars.host,vars.host\n'));
    assert.match(first, /row 1, column stackname: is no field of connectors. Did you mean stackName\?/);
    assert.deepEqual(
      faultsOf(() => read('measurements', 'name,units\n')),
      ['row 1, column units: is no field of measurements. Did you mean eu?'],
    );
    assert.deepEqual(
      faultsOf(() => read('alarms', 'name,priority,flow\n')).map((fault) => fault.includes('Known are')),
      [true, false],
      'once for all',
    );
    assert.match(second ?? '', /column vars\.: is no field.*vars\.NAME/);
    assert.match(third ?? '', /column vars\.host: is there twice/);
    assert.deepEqual(
      faultsOf(() => read('alarms', 'severity\n1\n')),
      ['row 1, column name: is missing: every row needs the name of its object'],
    );
    assert.match(refusal(() => read('alarms', '\n\n')).message, /The table is empty/);
  });

  test('of names and texts that begin with =, +, - or @ has no formula in it', () => {
    const hostile = ['=1+1', '+1', '-1+2', '@SUM(A1)', '\t=1', "'=1", '\r=1', '＝1'];
    const objects = objectsOf('connectors', [
      { name: 'x', stackName: '=cmd()', vars: Object.fromEntries(hostile.map((text) => [text, text])) } as never,
    ]);
    const table = write('connectors', objects);
    for (const line of table.toString().split('\r\n')) assert.doesNotMatch(line, /(?:^|,)"?[=+@\t\r＝]/);
    assert.deepEqual(after(new Map(), read('connectors', table)), objects);
  });

  test('whose line breaks a spreadsheet has changed changes nothing', () => {
    const objects = objectsOf('connectors', [{ name: 'x', stackName: 'a\r\nb', vars: { v: 'c\rd' } } as never]);
    assert.equal(read('connectors', 'name,stackName,vars.v\nx,"a\nb","c\nd"\n', objects).steps.length, 0);
    assert.equal(read('connectors', 'name,stackName,vars.v\nx,"a\nb","c\n"\n', objects).changed, 1);
  });

  test('that is too wide or too long is refused before it fills the memory', () => {
    const wide = Array.from({ length: 20_000 }, (_, at) => `vars.v${at}`).join(',');
    assert.equal(refusal(() => read('connectors', `name,${wide}\n`)).problem, 'table-too-large');
    const cells = Array.from({ length: 16_000 }, (_, at) => `vars.v${at}`).join(',');
    const rows = Array.from({ length: 1300 }, (_, at) => `n${at}`).join('\n');
    assert.equal(refusal(() => read('connectors', `name,${cells}\n${rows}\n`)).problem, 'table-too-large');
    const many = Array.from({ length: 100_001 }, (_, at) => `n${at}`).join('\n');
    assert.equal(refusal(() => read('connectors', `name\n${many}\n`)).problem, 'table-too-large');
    const distinct = Array.from({ length: 20 }, (_, at) => ({
      name: `n${at}`,
      vars: Object.fromEntries(Array.from({ length: 1000 }, (_, key) => [`v${at}_${key}`, ''])),
    }));
    assert.equal(refusal(() => write('connectors', objectsOf('connectors', distinct))).problem, 'table-too-large');
  });
});
