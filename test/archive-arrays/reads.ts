// Reads of the archive of all kinds over HTTP, chosen at random, and what plain arrays answer to the same.
import assert from 'node:assert/strict';
import { TelltaleClient } from '@telltale/client';
import { aggregates, formatText, toTimestamp, type Value } from '@telltale/schema';
import type { Aggregate, ReadRequest, RecordForm } from '../../packages/server/src/archive/archive-access.ts';
import { flagsOf } from '../../packages/server/src/archive/records.ts';
import { asked, assertThinned, type PlainRecord } from '../../packages/server/test/query-model.ts';
import type { SeededRandom } from '../seeded-random.ts';
import { type NamedArrays, oldestPlausibleUs } from './named-arrays.ts';

export interface ArrayRead extends ReadRequest {
  readonly kind: 'measurements' | 'commands';
}

/** Seconds in digits. Zero would be now. */
export function secondsOf(us: number): string {
  return us === 0 ? '-99999999999' : `${Math.floor(us / 1_000_000)}.${String(us % 1_000_000).padStart(6, '0')}`;
}

/** Of these names, of which all are of one kind; with ends at or beside the times of records. */
export function randomRead(
  random: SeededRandom,
  series: readonly [NamedArrays, ...NamedArrays[]],
  times: readonly [number, ...number[]],
): ArrayRead {
  const [{ kind }] = series;
  const form = random.pick<RecordForm>(['json', 'json', 'json', 'csv', 'binary']);
  // As a number, and not in digits, a time of the far future is not exact.
  const isNumber = series.length > 1 || form === 'binary';
  const some = times.filter((time) => !isNumber || time < 4e15) as [number, ...number[]];
  const end = () => Math.min(Math.max(0, random.pick(some) + random.between(-1, 1)), 2 ** 53);
  const one = end();
  // What is in force at a time is asked for by an empty interval.
  const other = random.chance(0.15) ? one : end();
  const [sinceUs, untilUs] = [Math.min(one, other, 2 ** 53 - 1), Math.max(one, other)];
  const names = series.map(({ name }) => name);
  const simulated = random.pick([undefined, undefined, 'exclude', 'only'] as const);
  const request = { kind, names, known: names, sinceUs, untilUs, form, simulated } as const;
  const warpHead = random.chance(one === other ? 0.8 : 0.4) || undefined;
  const limit = random.chance(0.3) ? random.between(1, 12) : undefined;
  const way = random.weighted({ plain: 4, resampled: 3, aggregated: 3, thinned: 2 });
  if (way === 'plain') return { ...request, warpHead, limit };
  if (way === 'thinned') return { ...request, warpHead, maxPoints: random.between(4, 60) };
  const steps = random.between(1, 40);
  const resampleUs = Math.min(Math.max(1, Math.ceil((untilUs - sinceUs) / steps)), 10 ** 15);
  if (way === 'resampled') return { ...request, warpHead, limit, resampleUs };
  const hasTexts = series.some(({ datatype }) => datatype === 's');
  const aggregate = random.pick<Aggregate>(hasTexts ? ['first', 'last'] : [...aggregates]);
  return { ...request, warpHead, limit, resampleUs, aggregate };
}

/** What the arrays answer. Nothing is foretold of what comes after `nowUs`. */
function answerOf(series: NamedArrays, request: ArrayRead, cutOffUs: number, nowUs: number): PlainRecord[] {
  const { sinceUs, resampleUs, aggregate, maxPoints: _, ...rest } = request;
  const foretells = resampleUs !== undefined && (aggregate === undefined || aggregate === 'count');
  const untilUs = foretells ? Math.min(request.untilUs, nowUs + 1) : request.untilUs;
  // Of before 2000 nothing is in force at a time before which others have expired.
  const isReported = cutOffUs === 0 || sinceUs < oldestPlausibleUs;
  const shown = series.shown(cutOffUs).filter(({ time }) => isReported || time >= oldestPlausibleUs);
  return asked(shown, { ...rest, sinceUs, untilUs, resampleUs, aggregate });
}

/** The server that is asked. */
interface Asked {
  readonly process: { readonly url: string };
  readonly nowUs: number;
  cutOffOf(series: NamedArrays): number;
}

/** Reads, and throws where the answer is another than that of the arrays. */
export async function checkRead(series: readonly NamedArrays[], request: ArrayRead, server: Asked): Promise<void> {
  const { url } = server.process;
  const beforeUs = server.nowUs;
  const found = await (request.form === 'binary' ? readColumns(url, request) : readText(url, series, request));
  const moments = [beforeUs, server.nowUs];
  for (const each of series) {
    const given = found.get(each.name) ?? [];
    const answers = moments.map((moment) => answerOf(each, request, server.cutOffOf(each), moment));
    const write = request.form === 'json' ? (record: PlainRecord) => each.written(record) : plainText(request.kind);
    const what = () => `${each.name}: ${JSON.stringify(request)}`;
    if (request.maxPoints !== undefined) assertThinned(given, answers[0] as PlainRecord[], request.maxPoints, write);
    else {
      const texts = answers.map((answer) => answer.map(write).map(request.aggregate === 'avg' ? toDigits : same));
      const [first = [], second = []] = texts;
      const rounded = given.map(request.aggregate === 'avg' ? toDigits : same);
      const isSecond = String(rounded) === String(second);
      assert.deepEqual(rounded.map(shortened), (isSecond ? second : first).map(shortened), what());
    }
  }
}

const same = (text: string) => text;
/** Sums may differ in their last digits with the order of adding. */
const toDigits = (text: string) =>
  text.replace(/^(\["d|\S+ )(-?[0-9.]+)/, (_, before, number) => before + Number(number).toPrecision(9));
export const shortened = (text: string) =>
  text.length > 200 ? `${text.slice(0, 80)}…${text.slice(-100)} (${text.length})` : text;

/** Of CSV and columns: time, value, quality and flags. */
function plainText(kind: ArrayRead['kind']) {
  return ({ time, datatype, value, quality }: PlainRecord) =>
    `${time} ${formatText(datatype, value)} ${kind === 'commands' ? '' : quality & 0xff} ${flagsOf(quality)}`;
}

async function readText(
  url: string,
  series: readonly NamedArrays[],
  request: ArrayRead,
): Promise<Map<string, string[]>> {
  const { kind, names, sinceUs, untilUs, form } = request;
  const query = queryOf(request);
  const [since, until] = [secondsOf(sinceUs), secondsOf(untilUs)];
  let path = `${kind}/${names[0]}/${since}/${until}?${query}`;
  if (names.length > 1) path = `${kind}/?names=${names}&t_since=${since}&t_until=${until}&${query}`;
  const accept = form === 'csv' ? 'text/csv' : 'application/json';
  const response = await fetch(`${url}/data/archive/${path}`, { headers: { accept } });
  const text = await response.text();
  assert.equal(response.status, 200, `${path}: ${text.slice(0, 400)}`);
  if (form === 'csv') return csvLists(text);
  const lists = JSON.parse(text) as Record<string, unknown[]>;
  assert.deepEqual(
    Object.keys(lists),
    series.map(({ name }) => name),
  );
  return new Map(Object.entries(lists).map(([name, list]) => [name, list.map((record) => JSON.stringify(record))]));
}

function queryOf({ warpHead, limit, maxPoints, resampleUs, aggregate, simulated }: ArrayRead): URLSearchParams {
  const query = new URLSearchParams({ flags: '1' });
  if (simulated !== undefined) query.set('simulated', simulated);
  if (warpHead) query.set('warp_head', '1');
  if (limit !== undefined) query.set('limit', String(limit));
  if (maxPoints !== undefined) query.set('max-points', String(maxPoints));
  if (resampleUs !== undefined) query.set('resample', secondsOf(resampleUs));
  if (aggregate !== undefined) query.set('aggregate', aggregate);
  return query;
}

/** Rows as `plainText` has them. */
function csvLists(text: string): Map<string, string[]> {
  const lists = new Map<string, string[]>();
  const field = String.raw`(?:"((?:[^"]|"")*)"|([^",\r\n]*))`;
  const row = new RegExp(`([^,]+),([^,]+),${field}(?:,(\\d*))?,([01])\r\n`, 'y');
  row.lastIndex = text.indexOf('\r\n') + 2;
  while (row.lastIndex < text.length) {
    const at = row.lastIndex;
    const [, name = '', time = '', quoted, bare = '', quality = '', flags] =
      row.exec(text) ?? assert.fail(text.slice(at, at + 200));
    const list = lists.getOrInsertComputed(name, () => []);
    list.push(`${usOf(time)} ${quoted?.replaceAll('""', '"') ?? bare} ${quality} ${flags}`);
  }
  return lists;
}

/** Of ISO 8601 with six decimals. */
function usOf(text: string): number {
  const [, seconds = '', us = ''] = /^(.*)\.(\d{6})Z$/.exec(text) ?? assert.fail(text);
  return Date.parse(`${seconds}Z`) * 1000 + Number(us);
}

/** The end behind the last time has no timestamp. */
function momentOf(us: number) {
  if (us === 0) return -99_999_999_999;
  return us === 2 ** 53 ? 99_999_999_999 : toTimestamp(us);
}

async function readColumns(url: string, request: ArrayRead): Promise<Map<string, string[]>> {
  const { kind, names, sinceUs, untilUs, resampleUs, limit, maxPoints, aggregate, warpHead, simulated } = request;
  const lists = new Map<string, string[]>();
  const options = {
    names: [...names],
    since: momentOf(sinceUs),
    until: momentOf(untilUs),
    ...(resampleUs !== undefined && { resampleS: resampleUs / 1e6 }),
    limit,
    maxPoints,
    aggregate,
    warpHead,
    simulated,
    flags: true,
  };
  const { archive } = new TelltaleClient({ url });
  for await (const { name, datatype, times, values, qualities, flags = [] } of archive.columns(kind, options)) {
    const list = lists.getOrInsertComputed(name, () => []);
    for (const [at, time] of times.entries()) {
      const value = datatype === 'b' ? values[at] === 1 : (values[at] as Value);
      list.push(`${time} ${formatText(datatype, value)} ${kind === 'commands' ? '' : qualities[at]} ${flags[at]}`);
    }
  }
  return lists;
}
