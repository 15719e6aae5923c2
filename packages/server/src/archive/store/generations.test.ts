import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Batch, ManualClock } from '@telltale/schema';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { systemDisk } from '../files/disk.ts';
import { Generations } from './generations.ts';
import { openFolder } from './open-folder.ts';

test('a generation that is in blocks keeps its columns for the next one, and none of its texts', (t) => {
  const folder = temporaryFolder(t);
  const options = { clock: new ManualClock(), disk: systemDisk };
  const onDamage = () => assert.fail();
  const { catalogue, frozen, nextGeneration } = openFolder(folder, { ...options, onDamage });
  const limits = { records: 1000, textUnits: 1000 };
  const generations = new Generations({ folder, ...options, catalogue, limits }, frozen, nextGeneration);
  const { number } = catalogue.add({ kind: 'measurements', name: 'note', datatype: 's' });
  const batch = new Batch();
  batch.text(0, 'a long text', 0xc0, 1_700_000_000_000_000);
  generations.append(batch, Uint32Array.of(number));
  generations.commit();
  generations.renew();
  const { table } = generations.frozen[0] ?? assert.fail();
  assert.deepEqual(table.texts, ['a long text']);
  generations.drop();
  assert.deepEqual(table.texts, []);
  generations.renew();
  assert.equal(generations.active.times, table.times);
  generations.close();
});
