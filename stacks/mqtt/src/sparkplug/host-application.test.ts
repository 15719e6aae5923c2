import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Batch } from '@telltale/schema';
import { ManualClock } from '@telltale/schema/testing';
import { SourceTimes, type StackPoint } from '@telltale/stack-kit';
import type { BrokerLink } from '../broker-link.ts';
import { encodePayload } from './encode-payload.ts';
import { HostApplication } from './host-application.ts';
import { type Metric, metricType } from './metric.ts';

const good = 0xc0;
const communicationFailure = 0x18;
const lastUsable = 0x44;
const configurationError = 0x04;
const sensorFailure = 0x10;

/** Points `node` of the edge node, `well` and `pump` of its devices. */
function setUp() {
  const clock = new ManualClock();
  const batch = new Batch();
  const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const times = new SourceTimes({ clock, maxSkewMs: 60_000 });
  /** What the archive has been given: id, value and how long ago it was in milliseconds. */
  const archived: [number, unknown, number][] = [];
  const keep = async (past: Batch) => {
    for (let at = 0; at < past.count; at++) {
      archived.push([past.points[at] ?? -1, past.valueAt(at), (clock.now() - (past.times[at] ?? 0)) / 1000]);
    }
    return { stored: past.count, dropped: 0 };
  };
  const host = new HostApplication({
    clock,
    log,
    times,
    batch,
    history: { publish: keep, lastRecorded: async () => [] },
    flushSoon: () => {},
    mayWrite: () => true,
    reorderTimeoutMs: 1000,
    maxMetricAgeMs: 60_000,
  });
  const addresses = ['spBv1.0/G/one#A', 'spBv1.0/G/one/well#A', 'spBv1.0/G/one/pump#A'];
  const points = addresses.map(
    (address, id): StackPoint => ({ id, name: `p${id}`, address, datatype: 'd', properties: {} }),
  );
  host.setPoints(points, []);
  /** Topics of births that were asked for. */
  const asked: string[] = [];
  const publish = async (topic: string) => void asked.push(topic);
  host.begin({ isUp: true, publish } as unknown as BrokerLink);
  const hear = (kind: string, device: string, seq: number, ageMs = 0, more: Partial<Metric> = {}) => {
    const timestampMs = clock.now() / 1000;
    const metrics = [
      { name: 'bdSeq', type: metricType.int64, value: 1n },
      { name: 'A', timestampMs: timestampMs - ageMs, type: metricType.double, value: seq, ...more },
    ];
    host.hear(`spBv1.0/G/${kind}/one${device && `/${device}`}`, encodePayload({ timestampMs, seq, metrics }));
  };
  /** What came since the last call: id and quality. */
  const readings = () => {
    const came = Array.from({ length: batch.count }, (_, at) => [batch.points[at], batch.qualities[at]]);
    batch.clear();
    return came;
  };
  return { clock, host, points, asked, hear, readings, archived };
}

test('a device that is not born again after its edge node turns bad, the others stay as they are', () => {
  const { clock, hear, readings } = setUp();
  hear('NBIRTH', '', 0);
  hear('DBIRTH', 'well', 1);
  hear('DBIRTH', 'pump', 2);
  assert.deepEqual(readings(), [
    [0, good],
    [1, good],
    [2, good],
  ]);
  clock.advance(20_000);
  assert.deepEqual(readings(), []);
  hear('NBIRTH', '', 0);
  hear('DBIRTH', 'pump', 1);
  clock.advance(4999);
  assert.deepEqual(readings(), [
    [0, good],
    [2, good],
  ]);
  clock.advance(1);
  assert.deepEqual(readings(), [[1, communicationFailure]]);
});

test('an edge node that is born again and again is given time each time, and none when the link has ended', () => {
  const { clock, host, hear, readings } = setUp();
  for (let turn = 0; turn < 4; turn++) {
    hear('NBIRTH', '', 0);
    clock.advance(3000);
  }
  assert.deepEqual(readings(), Array(4).fill([0, good]));
  host.end();
  clock.advance(10_000);
  assert.deepEqual(readings(), []);
});

test('a copy of a message, which came by another subscription too, changes nothing', () => {
  const { hear, readings } = setUp();
  for (const copy of [1, 2]) {
    hear('NBIRTH', '', 0);
    assert.deepEqual(readings(), copy === 1 ? [[0, good]] : []);
  }
  for (const copy of [1, 2]) {
    hear('NDATA', '', 1);
    assert.deepEqual(readings(), copy === 1 ? [[0, good]] : []);
  }
  hear('NDATA', '', 2);
  assert.deepEqual(readings(), [[0, good]]);
});

test('a new point has the births of its own edge node asked for, and of no other', () => {
  const { clock, host, points, asked, hear } = setUp();
  hear('NBIRTH', '', 0);
  asked.length = 0;
  clock.advance(10_000);
  const other: StackPoint = { id: 9, name: 'other', address: 'spBv1.0/G/two#A', datatype: 'd', properties: {} };
  host.setPoints([...points, other], []);
  assert.deepEqual(asked, ['spBv1.0/G/NCMD/two']);
});

test('a birth that was asked for counts, though it is the same as the one before', () => {
  const { host, points, asked, hear, readings } = setUp();
  hear('NBIRTH', '', 0);
  assert.deepEqual(readings(), [[0, good]]);
  host.end();
  host.setPoints(points, []);
  host.begin({ isUp: true, publish: async (topic: string) => void asked.push(topic) } as unknown as BrokerLink);
  hear('NBIRTH', '', 0);
  assert.deepEqual(readings(), [[0, good]]);
});

test('data that is overtaken is read in its order; a gap that does not close in time makes all uncertain, and a birth is asked for', () => {
  const { clock, asked, hear, readings } = setUp();
  hear('NBIRTH', '', 0);
  asked.length = 0;
  clock.advance(10_000);
  readings();
  hear('NDATA', '', 2);
  hear('NDATA', '', 3);
  assert.deepEqual(readings(), []);
  clock.advance(999);
  hear('NDATA', '', 1);
  assert.deepEqual(readings(), Array(3).fill([0, good]));
  clock.advance(10_000);
  assert.deepEqual([readings(), asked], [[], []]);
  hear('NDATA', '', 5);
  clock.advance(999);
  hear('NDATA', '', 6);
  assert.deepEqual([readings(), asked], [[], []]);
  clock.advance(1);
  assert.deepEqual(readings(), [[0, lastUsable]]);
  assert.deepEqual(asked, ['spBv1.0/G/NCMD/one']);
  hear('NDATA', '', 4);
  assert.deepEqual(readings(), []);
  hear('NBIRTH', '', 0);
  assert.deepEqual(readings(), [[0, good]]);
});

test('a birth that data has overtaken takes it up, and leaves what is older', () => {
  const { clock, hear, readings } = setUp();
  hear('NBIRTH', '', 0);
  hear('NDATA', '', 77);
  clock.advance(10);
  hear('DBIRTH', 'well', 2);
  hear('DBIRTH', 'pump', 1);
  assert.deepEqual(readings(), [
    [0, good],
    [2, good],
    [1, good],
  ]);
  hear('NBIRTH', '', 0);
  assert.deepEqual(readings(), [[0, good]]);
  clock.advance(999);
  hear('NDATA', '', 1);
  assert.deepEqual(readings(), [[0, good]]);
});

test('a metric whose own time is far before that of its data is uncertain; in a birth, and after null, it may be old', () => {
  const { hear, readings } = setUp();
  const hourMs = 3_600_000;
  hear('NBIRTH', '', 0, hourMs);
  assert.deepEqual(readings(), [[0, good]]);
  hear('NDATA', '', 1, 60_000);
  assert.deepEqual(readings(), [[0, good]]);
  hear('NDATA', '', 2, 60_001);
  assert.deepEqual(readings(), [[0, lastUsable]]);
  hear('NDATA', '', 3);
  assert.deepEqual(readings(), [[0, good]]);
  hear('NDATA', '', 4, 0, { isNull: true });
  assert.deepEqual(readings(), [[0, sensorFailure]]);
  hear('NDATA', '', 5, hourMs);
  assert.deepEqual(readings(), [[0, good]]);
});

test('what is historical goes to the archive, and is no live value', () => {
  const { clock, host, points, hear, readings, archived } = setUp();
  hear('NBIRTH', '', 0);
  readings();
  hear('NDATA', '', 1, 1000, { isHistorical: true });
  hear('NDATA', '', 2, 500, { isHistorical: true, isNull: true });
  assert.deepEqual(readings(), []);
  assert.equal(host.explain(points[0] as StackPoint)?.value, 0);
  clock.advance(50);
  assert.deepEqual(archived, [
    [0, 1, 1050],
    [0, undefined, 550],
  ]);
});

test('where the broker refuses the subscription to an edge node, its points are bad, and say why', () => {
  const { host, points, readings } = setUp();
  host.refuse('spBv1.0/G/+/other/#', 'not allowed');
  assert.deepEqual(readings(), []);
  host.refuse('spBv1.0/G/+/one/#', 'not allowed');
  assert.deepEqual(
    readings(),
    points.map(({ id }) => [id, configurationError]),
  );
  assert.equal(host.explain(points[0] as StackPoint)?.error, 'not allowed');
  assert.equal(host.detail()[0]?.lastError, 'not allowed');
});
