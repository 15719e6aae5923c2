// Readings of the past, from a stack in its thread to the disk.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cleanupOf } from '@telltale/stack-kit/testing/cleanup';
import { LineDevice } from '../../test/line-device.ts';
import { openArchive } from '../../test/open-archive.ts';
import { RuntimeBench } from '../../test/runtime-bench.ts';

test('a connector archives what its device has kept, sees what the archive has, and changes no live value', async (t) => {
  const bench = await RuntimeBench.start();
  cleanupOf(t).defer(() => bench.close());
  const archive = await openArchive(t);
  bench.readArchive = (...read) => archive.read(...read);
  // The records of the bench go to the archive with its own references.
  bench.storeRecords = async () => {
    const { records, sources } = bench;
    for (let at = 0; at < records.count; at++) {
      const key = sources[records.points[at] as number];
      if (key === undefined) continue;
      const { batch } = archive.records;
      batch.number(
        archive.records.refOf(key),
        records.numbers[at] as number,
        records.qualities[at] as number,
        records.times[at] as number,
      );
    }
    records.clear();
    archive.records.added();
    await archive.stored();
  };
  const device = await LineDevice.start({ level: 5 });
  cleanupOf(t).defer(() => device.close());
  const point = { datatype: 'd', connectorName: 'c' } as const;
  await bench.render({
    connectors: [{ name: 'c', stackName: 'line_device', vars: { port: device.port } }],
    measurements: [
      { ...point, name: 'level', address: 'level', archMode: 'change' },
      { ...point, name: 'flow', address: 'flow' },
    ],
  });
  await bench.until(() => bench.isGood('level', 5));
  const pastUs = 1_700_000_000_000_000;
  const tell = (line: string) => {
    for (const socket of device.sockets) socket.write(`${line}\n`);
  };
  tell(`past level=20@${pastUs},flow=1@${pastUs},level=21@${pastUs + 1},level=9@9e15`);
  await bench.until(() => device.heard.includes('stored 2 dropped 2'));
  tell(`past level=20@${pastUs},level=22@${pastUs + 1}`);
  await bench.until(() => device.heard.includes('stored 2 dropped 0'));
  assert.ok(bench.isGood('level', 5));
  const level = bench.measurements.find('level');
  const liveUs = bench.measurements.timeOf(level);
  tell('newest');
  await bench.until(() => device.heard.includes(`newest ${liveUs}/${liveUs} none`));
  const query = await archive.read({
    kind: 'measurements',
    names: ['level'],
    known: [],
    sinceUs: 0,
    untilUs: Number.MAX_SAFE_INTEGER,
    form: 'json',
  });
  let text = '';
  for await (const page of query) text += Buffer.from(page).toString();
  const { level: records } = JSON.parse(text) as { level: [string, [number, number], number][] };
  assert.deepEqual(
    records.map(([value]) => value),
    ['d20', 'd22', 'd5'],
    'what was read twice is there once',
  );
});
