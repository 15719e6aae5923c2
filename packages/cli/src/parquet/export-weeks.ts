// The files of one kind of records in a folder, one a week, where they are not there yet or the archive has others.
import { mkdir, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ArchiveColumns, ArchiveKind } from '@telltale/schema';
import { asRefused, isPartOf, writeFileWhole } from '../files.ts';
import { parquetBytes } from './parquet-file.ts';
import { RecordsDigest } from './records-digest.ts';
import { type Week, weekOf } from './weeks.ts';
import { type About, aboutKey, aboutText, readAbout } from './written-file.ts';

export interface WeeksToExport {
  readonly kind: ArchiveKind;
  readonly folder: string;
  readonly site: string;
  /** Half-open; the weeks in which it begins and ends are exported whole. */
  readonly sinceUs: number;
  readonly untilUs: number;
  /** Records from `sinceUs` to before `untilUs`, of each name only the first so many where `limit` says so. */
  read(sinceUs: number, untilUs: number, limit?: number): AsyncIterable<ArchiveColumns>;
  /** Hears how many records were read, once of each. */
  onRecords(count: number): void;
}

export interface ExportedWeek {
  readonly path: string;
  /** In the file. */
  readonly records: number;
  /** `kept`: the archive has fewer records of the week than the file, which stays as it is. */
  readonly state: 'written' | 'unchanged' | 'kept';
}

/** Gives each week that has records when its file is there. */
export async function* exportWeeks(weeks: WeeksToExport): AsyncGenerator<ExportedWeek, void> {
  const endUs = weekOf(Math.max(0, weeks.untilUs - 1)).untilUs;
  let { sinceUs } = weekOf(weeks.sinceUs);
  while (sinceUs < endUs) {
    const nextUs = await firstTime(weeks.read(sinceUs, endUs, 1));
    if (nextUs === undefined) return;
    const week = weekOf(nextUs);
    yield await exportWeek(weeks, week);
    sinceUs = week.untilUs;
  }
}

async function firstTime(records: AsyncIterable<ArchiveColumns>): Promise<number | undefined> {
  let first: number | undefined;
  for await (const { times } of records) {
    for (const time of times) first = Math.min(first ?? time, time);
  }
  return first;
}

async function exportWeek(weeks: WeeksToExport, { day, sinceUs, untilUs }: Week): Promise<ExportedWeek> {
  const { kind, folder, site, onRecords } = weeks;
  const path = join(folder, kind, `site=${site}`, `week=${day}`, `${kind}.parquet`);
  const present = await readAbout(path).catch((error) => {
    throw asRefused(error, `${path} cannot be read`);
  });
  const read = (digest: RecordsDigest) => digest.of(weeks.read(sinceUs, untilUs));
  if (present !== undefined) {
    const digest = new RecordsDigest();
    for await (const { times } of read(digest)) onRecords(times.length);
    if (digest.end() === present.sha256) return { path, records: present.records, state: 'unchanged' };
    // Records leave the archive when they expire: the file has them still.
    if (digest.records < present.records) return { path, records: present.records, state: 'kept' };
  }
  const digest = new RecordsDigest();
  const counted = async function* () {
    for await (const records of read(digest)) {
      if (present === undefined) onRecords(records.times.length);
      yield records;
    }
  };
  let about: About | undefined;
  const end = () => {
    about = { records: digest.records, sha256: digest.end() };
    return { [aboutKey]: aboutText(about) };
  };
  await prepare(path);
  await writeFileWhole(path, parquetBytes(kind, counted(), end));
  return { path, records: digest.records, state: 'written' };
}

/** Makes the folder of a file, and removes what a run that was killed has left in it. */
async function prepare(path: string): Promise<void> {
  const folder = dirname(path);
  try {
    await mkdir(folder, { recursive: true });
    for (const name of await readdir(folder)) if (isPartOf(path, name)) await rm(join(folder, name), { force: true });
  } catch (error) {
    throw asRefused(error, `${folder} cannot be written`);
  }
}
