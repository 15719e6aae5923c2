// The history of a whole server, read by a client of its OPC UA provider. The data is that of the third example of Part 13, which is
// stepped; what comes of it was worked out by hand from its definitions, with uncertain values counted and the last value in force until now.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { freePort } from '@telltale/stack-kit/testing';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { type ServerProcess, startServer } from '../../../test/server-process.ts';
import type { HistoryOrder, HistoryValue } from './client-history.ts';
import { UaClientProcess, type UaClientSession } from './ua-client.ts';

const noon = 1_700_000_000;
const [good, bad, uncertain] = [0xc0, 0x18, 0x40];
/** Seconds after noon, value, quality. */
const historian3: [number, number, number][] = [
  [2, 10, good],
  [25, 20, good],
  [28, 25, good],
  [39, 30, good],
  [42, 30, bad],
  [48, 40, good],
  [52, 50, good],
  [72, 60, good],
  [77, 70, uncertain],
  [83, 70, good],
  [86, 80, good],
  [90, 90, good],
];
const us = (seconds: number) => (noon + seconds) * 1_000_000;
const level = 'ns=2;s=Level';

const calculated = 0x401;
const partial = 0x404;

describe('the history of a server over OPC UA', () => {
  const cleanup = suiteCleanup();
  let server: ServerProcess;
  let clients: UaClientProcess;
  let client: UaClientSession;

  before(async () => {
    server = await startServer(cleanup, { data: temporaryFolder(cleanup) });
    const port = await freePort();
    const vars = { port: String(port), unsecured: 'true', anonymous: 'true', host: '127.0.0.1' };
    await server.send('PUT', '/providers/ua', { name: 'ua', stackName: 'opcua', vars });
    const providerAddresses = { ua: 'Level' };
    const object = { name: 'level', datatype: 'd', archMode: 'change', providerAddresses };
    await server.send('PUT', '/measurements/level', object);
    assert.equal((await server.send('POST', '/cfgdb/render')).status, 204);
    const rows = historian3.map(([second, value, quality]) => `${noon + second},${value},${quality}`);
    const answer = await fetch(`${server.url}/data/archive/measurements/level`, {
      method: 'POST',
      headers: { 'content-type': 'text/csv' },
      body: `time,value,quality\n${rows.join('\n')}\n`,
    });
    assert.equal(answer.status, 204, await answer.text());
    clients = await UaClientProcess.start();
    client = await clients.openOnceServed({ port });
  });
  after(async () => {
    await client?.close();
    await clients?.stop();
  });

  type Asked = NonNullable<HistoryOrder['processed']>;
  const processed = async (
    aggregate: Asked['aggregate'],
    start = 0,
    end = 100,
    intervalMs = 16_000,
    rules?: Asked['rules'],
  ) => {
    const order = { processed: { start: us(start), end: us(end), intervalMs, aggregate, ...(rules && { rules }) } };
    return (await client.history(level, order)).values;
  };
  const valuesOf = (values: readonly HistoryValue[]) => values.map(({ value }) => value as number);

  test('raw records come out as they went in', async () => {
    const { values } = await client.history(level, { raw: { start: us(0), end: us(100) } });
    assert.deepEqual(
      values.map(({ value, timeUs }) => [(timeUs as number) / 1e6 - noon, value]),
      historian3.map(([second, value]) => [second, value]),
    );
    const newest = await client.history(level, { raw: { end: us(100), count: 1 } });
    assert.deepEqual(valuesOf(newest.values), [90]);
  });

  test('Maximum2 and Minimum2 have the values in force in each interval', async () => {
    const most = await processed('Maximum2');
    // As MaximumActualTime2 has them in the example, but that what is uncertain counts, and the last value is in force until now.
    assert.deepEqual(valuesOf(most), [10, 25, 30, 50, 70, 90, 90]);
    assert.deepEqual(
      most.map(({ timeUs }) => (timeUs as number) / 1e6 - noon),
      [0, 16, 32, 48, 64, 80, 96],
    );
    assert.deepEqual(valuesOf(await processed('Minimum2')), [10, 10, 25, 40, 50, 70, 90]);
    assert.deepEqual(valuesOf(await processed('Range2')), [0, 15, 5, 10, 20, 20, 0]);
  });

  test('the status says whether all of an interval is good, and whether it is whole', async () => {
    const statuses = (await processed('Maximum2')).map(({ status, bits }) => [status, bits]);
    assert.deepEqual(statuses, [
      ['UncertainDataSubNormal', calculated | partial], // nothing before the first record
      ['Good', calculated],
      ['UncertainDataSubNormal', calculated],
      ['Good', calculated],
      ['UncertainDataSubNormal', calculated],
      ['UncertainDataSubNormal', calculated],
      ['Good', calculated | partial], // cut off by the end of the request
    ]);
  });

  test('TimeAverage2 and Total2 weigh values by the time in which they are in force', async () => {
    const averages = valuesOf(await processed('TimeAverage2'));
    const expected = [
      10, // 14 s of 10
      (9 * 10 + 3 * 20 + 4 * 25) / 16,
      (7 * 25 + 3 * 30) / 10, // bad from 42 to 48
      (4 * 40 + 12 * 50) / 16,
      (8 * 50 + 5 * 60 + 3 * 70) / 16,
      (3 * 70 + 3 * 70 + 4 * 80 + 6 * 90) / 16,
      90,
    ];
    for (const [at, average] of averages.entries()) assert.ok(Math.abs(average - (expected[at] ?? 0)) < 1e-9, `${at}`);
    const [first, , third] = valuesOf(await processed('Total2'));
    assert.ok(Math.abs((first ?? 0) - 140) < 1e-9 && Math.abs((third ?? 0) - 265) < 1e-9);
  });

  test('Average and Count are of the records, and judged by how many of them are good, not by time', async () => {
    const shown = (values: readonly HistoryValue[]) => values.map(({ value, status, bits }) => [value, status, bits]);
    assert.deepEqual(shown(await processed('Average')), [
      [10, 'Good', calculated], // an average is never partial
      [22.5, 'Good', calculated],
      [30, 'UncertainDataSubNormal', calculated], // one of two is bad
      [45, 'Good', calculated],
      [65, 'UncertainDataSubNormal', calculated], // one of two is uncertain
      [80, 'Good', calculated], // an uncertain value was in force at first: it is no record of this interval
      [null, 'BadNoData', 0],
    ]);
    assert.deepEqual(shown(await processed('Count')), [
      [1, 'Good', calculated | partial],
      [2, 'Good', calculated],
      [1, 'UncertainDataSubNormal', calculated],
      [2, 'Good', calculated],
      [2, 'UncertainDataSubNormal', calculated],
      [3, 'Good', calculated],
      [0, 'Good', calculated | partial],
    ]);
    assert.deepEqual(shown(await processed('Count', 40, 44, 0)), [[0, 'Bad', 0]], 'all of its records are bad');
    assert.deepEqual(shown(await processed('Average', 40, 44, 0)), [[null, 'BadNoData', 0]]);
  });

  test('a client says itself from which share of good and bad data on a result is good or bad', async () => {
    const statuses = async (aggregate: Asked['aggregate'], percentDataGood: number, percentDataBad: number) => {
      const rules = { useServerCapabilitiesDefaults: false, percentDataGood, percentDataBad };
      return (await processed(aggregate, 32, 48, 0, rules)).map(({ value, status }) => [value, status]);
    };
    // Of 16 s, 10 are good, and 6 are bad.
    assert.deepEqual(await statuses('Maximum2', 62, 40), [[30, 'Good']]);
    assert.deepEqual(await statuses('Maximum2', 63, 38), [[30, 'UncertainDataSubNormal']]);
    assert.deepEqual(await statuses('Maximum2', 70, 37), [[null, 'Bad']]);
    // Of two records, one is bad.
    assert.deepEqual(await statuses('Average', 50, 51), [[30, 'Good']]);
    assert.deepEqual(await statuses('Average', 51, 51), [[30, 'UncertainDataSubNormal']]);
    assert.deepEqual(await statuses('Average', 51, 50), [[null, 'Bad']]);
  });

  test('durations are milliseconds, and always good', async () => {
    const lengths = await processed('DurationGood');
    assert.deepEqual(valuesOf(lengths), [14_000, 16_000, 10_000, 16_000, 13_000, 13_000, 4000]);
    assert.ok(lengths.every(({ status }) => status === 'Good'));
    assert.deepEqual(valuesOf(await processed('DurationBad')), [2000, 0, 6000, 0, 0, 0, 0]);
  });

  test('without an interval there is one; before the first record there is no data; backwards the latest come first', async () => {
    assert.deepEqual(valuesOf(await processed('Maximum2', 0, 100, 0)), [90]);
    const [before] = await processed('Maximum2', -40, -20, 0);
    assert.deepEqual([before?.value, before?.status], [null, 'BadNoData']);
    const back = await processed('Maximum2', 96, 0);
    // Each has its later end, and not its earlier one: the 40 at 48 s is in the fourth.
    assert.deepEqual(valuesOf(back), [90, 70, 50, 40, 25, 10]);
    assert.deepEqual(
      back.map(({ timeUs }) => (timeUs as number) / 1e6 - noon),
      [96, 80, 64, 48, 32, 16],
    );
  });

  test('more intervals than an answer may have come in several', async () => {
    const order = { start: us(0), end: us(100), intervalMs: 5, aggregate: 'Maximum2' } as const;
    const first = await client.history(level, { processed: order });
    assert.equal(first.values.length, 10_000);
    const second = await client.history(level, { processed: order, point: first.point });
    assert.equal(second.values.length, 10_000);
    assert.equal(second.point, '');
    assert.equal(second.values[0]?.timeUs, us(50));
  });
});
