import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  checker,
  type Datatype,
  datatypes,
  describeQuality,
  Explanation,
  fromTimestamp,
  isGood,
  LiveConnector,
  LiveProvider,
  type Measurement,
  type Value,
} from '@telltale/schema';
import type { ReadingTrace } from '@telltale/stack-kit';
import { noDetail } from '@telltale/stack-kit/host';
import fc from 'fast-check';
import { benchWith, PointsBench } from '../../../test/points-bench.ts';
import type { InstanceStatus } from '../../stacks/index.ts';
import { explainMeasurement } from './explain-measurement.ts';
import { liveConnector, liveProvider } from './instance-wire.ts';

const explanation = checker(Explanation);

const anyNumber = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.double(),
  fc.constantFrom(Number.NaN, Number.MAX_SAFE_INTEGER + 2, -1e300),
);
const anyValue: fc.Arbitrary<Value> = fc.oneof(
  fc.boolean(),
  anyNumber,
  fc.bigInt({ min: -(2n ** 65n), max: 2n ** 65n }),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom('x'.repeat(300), '\ud800', ''),
);
const anyText = fc.option(fc.oneof(fc.string({ unit: 'binary' }), fc.constant('x'.repeat(3000))), { nil: undefined });

const anyTrace: fc.Arbitrary<ReadingTrace> = fc.record({
  timeUs: anyNumber,
  request: fc.string(),
  raw: anyText,
  value: fc.option(anyValue, { nil: undefined }),
  error: anyText,
  device: anyText,
  scanPeriodMs: fc.option(anyNumber.filter(Number.isFinite), { nil: undefined }),
});

const anyCounters = fc.record({
  ...Object.fromEntries(
    [
      'values',
      'batches',
      'connects',
      'errors',
      'conflated',
      'dropped',
      'requests',
      'requestsFailed',
      'overruns',
      'held',
      'unread',
    ].map((name) => [name, fc.nat()]),
  ),
  ...Object.fromEntries(
    ['writesAccepted', 'writesRefused', 'writesTimedOut', 'writesNotConnected'].map((name) => [name, fc.nat()]),
  ),
}) as unknown as fc.Arbitrary<InstanceStatus['counters']>;

const finite = anyNumber.filter(Number.isFinite);

const anyStatus: fc.Arbitrary<InstanceStatus> = fc.record({
  role: fc.constantFrom('connector' as const, 'provider' as const),
  name: fc.constantFrom('c', '__proto__'),
  stackName: fc.string(),
  thread: fc.nat(64),
  silentSinceUs: fc.option(finite, { nil: undefined }),
  scanPeriodMs: fc.option(finite, { nil: undefined }),
  points: fc.nat(),
  state: fc.constantFrom('connecting', 'up', 'down', 'failed', 'disabled'),
  disabled: fc.option(
    fc.record({ by: fc.string(), timeUs: fc.nat(), reason: fc.option(fc.string(), { nil: undefined }) }),
    {
      nil: undefined,
    },
  ),
  sinceUs: finite,
  lastError: fc.option(fc.record({ text: fc.string({ unit: 'binary' }), timeUs: finite }), { nil: undefined }),
  counters: anyCounters,
  valuesPerSecond: finite,
  requestsPerSecond: finite,
  roundTrip: fc.option(fc.record({ p50Ms: finite, p99Ms: finite }), { nil: undefined }),
  detail: fc.oneof(
    fc.constant(noDetail),
    fc.record({
      devices: fc.array(fc.record({ name: fc.string(), isUp: fc.boolean(), sinceUs: finite, lastError: anyText }), {
        maxLength: 3,
      }),
      scanGroups: fc.array(
        fc.record({
          periodMs: finite,
          points: fc.nat(),
          requests: fc.nat(),
          scans: fc.nat(),
          overruns: fc.nat(),
          tookMs: fc.option(finite, { nil: undefined }),
        }),
        { maxLength: 3 },
      ),
      clients: fc.option(fc.nat(), { nil: undefined }),
      forwarding: fc.option(
        fc.record({ sent: fc.nat(), givenUp: fc.nat(), waitingSinceUs: fc.option(fc.double(), { nil: undefined }) }),
        { nil: undefined },
      ),
      leftOut: fc.nat(),
    }),
  ),
});

const numeric: ReadonlySet<Datatype> = new Set(['i', 'l', 'f', 'd']);

const anyPoint: fc.Arbitrary<Measurement> = fc
  .record({
    datatype: fc.constantFrom(...datatypes),
    rawDatatype: fc.constantFrom(...datatypes),
    isScaled: fc.boolean(),
    isRead: fc.boolean(),
    hasDeadband: fc.boolean(),
    stackUmask: fc.nat(15),
  })
  .map(({ datatype, rawDatatype, isScaled, isRead, hasDeadband, stackUmask }) => ({
    name: 'p',
    datatype,
    rawDatatype,
    stackUmask,
    ...(isRead && { connectorName: 'c', address: 'a' }),
    ...(isScaled &&
      numeric.has(datatype) &&
      numeric.has(rawDatatype) && { rawRangeLo: '0', rawRangeHi: '3', euRangeLo: '9', euRangeHi: '0' }),
    ...(hasDeadband && numeric.has(datatype) && { deadband: '1' }),
  }));

test('whatever was read, whoever reads it, and however it is set: it is explained, and as the schema says', async () => {
  const property = fc.asyncProperty(
    anyPoint,
    fc.array(anyValue, { maxLength: 3 }),
    fc.option(anyTrace, { nil: undefined }),
    fc.option(anyStatus, { nil: undefined }),
    fc.record({ isUp: fc.boolean(), isSimulated: fc.boolean(), traceProblem: anyText }),
    async (point, readings, trace, status, { isUp, isSimulated, traceProblem }) => {
      const bench = new PointsBench();
      bench.measurements.putLink('connector', 'c', undefined);
      bench.put(point);
      bench.measurements.setLink('connector', 'c', true, bench.clock.now());
      for (const value of readings) bench.read('c', { point: 'p', value });
      if (!isUp) bench.measurements.setLink('connector', 'c', false, bench.clock.now());
      if (isSimulated) await bench.simulate('p', { value: point.datatype === 's' ? 's' : `${point.datatype}1` });
      const handle = bench.measurements.find('p');
      const view = bench.measurements.chainOf(handle);
      const found = explainMeasurement({
        point,
        view,
        status,
        trace,
        traceProblem,
        trial: trace?.value === undefined ? undefined : bench.measurements.trial(handle, trace.value),
        rendering: undefined,
      });
      assert.deepEqual(explanation.faults(JSON.parse(JSON.stringify(found))), []);
      const [value, timeUs, quality] = bench.vtq('p');
      assert.deepEqual([found.vtq[0], found.vtq[2], found.quality], [value, quality, describeQuality(quality)]);
      assert.equal(timeUs, fromTimestamp(found.vtq[1]));
      // Who only reads the summary never learns that a bad value is good.
      if (!isGood(quality)) assert.doesNotMatch(found.summary, /^It is good/);
      bench.measurements.close();
    },
  );
  await fc.assert(property, { numRuns: 500 });
});

test('whatever a stack reports itself, it is shown as the schema says', () => {
  const [connector, provider] = [checker(LiveConnector), checker(LiveProvider)];
  const points = { good: 1, uncertain: 2, bad: 3 };
  const property = fc.property(anyStatus, (status) => {
    assert.deepEqual(connector.faults(JSON.parse(JSON.stringify(liveConnector(status, points)))), []);
    assert.deepEqual(provider.faults(JSON.parse(JSON.stringify(liveProvider(status, points)))), []);
  });
  fc.assert(property, { numRuns: 500 });
});

test('a value that comes again after a loss is no repetition: its quality is another', () => {
  const bench = benchWith({ datatype: 'd', deadband: '1' });
  bench.read('c', { point: 'p', value: 5, timeUs: 1 });
  const handle = bench.measurements.find('p');
  const deduplicator = () => {
    const trace: ReadingTrace = {
      timeUs: bench.clock.now(),
      request: 'r',
      raw: undefined,
      value: 5,
      error: undefined,
      device: undefined,
      scanPeriodMs: undefined,
    };
    const { stages } = explainMeasurement({
      point: bench.points.get('p') as Measurement,
      view: bench.measurements.chainOf(handle),
      status: undefined,
      trace,
      traceProblem: undefined,
      trial: bench.measurements.trial(handle, 5),
      rendering: undefined,
    });
    return ['deduplicator', 'deadband'].map((name) => stages.find(({ stage }) => stage === name)?.effect);
  };
  assert.deepEqual(deduplicator(), ['stopped', 'passed']);
  bench.measurements.setLink('connector', 'c', false, 2);
  assert.deepEqual(deduplicator(), ['passed', 'passed']);
});

test('a value that is uncertain since its thread is late is explained by the thread, its connector, and since when', () => {
  const bench = benchWith({ datatype: 'd' });
  bench.read('c', { point: 'p', value: 5, timeUs: 1 });
  bench.measurements.setSilent('connector', 'c', 'late', 5_000_000);
  const handle = bench.measurements.find('p');
  const explained = {
    point: bench.points.get('p') as Measurement,
    view: bench.measurements.chainOf(handle),
    status: { name: 'c', state: 'up', thread: 2, sinceUs: 0, silentSinceUs: 3_000_000 } as InstanceStatus,
    trace: undefined,
    traceProblem: 'Connector c has not answered within 2000 ms.',
    trial: undefined,
    rendering: undefined,
  };
  const { summary, stages } = explainMeasurement(explained);
  const why = 'thread 2 of the stacks, which runs connector c, has not answered since 1970-01-01T00:00:03.000000Z';
  assert.equal(summary, `It is uncertain, last usable value: ${why}, so that it has not been read since.`);
  const watchdog = stages.find(({ stage }) => stage === 'watchdog');
  assert.deepEqual([watchdog?.effect, watchdog?.text.includes(why)], ['changed', true]);
  bench.read('c', { point: 'p', value: 5, timeUs: 6 });
  assert.equal(explainMeasurement({ ...explained, view: bench.measurements.chainOf(handle) }).summary, 'It is good.');
});

test('of a provider people see what its clients asked, how often they had to wait, and what was lost', () => {
  const property = fc.property(anyStatus, (status) => {
    const { requests, held, unread } = status.counters;
    const shown = liveProvider(status, { good: 0, uncertain: 0, bad: 0 }).counters;
    assert.deepEqual([shown.requests, shown.held, shown.unread], [requests, held, unread]);
  });
  fc.assert(property, { numRuns: 50 });
});
