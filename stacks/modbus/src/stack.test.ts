import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Datatype, datatypes } from '@telltale/schema';
import type { PointKind } from '@telltale/stack-kit';
import { declaredWell } from '@telltale/stack-kit/testing';
import fc from 'fast-check';
import { parseAddress } from './address.ts';
import modbus from './stack.ts';

const connector = modbus.connector ?? assert.fail();
const provider = modbus.provider ?? assert.fail();

const check = (kind: PointKind, address: string, datatype: Datatype, rawDatatype?: Datatype) =>
  connector.checkAddress(kind, address, { datatype, rawDatatype });

describe('the stack', () => {
  declaredWell(modbus, new URL('../README.md', import.meta.url));

  test('says which variables contradict each other', () => {
    const faults = (vars: Record<string, string>) => connector.readVariables(vars).faults.map(({ field }) => field);
    assert.deepEqual(faults({}), ['host']);
    assert.deepEqual(faults({ host: 'plc' }), []);
    assert.deepEqual(faults({ transport: 'serial' }), ['path']);
    assert.deepEqual(faults({ transport: 'serial', path: '/dev/ttyUSB0' }), []);
    assert.deepEqual(faults({ transport: 'rtu-tcp', host: 'gateway', unit: '0', pipelining: '2' }), [
      'unit',
      'pipelining',
    ]);
    assert.deepEqual(
      provider.readVariables({ host: '0.0.0.0' }).faults.map(({ field }) => field),
      ['allowedClients'],
    );
  });
});

describe('an address suits its point', () => {
  const served = (kind: PointKind, address: string) =>
    datatypes.filter((datatype) => check(kind, address, datatype) === undefined).join('');
  const cases: [string, string, string][] = [
    ['hr100', 'bqilfd', 'bqilfd'],
    ['hr100:int32', 'ilfd', 'ilfd'],
    ['hr100:uint32/cdab', 'lfd', 'lfd'],
    ['hr100:int64', 'lfd', 'lfd'],
    ['hr100:uint64', 'lfd', 'lfd'],
    ['hr100:float32/badc', 'fd', 'fd'],
    ['400101:float64', 'fd', 'fd'],
    ['hr100:bcd16/ba', 'ilfd', 'ilfd'],
    ['hr100:string(20)/ba', 's', 's'],
    ['ir100', 'bqilfd', ''],
    ['300101:float32', 'fd', ''],
    ['255/hr5.15', 'bqilfd', 'bqilfd'],
    ['co0', 'bqilfd', 'bqilfd'],
    ['00001', 'bqilfd', 'bqilfd'],
    ['10001', 'bqilfd', ''],
    ['di65535', 'bqilfd', ''],
  ];
  for (const [address, measurement, command] of cases) {
    test(`${address}: measurements ${measurement || 'none'}, commands ${command || 'none'}`, () => {
      assert.equal(served('measurement', address), measurement);
      assert.equal(served('command', address), command);
    });
  }

  for (const [address, message] of [
    ['hr65536', /above hr65535, the last one: it counts from 0/],
    ['hr65535:float32', /reaches beyond register 65535/],
    ['40000', /none of 400001 to 465536: this notation counts from 1/],
    ['465537', /none of 400001 to 465536/],
    ['256/hr0', /unit 256 is above 255/],
    ['hr5.16', /bit 16 is above 15/],
    ['hr5.1:int16', /bit 1 of hr5 has no type or order/],
    ['co5:int16', /co5 is a single bit/],
    ['hr5:int8', /unknown type int8: one of int16/],
    ['hr5:int16(2)', /int16 has no length/],
    ['hr5:string', /wants its length in bytes, 1 to 250/],
    ['hr5:string(251)', /wants its length in bytes/],
    ['hr5:float32/ab', /order of float32 must be one of abcd, cdab, badc, dcba/],
    ['hr5:float32/aabb', /order of float32 must be one of/],
    ['hr5/dcba', /order of uint16 must be ab or ba/],
    ['50001', /is not an address/],
    ['HR5', /is not an address/],
    ['hr', /is not an address/],
    ['hr5 ', /is not an address/],
  ] as const) {
    test(`${address}: the message says what is wrong`, () => {
      assert.match(check('measurement', address, 'd') ?? '', message);
    });
  }

  test('a text that is too long to be written at once can only be read', () => {
    assert.equal(check('measurement', 'hr0:string(250)', 's'), undefined);
    assert.match(check('command', 'hr0:string(247)', 's') ?? '', /at most 123, 246 bytes, can/);
  });

  test('the raw datatype counts, and the scan period must be one', () => {
    assert.match(check('measurement', 'hr0:uint32', 'd', 'i') ?? '', /raw datatype l, f, d, not i/);
    const point = { datatype: 'd' as const, properties: { scanPeriod: 'often' } };
    assert.match(connector.checkAddress('measurement', 'hr0', point) ?? '', /scanPeriod is "often"/);
  });

  test('any text at all is read or refused, and what is read lies where registers are', () => {
    const piece = fc.constantFrom(
      'hr',
      'ir',
      'co',
      'di',
      '0',
      '7',
      '65535',
      '4',
      '/',
      '.',
      ':',
      'float32',
      'string(9)',
      'cdab',
      ';',
    );
    const text = fc.oneof(
      fc.string({ maxLength: 30 }),
      fc.array(piece, { maxLength: 8 }).map((each) => each.join('')),
    );
    fc.assert(
      fc.property(text, (each) => {
        const { address, fault } = parseAddress(each);
        if (address === undefined) assert.ok(fault);
        else assert.ok(address.length >= 1 && address.start >= 0 && address.start + address.length <= 65_536);
      }),
      { numRuns: 3000 },
    );
  });
});

describe('an address of the provider', () => {
  const checkServed = (kind: PointKind, address: string, datatype: Datatype) =>
    provider.checkAddress(kind, address, { datatype });

  test('serves numbers in any layout, bits and texts in their own', () => {
    for (const datatype of ['i', 'l', 'f', 'd'] as const) {
      assert.equal(checkServed('measurement', 'hr0:int16', datatype), undefined);
      assert.match(checkServed('measurement', 'hr0', datatype) ?? '', /datatype . requires a type, as in hr0:/);
    }
    assert.equal(checkServed('measurement', 'hr0', 'q'), undefined);
    assert.equal(checkServed('command', 'hr0:string(8)', 's'), undefined);
    assert.match(checkServed('measurement', 'hr0:int16', 's') ?? '', /a text is laid out as string\(length\)/);
    assert.match(checkServed('measurement', 'di0', 'i') ?? '', /a single bit is of datatype b, not i/);
    assert.match(checkServed('command', 'ir0:int16', 'i') ?? '', /can only be read/);
  });

  test('may say where the quality is', () => {
    assert.equal(checkServed('measurement', 'hr0:float32;good=di7', 'd'), undefined);
    assert.equal(checkServed('measurement', '2/hr0:float32;quality=2/ir7', 'd'), undefined);
    assert.match(checkServed('measurement', 'hr0:float32;good=hr7', 'd') ?? '', /name a single bit/);
    assert.match(checkServed('measurement', 'hr0:float32;quality=di7', 'd') ?? '', /name a register/);
    assert.match(
      checkServed('measurement', 'hr0:float32;good=hr1.3', 'd') ?? '',
      /overlaps the registers of the value/,
    );
    assert.match(checkServed('command', 'hr0:float32;good=di7', 'd') ?? '', /is not an address/);
  });
});
