// Readers of an archive that is being written: each answer must be whole, and what was acknowledged before it was asked.
import assert from 'node:assert/strict';
import type { Archive } from '../packages/server/src/archive/index.ts';
import * as world from './archive-world.ts';

/** Rounds whose records the archive has acknowledged and nobody changes. */
export interface Rounds {
  readonly from: number;
  readonly to: number;
}

type Request = Parameters<Archive['read']>[0];

const names = Array.from({ length: world.replacedFrom }, (_, series) => world.nameOf(series));
const mostRounds = 100;
/** Behind the record of a round in each series, and before the next. */
const behindUs = 2000;

/** A reader asks for the latest rounds in each way in turn, for ever. */
export async function readForEver(archive: Archive, known: () => Rounds, onAnswer: () => void): Promise<never> {
  for (let turn = 0; ; turn++) {
    const { from: first, to } = known();
    const from = Math.max(first, to - mostRounds);
    if (from >= to) await new Promise((resolve) => setTimeout(resolve, 5));
    else {
      await (ways[turn % ways.length] as (typeof ways)[number])(archive, { from, to });
      onAnswer();
    }
  }
}

const ways = [plain, csv, resampled, counted, thinned];

async function plain(archive: Archive, rounds: Rounds): Promise<void> {
  assert.equal(
    await read(archive, rounds, {}),
    listed(rounds, (series, round) => recordOf(series, round)),
  );
}

async function csv(archive: Archive, rounds: Rounds): Promise<void> {
  const lines = names.flatMap((name, series) =>
    roundsOf(rounds).map((round) => {
      const text = world.textAt(series, round).slice(1);
      const value = text.includes('"') ? `"${text.replaceAll('"', '""')}"` : text;
      const timeUs = world.timeOf(series, round);
      const time = new Date(Math.floor(timeUs / 1000))
        .toISOString()
        .replace('Z', String(timeUs % 1000).padStart(3, '0'));
      return `${name},${time}Z,${value},192\r\n`;
    }),
  );
  assert.equal(await read(archive, rounds, { form: 'csv' }), `name,time,value,quality\r\n${lines.join('')}`);
}

/** In force behind the record of each round is that record. */
async function resampled(archive: Archive, rounds: Rounds): Promise<void> {
  const sinceUs = world.startOf(rounds.from) + behindUs;
  const answer = await read(archive, rounds, { sinceUs, resampleUs: world.roundUs });
  assert.equal(
    answer,
    listed(rounds, (series, round) => recordOf(series, round, world.startOf(round) + behindUs)),
  );
}

async function counted(archive: Archive, rounds: Rounds): Promise<void> {
  const answer = await read(archive, rounds, { resampleUs: world.roundUs, aggregates: ['count'] });
  assert.equal(
    answer,
    listed(rounds, (_, round) => `["l1",${stamp(world.startOf(round))},192]`),
  );
}

async function thinned(archive: Archive, rounds: Rounds): Promise<void> {
  const maxPoints = 40;
  const answer = JSON.parse(await read(archive, rounds, { maxPoints })) as Record<string, unknown[]>;
  for (const [series, name] of names.entries()) {
    const given = (answer[name] ?? []).map((record) => JSON.stringify(record));
    const all = roundsOf(rounds).map((round) => recordOf(series, round));
    assert.ok(given.length > 0 && given.length <= maxPoints);
    assert.deepEqual([given[0], given.at(-1)], [all[0], all.at(-1)]);
    const known = new Set(all);
    for (const record of given) assert.ok(known.has(record), `${name}: ${record} was never written`);
  }
}

async function read(archive: Archive, { from, to }: Rounds, more: Partial<Request>): Promise<string> {
  const reading = await archive.read({
    kind: 'measurements',
    names,
    known: names,
    sinceUs: world.startOf(from),
    untilUs: world.startOf(to),
    form: 'json',
    ...more,
  });
  const pages: Uint8Array[] = [];
  for await (const page of reading) pages.push(Buffer.from(page));
  return Buffer.concat(pages).toString();
}

function listed(rounds: Rounds, record: (series: number, round: number) => string): string {
  const lists = names.map((name, series) => {
    return `"${name}":[${roundsOf(rounds).map((round) => record(series, round))}]`;
  });
  return `{${lists}}`;
}

function recordOf(series: number, round: number, timeUs = world.timeOf(series, round)): string {
  return `[${JSON.stringify(world.textAt(series, round))},${stamp(timeUs)},192]`;
}

function stamp(timeUs: number): string {
  return `[${Math.floor(timeUs / 1e6)},${timeUs % 1e6}]`;
}

function roundsOf({ from, to }: Rounds): number[] {
  return Array.from({ length: to - from }, (_, at) => from + at);
}
