import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Batch, quality } from '@telltale/schema';
import { ManualClock } from '@telltale/schema/testing';
import { tag } from './ber.ts';
import { pduType } from './pdu.ts';
import { TrapPoints } from './trap-points.ts';

const oid = '1.3.6.1.2.1.2.2.1.8.3';
const status = { oid, tag: tag.integer, content: Buffer.from([2]) };
const pdu = { type: pduType.trap, requestId: 1, errorStatus: 0, errorIndex: 0, varbinds: [status] };

test('what came before the link was made again is the last usable value, though the clock was set back meanwhile', () => {
  const clock = new ManualClock();
  const reported: [unknown, number | undefined][] = [];
  const publish = (batch: Batch) => void reported.push([batch.valueAt(0), batch.qualities[0]]);
  const points = new TrapPoints({ clock, publish, isAgent: () => true });
  const point = { id: 1, name: 'status', address: `trap:${oid}`, datatype: 'i', properties: {} } as const;
  points.setPoints([{ point, address: { oid, isTrap: true, agent: undefined, form: undefined } }]);
  points.begin();
  points.take(pdu, '127.0.0.1');
  points.publishAll();
  clock.jump(-3_600_000);
  points.begin();
  points.publishAll();
  points.take(pdu, '127.0.0.1');
  const { good, uncertain } = quality;
  assert.deepEqual(
    reported,
    [good, good, uncertain.lastUsableValue, good].map((each) => [2, each]),
  );
});
