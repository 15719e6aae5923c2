import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Alarm, Measurement } from '@telltale/schema';
import { emptyContent } from './content.ts';
import { type FoundPoint, offerObjects } from './offer-objects.ts';
import type { RoleRules } from './stack-rules.ts';

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

const none = { measurement: undefined, command: undefined, alarm: undefined };

const offered = (content: ReturnType<typeof contentWith>, ...points: FoundPoint[]) =>
  offerObjects(
    content,
    rules,
    'plc',
    points.map((measurement) => ({ ...none, measurement })),
  ).map(({ measurement }) => measurement);

test('a point becomes an object that can be put as it is', () => {
  const whole = point('Tank 1', { description: 'A tank', eu: 'm', properties: { scanPeriod: '500' } });
  const found = { ...none, measurement: whole, command: point('Set', { eu: '' }) };
  const [item] = offerObjects(contentWith(), rules, 'plc', [found]);
  assert.deepEqual(item, {
    measurement: {
      object: {
        name: 'Tank_1',
        address: 'at Tank 1',
        description: 'A tank',
        connectorName: 'plc',
        datatype: 'd',
        eu: 'm',
        properties: { scanPeriod: '500' },
      },
      configured: null,
      refused: null,
    },
    command: {
      object: { name: 'Set', address: 'at Set', connectorName: 'plc', datatype: 'd' },
      configured: null,
      refused: null,
    },
    alarm: null,
  });
  assert.deepEqual(asked.slice(-2), [
    ['measurement', 'at Tank 1', { datatype: 'd', properties: { scanPeriod: '500' } }],
    ['command', 'at Set', { datatype: 'd' }],
  ]);
  assert.deepEqual(offerObjects(contentWith(), rules, 'plc', [none]), [
    { measurement: null, command: null, alarm: null },
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

test('an alarm of the device becomes an alarm that follows it, unless one does already', () => {
  const content = contentWith();
  const mine: Alarm = { name: 'mine', severity: 1, connectorName: 'plc', address: 'at Low' };
  content.alarms.set(mine.name, JSON.stringify(mine));
  content.alarms.set('High', JSON.stringify({ name: 'High', severity: 1 }));
  const high = { name: 'High', address: 'at High', severity: 2, description: 'Too high', properties: { a: 'b' } };
  const found = [high, { name: 'Low', address: 'at Low', severity: 0 }, { ...high, address: 'wrong' }];
  const offers = offerObjects(
    content,
    rules,
    'plc',
    found.map((alarm) => ({ ...none, alarm })),
  ).map(({ alarm }) => alarm);
  assert.deepEqual(offers, [
    { object: { ...high, name: 'High_2', connectorName: 'plc' }, configured: null, refused: null },
    { object: null, configured: 'mine', refused: null },
    { object: null, configured: null, refused: 'that is no address' },
  ]);
  assert.deepEqual(asked.at(-1), ['alarm', 'wrong', { datatype: 'b', properties: { a: 'b' } }]);
});
