import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readBrowseAnswer, readDetail, readTrace } from './stack-answers.ts';

const device = (name: string, isUp = true) => ({ name, isUp, sinceUs: 5, lastError: undefined });
const group = { periodMs: 1000, points: 3, requests: 1, scans: 2, overruns: 0, tookMs: 4.5 };
const trace = {
  timeUs: 1,
  request: 'read 1',
  raw: '0a',
  value: 10n,
  error: undefined,
  device: 'plc',
  scanPeriodMs: 1000,
};
const point = { name: 'Level', address: 'a1', datatype: 'd' as const };
const item = { title: 'Level', path: 'root/level', measurement: point, command: undefined };

test('a detail as the contract has it is reported as it is', () => {
  const forwarding = { sent: 7, givenUp: 1, waitingSinceUs: 5 };
  const detail = { devices: [device('plc')], scanGroups: [group], clients: 2, forwarding };
  assert.deepEqual(readDetail(detail), { ...detail, leftOut: 0 });
  const nothing = { devices: [], scanGroups: [], clients: undefined, forwarding: undefined, leftOut: 0 };
  assert.deepEqual(readDetail(undefined), nothing);
  assert.deepEqual(readDetail({ forwarding: { sent: -1, givenUp: 1 } }), nothing);
});

test('of too many devices those that are down are reported, and how many are not', () => {
  const devices = Array.from({ length: 300 }, (_, at) => device(`d${at}`, at < 299));
  const reported = readDetail({ devices, scanGroups: new Array(70).fill(group) });
  assert.equal(reported.devices[0]?.name, 'd299');
  assert.deepEqual([reported.devices.length, reported.scanGroups.length, reported.leftOut], [256, 64, 44 + 6]);
  assert.equal(readDetail({ devices: new Array(2 ** 32 - 1) }).leftOut, 2 ** 32 - 1);
});

test('what makes no sense in a detail is left out and counted, and long texts are cut', () => {
  const reported = readDetail({ devices: [1, null, { name: 'x' }, device('y'.repeat(600))], clients: -1 });
  assert.deepEqual([reported.devices.length, reported.leftOut, reported.clients], [1, 3, undefined]);
  assert.equal(reported.devices[0]?.name, `${'y'.repeat(500)}…`);
  const hostile = {
    get devices() {
      throw new Error('never');
    },
  };
  assert.deepEqual(readDetail(hostile).devices, []);
});

test('a trace is reported as it is, cut, or refused', () => {
  assert.deepEqual(readTrace(trace), trace);
  assert.equal(readTrace(undefined), undefined);
  assert.equal(readTrace({ ...trace, raw: 'f'.repeat(5000) })?.raw?.length, 2001);
  for (const wrong of [
    null,
    5,
    {},
    { ...trace, value: {} },
    { ...trace, timeUs: Number.NaN },
    { ...trace, request: 1 },
  ])
    assert.throws(() => readTrace(wrong), TypeError);
});

test('a browse answer is reported as it is, in fresh objects', () => {
  const properties = { ['__proto__']: 'x' };
  const answer = {
    items: [
      {
        ...item,
        measurement: { ...point, eu: 'm', euRange: [0, 10.5], properties },
        alarm: { name: 'High', address: 'high', severity: 2, description: 'Too high', properties },
      },
    ],
    cursor: '7',
  };
  const read = readBrowseAnswer(answer, 1);
  assert.deepEqual(read, answer);
  assert.notEqual(read.items[0]?.measurement?.properties, properties);
});

test('a browse answer that is not as the contract says is refused, since a part of it would hide the rest', () => {
  const wrong: unknown[] = [
    undefined,
    {},
    { items: [item, item] },
    { items: [{ ...item, title: 1 }] },
    { items: [{ ...item, path: 'p'.repeat(5000) }] },
    { items: [{ ...item, command: { ...point, datatype: 'x' } }] },
    { items: [{ ...item, command: { ...point, address: undefined } }] },
    { items: [{ ...item, measurement: { ...point, properties: { a: 1 } } }] },
    { items: [{ ...item, alarm: 'High' }] },
    { items: [{ ...item, alarm: { name: 'High', address: 'high' } }] },
    { items: [{ ...item, alarm: { name: 'High', address: 'high', severity: -1 } }] },
    { items: [{ ...item, alarm: { name: 'High', severity: 1 } }] },
    { items: [{ ...item, measurement: { ...point, properties: { ['a'.repeat(501)]: 'x' } } }] },
    { items: [{ ...item, measurement: { ...point, properties: { a: 'x'.repeat(4097) } } }] },
    { items: [{ ...item, measurement: { ...point, properties: { ...'p'.repeat(65).split('') } } }] },
    { items: [item], cursor: 'c'.repeat(4097) },
    { items: [item], cursor: {} },
    { items: new Array(1) },
  ];
  for (const answer of wrong) assert.throws(() => readBrowseAnswer(answer, 1), TypeError);
});

test('whatever a stack answers, reading it ends, with something that can cross to another thread', () => {
  const anything = fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true });
  const shaped = fc.record(
    {
      devices: fc.array(anything),
      scanGroups: fc.array(anything),
      clients: anything,
      forwarding: anything,
      items: fc.array(anything),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.oneof(anything, shaped), (given) => {
      structuredClone(readDetail(given));
      for (const read of [() => readTrace(given), () => readBrowseAnswer(given, 10)]) {
        try {
          structuredClone(read());
        } catch (error) {
          assert.ok(error instanceof TypeError);
        }
      }
    }),
  );
});
