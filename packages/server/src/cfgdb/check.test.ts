// Promises of the check before a rendering, one rule at a time, with a small stack that has rules of its own.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checker, durationForms, type Family, Fault, familyNames } from '@telltale/schema';
import { checkConfiguration } from './check.ts';
import { type Content, emptyContent } from './content.ts';
import { readObject } from './read-objects.ts';
import type { RoleRules, StackRules } from './stack-rules.ts';

/** Wants a host, knows no other variable but a port; registers are r1, coils c1; texts have no place on the wire. */
const wire: RoleRules = {
  readVariables: (vars) => ({
    faults: [
      ...(Object.hasOwn(vars, 'host') ? [] : [{ field: 'host', message: 'is required' }]),
      ...Object.keys(vars)
        .filter((key) => key !== 'host' && key !== 'port')
        .map((field) => ({ field, message: 'is unknown' })),
    ],
  }),
  checkAddress: (kind, address, { datatype }) => {
    if (datatype === 's') return 'the wire carries no texts';
    const syntax = { measurement: /^r\d+$/, command: /^c\d+$/, alarm: /^a\d+$/ }[kind];
    return syntax.test(address)
      ? undefined
      : `${JSON.stringify(address)} is no address of ${kind === 'alarm' ? 'an' : 'a'} ${kind}`;
  },
};
const shelf: RoleRules = {
  readVariables: () => ({ faults: [] }),
  checkAddress: (_kind, address) => (address === '' ? 'an address is needed' : undefined),
};
const stacks = new Map<string, StackRules>(
  [
    { name: 'wire', connector: wire, provider: shelf },
    { name: 'meter', connector: wire },
    { name: 'shelf', provider: shelf },
  ].map((stack) => [stack.name, stack]),
);

type Objects = Partial<Record<Family, Record<string, unknown>[]>>;

/** As the database would hold them. */
function contentOf(objects: Objects): Content {
  const content = emptyContent();
  for (const family of familyNames) {
    for (const object of objects[family] ?? []) {
      const name = String(object.name);
      const faults: Fault[] = [];
      const stored = readObject(family, name, object, '', faults);
      assert.deepEqual(faults, []);
      content[family].set(name, stored?.text ?? '');
    }
  }
  return content;
}

const fault = checker(Fault);

/** `family name field: message` of each fault, in the order of their finding. */
function reported(objects: Objects): string[] {
  return checkConfiguration(contentOf(objects), stacks).map(({ named: _, ...found }) => {
    assert.deepEqual(fault.faults(found), []);
    const { path, family, name, field, message } = found;
    assert.ok(path === `/${family}/${name}/${field}` || path.startsWith(`/${family}/${name}/${field}/`), path);
    return `${family} ${name} ${field}: ${message}`;
  });
}

const plc = { name: 'plc', stackName: 'wire', vars: { host: 'h' } };
const scada = { name: 'scada', stackName: 'shelf' };
const measurement = (fields: object) => ({ measurements: [{ name: 'm', datatype: 'd', ...fields }] });
const command = (fields: object) => ({ commands: [{ name: 'c', datatype: 'd', ...fields }] });

test('an empty configuration, and one where all fits, have no faults', () => {
  assert.deepEqual(reported({}), []);
  const everything: Objects = {
    connectors: [{ ...plc, wdtMeasurement: 'link' }],
    providers: [{ ...scada, wdtMeasurement: 'seen' }],
    measurements: [
      { name: 'link', datatype: 'b' },
      { name: 'seen', datatype: 'b', connectorName: 'plc', address: 'r9' },
      {
        name: 'm',
        datatype: 'f',
        rawDatatype: 'i',
        connectorName: 'plc',
        address: 'r1',
        deadband: '1%',
        leader: 'c',
        rawRangeLo: '0',
        rawRangeHi: '27648',
        euRangeLo: '-.5',
        euRangeHi: '80.5',
        archValueDeadband: '0.1',
        providerAddresses: { scada: '1' },
        archMode: 'change',
        archPeriod: 1000,
      },
    ],
    commands: [
      {
        name: 'c',
        datatype: 'i',
        connectorName: 'plc',
        address: 'c1',
        providerAddresses: { scada: '2' },
        initialValue: '5',
      },
    ],
    alarms: [
      { name: 'a', severity: 1, trgMeasurement: 'm', trgOperator: 'gt', trgRefValue: '80', trgHysteresis: '0.5' },
      { name: 'b', severity: 1 },
      { name: 'd', severity: 1, connectorName: 'plc', address: 'a1' },
    ],
    'function-modules': [{ name: 'f', termToKill: 1, queryTimeout: 1 }],
  };
  assert.deepEqual(reported(everything), []);
});

describe('a connector or provider', () => {
  test('needs a stack', () => {
    assert.deepEqual(reported({ connectors: [{ name: 'x' }], providers: [{ name: 'x' }] }), [
      'connectors x stackName: is required: name the stack that it runs',
      'providers x stackName: is required: name the stack that it runs',
    ]);
  });

  test('needs a stack that exists, and that has this role', () => {
    const connectors = ['nothing', 'constructor', '', 'shelf'].map((stackName, at) => ({ name: `x${at}`, stackName }));
    assert.deepEqual(reported({ connectors, providers: [{ name: 'x', stackName: 'meter' }] }), [
      'connectors x0 stackName: there is no connector stack "nothing"',
      'connectors x1 stackName: there is no connector stack "constructor"',
      'connectors x2 stackName: is required: name the stack that it runs',
      'connectors x3 stackName: there is no connector stack "shelf"',
      'providers x stackName: there is no provider stack "meter"',
    ]);
  });

  test('has variables as its stack wants them', () => {
    const connectors = [
      { name: 'x', stackName: 'wire' },
      { name: 'y', stackName: 'wire', vars: { host: 'h', 'a/b': '1', hots: 'h' } },
    ];
    assert.deepEqual(reported({ connectors }), [
      'connectors x vars: is required',
      'connectors y vars: is unknown',
      'connectors y vars: is unknown',
    ]);
    const paths = checkConfiguration(contentOf({ connectors }), stacks).map(({ path }) => path);
    assert.deepEqual(paths, ['/connectors/x/vars/host', '/connectors/y/vars/a~1b', '/connectors/y/vars/hots']);
  });

  test('has a watchdog that exists, is boolean, and is nobody else’s', () => {
    const watched = (name: string, wdtMeasurement: string) => ({ ...plc, name, wdtMeasurement });
    const measurements = [
      { name: 'b', datatype: 'b' },
      { name: 'q', datatype: 'q' },
    ];
    const connectors = [watched('x1', 'b'), watched('x2', 'q'), watched('x3', 'toString'), watched('x4', 'b')];
    assert.deepEqual(reported({ measurements, connectors, providers: [{ ...scada, wdtMeasurement: 'b' }] }), [
      'connectors x2 wdtMeasurement: q has datatype q; a watchdog is b',
      'connectors x3 wdtMeasurement: there is no measurement "toString"',
      'connectors x4 wdtMeasurement: b is the watchdog of connector x1 already',
      'providers scada wdtMeasurement: b is the watchdog of connector x4 already',
    ]);
    assert.deepEqual(reported({ commands: [{ name: 'w', datatype: 'b' }], connectors: [watched('x', 'w')] }), [
      'connectors x wdtMeasurement: there is no measurement "w"',
    ]);
  });

  test('has a watchdog that does not wait for the connector itself, however many others are between them', () => {
    const watched = (name: string, wdtMeasurement: string) => ({ ...plc, name, wdtMeasurement });
    const alive = (name: string, connectorName: string, more: object = { address: 'r1' }) => ({
      name: `alive_${name}`,
      datatype: 'b',
      connectorName,
      ...more,
    });
    const names = ['one', 'two', 'three'];
    const connectors = names.map((name) => watched(name, `alive_${name}`));
    const ring = (last: object) => [alive('one', 'two'), alive('two', 'three'), { ...alive('three', 'one'), ...last }];
    const remedy = 'none would ever come up; set bit 1 of stackUmask of one of these watchdogs, or take another one';
    assert.deepEqual(reported({ connectors, measurements: ring({}) }), [
      `connectors one wdtMeasurement: comes from two, whose watchdog comes from three, whose watchdog comes from this connector: ${remedy}`,
      `connectors two wdtMeasurement: comes from three, whose watchdog comes from one, whose watchdog comes from this connector: ${remedy}`,
      `connectors three wdtMeasurement: comes from one, whose watchdog comes from two, whose watchdog comes from this connector: ${remedy}`,
    ]);
    // Its own, one that a loss leaves alone, one that is not there, and one that the service drives, end the circle.
    for (const last of [{ connectorName: 'three' }, { stackUmask: 1 }, { enabled: false }]) {
      assert.deepEqual(reported({ connectors, measurements: ring(last) }), [], JSON.stringify(last));
    }
    const driven = [alive('one', 'two'), alive('two', 'three'), alive('three', 'one', {})];
    assert.deepEqual(reported({ connectors, measurements: driven }), []);
  });
});

describe('an address', () => {
  test('is checked by the stack of the connector, for its kind and datatype', () => {
    const at = (address: string, datatype = 'd') => ({ connectorName: 'plc', address, datatype });
    const faults = (objects: Objects) => reported({ connectors: [plc], ...objects });
    assert.deepEqual(faults(measurement(at('r1'))), []);
    assert.deepEqual(faults(measurement(at('c1'))), ['measurements m address: "c1" is no address of a measurement']);
    assert.deepEqual(faults(command(at('c1'))), []);
    assert.deepEqual(faults(command(at('r1'))), ['commands c address: "r1" is no address of a command']);
    assert.deepEqual(faults(measurement(at('r1', 's'))), ['measurements m address: the wire carries no texts']);
    assert.deepEqual(faults(measurement({ connectorName: 'plc' })), [
      'measurements m address: "" is no address of a measurement',
    ]);
  });

  test('needs a connector that exists', () => {
    assert.deepEqual(reported(measurement({ connectorName: 'plc', address: 'r1' })), [
      'measurements m connectorName: there is no connector "plc"',
    ]);
    assert.deepEqual(reported({ connectors: [plc], ...command({ connectorName: '__proto__', address: 'c1' }) }), [
      'commands c connectorName: there is no connector "__proto__"',
    ]);
  });

  test('is not checked where the connector itself is wrong, or where there is none', () => {
    assert.deepEqual(
      reported({ connectors: [{ name: 'plc', stackName: 'x' }], ...measurement({ connectorName: 'plc' }) }),
      ['connectors plc stackName: there is no connector stack "x"'],
    );
    assert.deepEqual(reported(measurement({ address: 'anything' })), []);
  });

  test('may be missing of a watchdog measurement, which the service drives', () => {
    const connectors = [{ ...plc, wdtMeasurement: 'm' }];
    assert.deepEqual(reported({ connectors, ...measurement({ datatype: 'b', connectorName: 'plc' }) }), []);
    assert.deepEqual(reported({ connectors, ...measurement({ datatype: 'b', connectorName: 'plc', address: 'c1' }) }), [
      'measurements m address: "c1" is no address of a measurement',
    ]);
  });
});

describe('an address at a provider', () => {
  test('needs a provider that exists, and the syntax of its stack', () => {
    const providerAddresses = { scada: '', nobody: '1', 'a/b': '2' };
    const found = checkConfiguration(contentOf({ providers: [scada], ...measurement({ providerAddresses }) }), stacks);
    assert.deepEqual(
      found.map(({ path, field, message }) => [path, field, message]),
      [
        ['/measurements/m/providerAddresses/a~1b', 'providerAddresses', 'there is no provider "a/b"'],
        ['/measurements/m/providerAddresses/nobody', 'providerAddresses', 'there is no provider "nobody"'],
        ['/measurements/m/providerAddresses/scada', 'providerAddresses', 'an address is needed'],
      ],
    );
  });

  test('belongs to one object only', () => {
    const points = (...addresses: string[]) =>
      addresses.map((address, at) => ({ name: `p${at}`, datatype: 'd', providerAddresses: { scada: address } }));
    const faults = reported({
      providers: [scada, { ...scada, name: 'other' }],
      measurements: [...points('1', '2', '1'), { name: 'q', datatype: 'd', providerAddresses: { other: '1' } }],
      commands: points('3', '2'),
    });
    assert.deepEqual(faults, [
      'measurements p2 providerAddresses: measurements/p0 has the address "1" at this provider already',
      'commands p1 providerAddresses: measurements/p1 has the address "2" at this provider already',
    ]);
  });
});

describe('a leader', () => {
  const led = (name: string, leader?: string) => ({ name, datatype: 'd', ...(leader !== undefined && { leader }) });

  test('is a measurement or a command that exists', () => {
    assert.deepEqual(reported({ measurements: [led('a', 'b'), led('c', 'a')], commands: [led('b')] }), []);
    assert.deepEqual(reported({ measurements: [led('a', 'x')], alarms: [{ name: 'x', severity: 1 }] }), [
      'measurements a leader: there is no measurement or command "x"',
    ]);
  });

  test('does not follow its followers: every object of a circle is named, and those behind it are not', () => {
    const circle = 'follows this object itself: a circle of leaders';
    assert.deepEqual(reported({ measurements: [led('a', 'a')] }), [`measurements a leader: ${circle}`]);
    const measurements = [led('tail', 'a'), led('a', 'b'), led('b', 'c'), led('fine', 'free'), led('free')];
    assert.deepEqual(reported({ measurements, commands: [led('c', 'a'), led('late', 'tail')] }).sort(), [
      `commands c leader: ${circle}`,
      `measurements a leader: ${circle}`,
      `measurements b leader: ${circle}`,
    ]);
  });

  test('of a command that has the name of a measurement is the measurement', () => {
    assert.deepEqual(reported({ measurements: [led('a')], commands: [led('a', 'a')] }), []);
  });
});

describe('an alarm of a device', () => {
  const alarm = (fields: object) => reported({ connectors: [plc], alarms: [{ name: 'a', severity: 1, ...fields }] });

  test('needs a connector that exists, and the syntax of its stack', () => {
    assert.deepEqual(alarm({ connectorName: 'nobody', address: 'a1' }), [
      'alarms a connectorName: there is no connector "nobody"',
    ]);
    assert.deepEqual(alarm({ connectorName: 'plc', address: 'r1' }), [
      'alarms a address: "r1" is no address of an alarm',
    ]);
    assert.deepEqual(alarm({ connectorName: 'plc' }), ['alarms a address: "" is no address of an alarm']);
    assert.deepEqual(alarm({ address: 'a1' }), ['alarms a address: has no effect without connectorName']);
    assert.deepEqual(alarm({ connectorName: '', address: '' }), []);
  });

  test('has no trigger here as well, but may name a measurement that it is about', () => {
    const about = (trigger: object) => {
      const alarms = [{ name: 'a', severity: 1, connectorName: 'plc', address: 'a1', ...trigger }];
      return reported({ connectors: [plc], ...measurement({}), alarms });
    };
    const why = 'cannot be combined with connectorName: the device raises the alarm';
    assert.deepEqual(about({ trgMeasurement: 'm', trgOperator: 'gt', trgRefValue: '1' }), [
      `alarms a trgOperator: ${why}`,
      `alarms a trgRefValue: ${why}`,
    ]);
    assert.deepEqual(about({ trgHysteresis: '1' }), [`alarms a trgHysteresis: ${why}`]);
    assert.deepEqual(about({ trgMeasurement: 'nobody' }), [
      'alarms a trgMeasurement: there is no measurement "nobody"',
    ]);
    assert.deepEqual(about({ trgMeasurement: 'm' }), []);
  });
});

test('a delay of an alarm that cannot be read is refused by its name', () => {
  const alarm = { name: 'a', severity: 1, properties: { onDelay: '5 s', offDelay: '100' } };
  assert.deepEqual(reported({ alarms: [alarm] }), [
    `alarms a properties: must be a whole number of milliseconds, of at most 12 digits, or ${durationForms}`,
  ]);
  assert.equal(checkConfiguration(contentOf({ alarms: [alarm] }), stacks)[0]?.path, '/alarms/a/properties/onDelay');
});

test('everything that is wrong is reported at once', () => {
  const faults = reported({
    connectors: [{ name: 'x' }],
    ...measurement({ connectorName: 'y', leader: 'z', deadband: 'w', providerAddresses: { v: '' }, euRangeLo: 'u' }),
    ...command({ initialValue: 't' }),
    alarms: [{ name: 'a', severity: 1, trgMeasurement: 's' }],
  });
  assert.deepEqual(faults.map((text) => text.split(':')[0]).sort(), [
    'alarms a trgMeasurement',
    'alarms a trgOperator',
    'alarms a trgRefValue',
    'commands c initialValue',
    'connectors x stackName',
    'measurements m connectorName',
    'measurements m deadband',
    'measurements m euRangeLo',
    'measurements m leader',
    'measurements m providerAddresses',
  ]);
});
