import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Measurement } from '@telltale/schema';
import type { RoleRules } from './check.ts';
import { emptyContent } from './content.ts';
import { type FoundPoint, offerPoints } from './offer-points.ts';

const asked: unknown[] = [];
const rules: RoleRules = {
  readVariables: () => ({ faults: [] }),
  checkAddress: (kind, address, point) => {
    asked.push([kind, address, point]);
    return address.startsWith('wrong') ? 'that is no address' : undefined;
  },
};

function contentWith(...measurements: Measurement[]) {
  const content = emptyContent();
  for (const each of measurements) content.measurements.set(each.name, JSON.stringify(each));
  return content;
}

const point = (name: string, more: Partial<FoundPoint> = {}): FoundPoint => ({
  name,
  address: `at ${name}`,
  datatype: 'd',
  ...more,
});

const offered = (content: ReturnType<typeof contentWith>, ...points: FoundPoint[]) =>
  offerPoints(
    content,
    rules,
    'plc',
    points.map((measurement) => ({ measurement, command: undefined })),
  ).map(({ measurement }) => measurement);

test('a point becomes an object that can be put as it is', () => {
  const whole = point('Tank 1', { description: 'A tank', eu: 'm', properties: { scanPeriod: '500' } });
  const [item] = offerPoints(contentWith(), rules, 'plc', [{ measurement: whole, command: point('Set', { eu: '' }) }]);
  assert.deepEqual(item, {
    measurement: {
      object: {
        name: 'Tank_1',
        address: 'at Tank 1',
        description: 'A tank',
        datatype: 'd',
        connectorName: 'plc',
        eu: 'm',
        properties: { scanPeriod: '500' },
      },
      configured: null,
      refused: null,
    },
    command: {
      object: { name: 'Set', address: 'at Set', datatype: 'd', connectorName: 'plc' },
      configured: null,
      refused: null,
    },
  });
  assert.deepEqual(asked.slice(-2), [
    ['measurement', 'at Tank 1', { datatype: 'd', properties: { scanPeriod: '500' } }],
    ['command', 'at Set', { datatype: 'd' }],
  ]);
  assert.deepEqual(offerPoints(contentWith(), rules, 'plc', [{ measurement: undefined, command: undefined }]), [
    { measurement: null, command: null },
  ]);
});

test('the range of a device is the engineering range, where the datatype can hold it', () => {
  const [right, whole, none, reversed] = offered(
    contentWith(),
    point('right', { euRange: [-1e-7, 1e21] }),
    point('whole', { datatype: 'i', euRange: [0.5, 10] }),
    point('none', { datatype: 'b', euRange: [0, 1] }),
    point('reversed', { euRange: [10, 0] }),
  ).map((each) => each?.object);
  assert.deepEqual([right?.euRangeLo, right?.euRangeHi], ['-0.0000001', '1000000000000000000000']);
  for (const each of [whole, none, reversed])
    assert.deepEqual([each?.euRangeLo, each?.euRangeHi], [undefined, undefined]);
});

test('names are those that no other object and no other offer has', () => {
  const content = contentWith({ name: 'level', datatype: 'd' });
  const names = offered(content, point('level'), point('level', { address: 'other' })).map(
    (each) => each?.object?.name,
  );
  assert.deepEqual(names, ['level_2', 'level_3']);
});

test('a point that the connector reads already is named, and not offered again', () => {
  const content = contentWith(
    { name: 'mine', datatype: 'd', connectorName: 'plc', address: 'at a' },
    { name: 'others', datatype: 'd', connectorName: 'plc2', address: 'at b' },
    { name: 'liar', datatype: 'd', description: '"connectorName":"plc"', address: 'at b' },
  );
  const [a, b] = offered(content, point('a'), point('b'));
  assert.deepEqual(a, { object: null, configured: 'mine', refused: null });
  assert.equal(b?.object?.name, 'b');
});

test('what the stack does not take, or no object can have, is refused with the reason', () => {
  const [wrong, huge, odd, right] = offered(
    contentWith(),
    point('wrong', { address: 'wrong one' }),
    point('huge', { description: 'x'.repeat(2 ** 21) }),
    point('odd', { datatype: 'z' as 'd' }),
    point('right'),
  );
  assert.deepEqual(wrong, { object: null, configured: null, refused: 'that is no address' });
  assert.match(huge?.refused ?? '', /at most 1048576/);
  assert.match(odd?.refused ?? '', /datatype/);
  assert.equal(right?.object?.name, 'right');
});
