import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { encodePayload } from './encode-payload.ts';
import { type Metric, metricType } from './metric.ts';
import { NodeSession } from './node-session.ts';

/** An edge node that is born, and what it says next: in sequence. */
function born() {
  const session = new NodeSession();
  let seq = 0;
  const hear = (kind: string, device: string, metrics: readonly Metric[]) =>
    session.hear(kind, device, encodePayload({ seq: seq++ % 256, timestampMs: 1000 + seq, metrics }));
  hear('NBIRTH', '', [{ name: 'bdSeq', type: metricType.int64, value: 1n }]);
  return { session, hear };
}

const metric = (name: string, alias: number): Metric => ({ name, alias, type: metricType.int32, value: 1 });

describe('an edge node', () => {
  test('with a device that is born again has the aliases of its last birth, and no others', () => {
    const { hear } = born();
    hear('DBIRTH', 'pump', [metric('A', 1)]);
    hear('DBIRTH', 'pump', [metric('A', 2)]);
    assert.equal(hear('DDATA', 'pump', [{ alias: 2, value: 5 }])[0]?.kind, 'data');
    assert.equal(hear('DDATA', 'pump', [{ alias: 1, value: 5 }])[0]?.kind, 'unclear');
  });

  test('with a device that was born again keeps an alias that another device has by now', () => {
    const { hear } = born();
    hear('DBIRTH', 'pump', [metric('A', 1)]);
    hear('DBIRTH', 'well', [metric('B', 1)]);
    hear('DDEATH', 'pump', []);
    assert.equal(hear('DDATA', 'well', [{ alias: 1, value: 5 }])[0]?.kind, 'data');
  });

  test('that gives birth to devices without an end is not remembered without an end', () => {
    const { session, hear } = born();
    const metrics = Array.from({ length: 90_000 }, (_, at): Metric => ({ name: `${at}` }));
    let devices = 0;
    assert.throws(() => {
      while (devices < 100) hear('DBIRTH', `d${devices++}`, metrics);
    }, /the edge node has too many devices and metrics/);
    assert.ok(devices > 5, `${devices}`);
    hear('NBIRTH', '', []);
    assert.deepEqual(session.devices(), ['']);
  });
});
