// Promises of the check before a rendering about texts that are values: ranges, deadbands, initial values, triggers.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Datatype, datatypes, durationForms, type Family } from '@telltale/schema';
import { checkConfiguration } from './check.ts';
import { emptyContent } from './content.ts';

type Objects = Partial<Record<Family, Record<string, unknown>[]>>;

/** `field: message` of each fault, or `field` alone where the message is the codec's. */
function reported(objects: Objects): string[] {
  const content = emptyContent();
  for (const [family, list] of Object.entries(objects)) {
    for (const object of list) content[family as Family].set(String(object.name), JSON.stringify(object));
  }
  return checkConfiguration(content, new Map()).map(({ field, message }) =>
    message.startsWith('"') ? String(field) : `${field}: ${message}`,
  );
}

const measurement = (datatype: Datatype, fields: object) =>
  reported({ measurements: [{ name: 'm', datatype, ...fields }] });
const command = (datatype: Datatype, fields: object) => reported({ commands: [{ name: 'c', datatype, ...fields }] });

/** Texts of each datatype, and texts that are none. */
const texts: Record<Datatype, { good: string[]; bad: string[] }> = {
  b: { good: ['0', '1'], bad: ['', 'true', '2', '01', ' 1', 'b1'] },
  q: { good: ['0', '3'], bad: ['4', '-1', '', '1.0'] },
  i: { good: ['0', '-2147483648', '+2147483647', '007'], bad: ['2147483648', '1.5', '1e3', '', 'i1', '0x1'] },
  l: { good: ['9223372036854775807', '-1'], bad: ['9223372036854775808', '1.', ''] },
  f: { good: ['.5', '-0.5', '1'], bad: ['5.', '1e3', 'NaN', '4'.repeat(60), ''] },
  d: { good: ['80.5', '0.0000001', '+5'], bad: ['1e-7', 'Infinity', '5.', 'd5', '1,5'] },
  s: { good: ['', 'any text'], bad: ['x'.repeat(65537)] },
};

describe('an initial value', () => {
  test('is a text of the datatype', () => {
    for (const datatype of datatypes) {
      for (const initialValue of texts[datatype].good) assert.deepEqual(command(datatype, { initialValue }), []);
      for (const initialValue of texts[datatype].bad) {
        assert.deepEqual(command(datatype, { initialValue }), ['initialValue'], `${datatype}: ${initialValue}`);
      }
    }
  });

  test('is within the range, whichever way that runs, unless the limits are switched off', () => {
    const wrong = ['initialValue: must be within the eu-range, 1 to 5'];
    for (const [euRangeLo, euRangeHi] of [
      ['1', '5'],
      ['5', '1'],
    ] as const) {
      for (const initialValue of ['1', '3', '5']) {
        assert.deepEqual(command('i', { euRangeLo, euRangeHi, initialValue }), []);
      }
      for (const initialValue of ['0', '6', '-3']) {
        assert.deepEqual(command('i', { euRangeLo, euRangeHi, initialValue }), wrong);
        assert.deepEqual(command('l', { euRangeLo, euRangeHi, initialValue }), wrong);
        assert.deepEqual(command('i', { euRangeLo, euRangeHi, initialValue, stackUmask: 31 }), wrong);
        assert.deepEqual(command('i', { euRangeLo, euRangeHi, initialValue, stackUmask: 32 }), []);
      }
    }
    assert.deepEqual(command('i', { euRangeLo: '1', initialValue: '0' }), []);
  });
});

describe('a range', () => {
  test('has ends in the datatype, and in the raw datatype where it is raw', () => {
    for (const datatype of datatypes.filter((letter) => letter !== 's')) {
      const [low] = texts[datatype].good;
      for (const bad of texts[datatype].bad) {
        assert.deepEqual(measurement(datatype, { euRangeLo: low, euRangeHi: bad }), ['euRangeHi']);
        assert.deepEqual(measurement(datatype, { euRangeLo: bad, euRangeHi: low }), ['euRangeLo']);
        assert.deepEqual(measurement(datatype, { rawRangeLo: bad }), ['rawRangeLo']);
        assert.deepEqual(measurement('s', { rawDatatype: datatype, rawRangeLo: low, rawRangeHi: bad }), ['rawRangeHi']);
      }
    }
    assert.deepEqual(measurement('i', { rawDatatype: 'd', rawRangeLo: '0.5', rawRangeHi: '1.5' }), []);
    assert.deepEqual(measurement('d', { rawDatatype: 'i', rawRangeLo: '0.5', euRangeLo: '0.5' }), ['rawRangeLo']);
  });

  test('may run downwards and have one end only, but does not stand still', () => {
    assert.deepEqual(measurement('d', { euRangeLo: '10', euRangeHi: '-10', rawRangeHi: '1' }), []);
    assert.deepEqual(measurement('d', { euRangeLo: '1', euRangeHi: '1.0' }), ['euRangeHi: must differ from euRangeLo']);
    assert.deepEqual(measurement('l', { rawRangeLo: '5', rawRangeHi: '+5' }), [
      'rawRangeHi: must differ from rawRangeLo',
    ]);
    assert.deepEqual(measurement('l', { euRangeLo: '9007199254740992', euRangeHi: '9007199254740993' }), []);
  });

  test('does not exist for texts', () => {
    assert.deepEqual(measurement('s', { euRangeLo: '0', euRangeHi: '1', rawRangeLo: 'a', rawRangeHi: 'b' }), [
      'rawRangeLo: a text has no range',
      'rawRangeHi: a text has no range',
      'euRangeLo: a text has no range',
      'euRangeHi: a text has no range',
    ]);
  });
});

describe('a deadband', () => {
  const meaningless = (field: string, datatype: string) =>
    `${field}: has no meaning for datatype ${datatype}; only for i, l, f and d`;

  for (const field of ['deadband', 'archValueDeadband']) {
    test(`${field} is a number of the datatype that is not negative`, () => {
      for (const [datatype, good] of [
        ['i', '0'],
        ['l', '9223372036854775807'],
        ['f', '.5'],
        ['d', '0.1'],
      ] as const) {
        assert.deepEqual(measurement(datatype, { [field]: good }), []);
        assert.deepEqual(measurement(datatype, { [field]: '-1' }), [`${field}: must not be negative`]);
        assert.deepEqual(measurement(datatype, { [field]: 'much' }), [field]);
      }
      assert.deepEqual(measurement('i', { [field]: '0.5' }), [field]);
      for (const datatype of ['b', 'q', 's'] as const) {
        assert.deepEqual(measurement(datatype, { [field]: '1' }), [meaningless(field, datatype)]);
      }
    });
  }

  test('may be a share of the range, up to all of it, where there is a range', () => {
    const range = { euRangeLo: '0', euRangeHi: '10' };
    for (const deadband of ['0%', '1%', '2.5%', '100%']) assert.deepEqual(measurement('i', { ...range, deadband }), []);
    assert.deepEqual(measurement('d', { ...range, deadband: '101%' }), ['deadband: must be at most 100%']);
    for (const deadband of ['-1%', '%', '1 %', '.5%', '1e1%', '1%%']) {
      assert.deepEqual(measurement('d', { ...range, deadband }), ['deadband'], deadband);
    }
    for (const half of [{}, { euRangeLo: '0' }, { euRangeHi: '10' }, { rawRangeLo: '0', rawRangeHi: '1' }]) {
      assert.deepEqual(measurement('d', { ...half, deadband: '1%' }), [
        'deadband: a share needs euRangeLo and euRangeHi',
      ]);
    }
  });

  test('as a share has no more meaning than as a number where the datatype is no number', () => {
    const range = { euRangeLo: '0', euRangeHi: '1' };
    assert.deepEqual(measurement('b', { ...range, deadband: '1%' }), [meaningless('deadband', 'b')]);
    assert.deepEqual(measurement('q', { ...range, deadband: '200%' }), [meaningless('deadband', 'q')]);
    assert.deepEqual(measurement('s', { deadband: '1%' }), [meaningless('deadband', 's')]);
  });

  test('of the archive is no share', () => {
    const range = { euRangeLo: '0', euRangeHi: '1' };
    assert.deepEqual(measurement('d', { ...range, archValueDeadband: '1%' }), ['archValueDeadband']);
  });
});

describe('the trigger of an alarm', () => {
  const alarm = (fields: object, datatype: Datatype = 'd') =>
    reported({ measurements: [{ name: 'm', datatype }], alarms: [{ name: 'a', severity: 1, ...fields }] });
  const trigger = { trgMeasurement: 'm', trgOperator: 'gt', trgRefValue: '1' };

  test('is whole or not there', () => {
    assert.deepEqual(alarm(trigger), []);
    assert.deepEqual(alarm({}), []);
    assert.deepEqual(alarm({ trgMeasurement: 'm' }), [
      'trgOperator: is required with trgMeasurement',
      'trgRefValue: is required with trgMeasurement',
    ]);
    assert.deepEqual(alarm({ ...trigger, trgMeasurement: undefined, trgHysteresis: '1' }), [
      'trgOperator: has no effect without trgMeasurement',
      'trgRefValue: has no effect without trgMeasurement',
      'trgHysteresis: has no effect without trgMeasurement',
    ]);
  });

  test('names a measurement, not a command', () => {
    const objects = { commands: [{ name: 'c', datatype: 'd' }], alarms: [{ name: 'a', severity: 1, ...trigger }] };
    assert.deepEqual(reported(objects), ['trgMeasurement: there is no measurement "m"']);
    assert.deepEqual(alarm({ ...trigger, trgMeasurement: 'constructor' }), [
      'trgMeasurement: there is no measurement "constructor"',
    ]);
  });

  test('compares with a text of the datatype of the measurement', () => {
    for (const datatype of datatypes) {
      for (const trgRefValue of texts[datatype].good) {
        assert.deepEqual(alarm({ ...trigger, trgOperator: 'eq', trgRefValue }, datatype), []);
      }
      for (const trgRefValue of texts[datatype].bad) {
        assert.deepEqual(alarm({ ...trigger, trgOperator: 'eq', trgRefValue }, datatype), ['trgRefValue']);
      }
    }
  });

  test('has a hysteresis that is a number of the datatype, not negative', () => {
    assert.deepEqual(alarm({ ...trigger, trgHysteresis: '0.5' }), []);
    assert.deepEqual(alarm({ ...trigger, trgHysteresis: '-1' }), ['trgHysteresis: must not be negative']);
    assert.deepEqual(alarm({ ...trigger, trgHysteresis: '1%' }), ['trgHysteresis']);
    assert.deepEqual(alarm({ ...trigger, trgHysteresis: '0.5' }, 'i'), ['trgHysteresis']);
    assert.deepEqual(alarm({ ...trigger, trgHysteresis: '1' }, 'b'), [
      'trgHysteresis: has no meaning for datatype b; only for i, l, f and d',
    ]);
  });

  test('has delays that are whole numbers of milliseconds, or durations', () => {
    for (const good of ['0', '5000', '007', '999999999999', '250ms', '5s', '1h30m']) {
      assert.deepEqual(alarm({ ...trigger, properties: { onDelay: good, offDelay: good } }), []);
    }
    for (const bad of ['', '-1', '+1', '1.5', '5 s', '1e3', '1000000000000', '1\n', '٣']) {
      assert.deepEqual(
        alarm({ ...trigger, properties: { onDelay: bad, offDelay: bad, delay: bad } }),
        [
          `properties: must be a whole number of milliseconds, of at most 12 digits, or ${durationForms}`,
          `properties: must be a whole number of milliseconds, of at most 12 digits, or ${durationForms}`,
        ],
        bad,
      );
    }
    assert.deepEqual(alarm({ properties: { offDelay: 'soon' } }).length, 1);
  });
});

test('how long the archive keeps records is a duration, of measurements, commands and alarms', () => {
  const family = (properties: object) => [
    measurement('d', { properties }),
    command('s', { properties }),
    reported({ alarms: [{ name: 'a', severity: 1, properties }] }),
  ];
  for (const archRetention of ['90d', '12h', '2y', '30m', '45s', '4w', '1d12h', '1y30d']) {
    assert.deepEqual(family({ archRetention, other: 'soon' }), [[], [], []]);
  }
  const wrong = [`properties: must be ${durationForms}`];
  for (const archRetention of ['', '90', '0d', '-1d', '1.5h', '90 d', '90D', 'forever', '999999999999y']) {
    assert.deepEqual(family({ archRetention }), [wrong, wrong, wrong], archRetention);
  }
});
