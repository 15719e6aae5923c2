// A process that writes known records into an archive as fast as it is told, erases and replaces some, reads beside that,
// and says what the archive has acknowledged and how many answers were right: node archive-writer.ts FOLDER FIRST-ROUND. It is made to be killed.
import { writeSync } from 'node:fs';
import { Batch } from '@telltale/schema';
import { readForEver } from './archive-readers.ts';
import * as world from './archive-world.ts';

const [folder = '', firstRound = '0'] = process.argv.slice(2);
const recordsASecond = 60_000;
const tickMs = 4;
const readers = 3;

const say = (line: string) => writeSync(1, `${line}\n`);

async function main(): Promise<void> {
  const archive = world.makeArchive(folder);
  await archive.open();
  const { records } = archive;
  const keys = Array.from({ length: world.seriesCount }, (_, series) => ({
    kind: 'measurements' as const,
    name: world.nameOf(series),
    datatype: world.datatypeOf(series),
  }));
  const sources = keys.map((key) => records.refOf(key));
  let round = Number(firstRound);
  let reported = 0;
  const startMs = performance.now();
  const storedRounds = () => Number(firstRound) + Math.floor((records.stored - records.imported) / world.seriesCount);
  say('ready');
  setInterval(() => {
    const due = Number(firstRound) + ((performance.now() - startMs) / 1000) * (recordsASecond / world.seriesCount);
    for (; round < due; round++) {
      for (let series = 0; series < world.seriesCount; series++) {
        world.addRecord(records.batch, sources[series] as number, series, round);
      }
      records.added();
    }
    if (storedRounds() > reported) {
      reported = storedRounds();
      say(`stored ${reported}`);
    }
  }, tickMs);
  let answers = 0;
  for (let reader = 0; reader < readers; reader++) {
    readForEver(
      archive,
      // Of a round before which there is nothing, a count is uncertain.
      () => ({ from: Number(firstRound) + 1, to: reported }),
      () => say(`answered ${++answers}`),
    );
  }
  for (let turn = 0; ; turn++) {
    await new Promise((resolve) => setTimeout(resolve, 15));
    const last = reported - 6; // what comes after an erasure stays
    if (last <= Number(firstRound)) continue;
    const series = world.erasedFrom + (turn % (world.seriesCount - world.erasedFrom));
    const from = Number(firstRound) + Math.floor(Math.random() * (last - Number(firstRound)));
    say(`erasing ${series} ${from} ${from + 5}`);
    await archive.erase(
      'measurements',
      world.nameOf(series),
      world.timeOf(series, from),
      world.timeOf(series, from + 5),
    );
    say(`erased ${series} ${from} ${from + 5}`);
    const renewed = world.replacedFrom + (turn % (world.erasedFrom - world.replacedFrom));
    const batch = new Batch();
    world.addRecord(batch, 0, renewed, from, 1);
    say(`replacing ${renewed} ${from}`);
    await archive.backfill(keys[renewed] as (typeof keys)[number], batch.take());
    say(`replaced ${renewed} ${from}`);
  }
}

await main();
