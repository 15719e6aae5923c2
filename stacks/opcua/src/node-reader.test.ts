import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Batch } from '@telltale/schema';
import { ManualClock } from '@telltale/schema/testing';
import { SourceTimes } from '@telltale/stack-kit';
import { DataType, DataValue, ReadResponse } from 'node-opcua-client';
import { BadReadings } from './bad-readings.ts';
import { itemOf, takeReading } from './node-item.ts';
import { readItems } from './node-reader.ts';
import type { UaLink } from './ua-link.ts';

test('what was read does not take the place of what was reported while it was on its way', async () => {
  const clock = new ManualClock();
  const sourceTimes = new SourceTimes({ clock, maxSkewMs: 1000 });
  const silent = () => {};
  const badReadings = new BadReadings(clock, { debug: silent, info: silent, warn: silent, error: silent });
  const items = [0, 1].map((id) =>
    itemOf({ id, name: `p${id}`, address: `ns=1;i=${id}`, datatype: 'd', properties: {} }, []),
  );
  const [reported] = items;
  assert.ok(reported !== undefined);
  const dataOf = (value: number) => new DataValue({ value: { dataType: DataType.Double, value } });
  const link = {
    limits: { read: 500 },
    transact: async () => {
      takeReading(reported, dataOf(9), undefined, { batch: new Batch(), clock, sourceTimes, badReadings });
      return new ReadResponse({ results: [dataOf(1), dataOf(2)] });
    },
  };
  const batch = new Batch();
  await readItems(link as unknown as UaLink, items, { batch, clock, sourceTimes, badReadings });
  assert.deepEqual([batch.count, batch.points[0], batch.valueAt(0)], [1, 1, 2]);
  assert.equal(reported.last?.value.value, 9);
});
