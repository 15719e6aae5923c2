// Reads of the archive of all kinds over HTTP, chosen at random, and what plain arrays answer to the same.
import assert from 'node:assert/strict';
import { type ArchiveColumns, TelltaleClient } from '@telltale/client';
import { aggregates, formatText, toTimestamp, type Value } from '@telltale/schema';
import type { Aggregate, ReadRequest, RecordForm } from '../../packages/server/src/archive/archive-access.ts';
import { isOfTexts } from '../../packages/server/src/archive/query/aggregates.ts';
import { flagsOf } from '../../packages/server/src/archive/records.ts';
import {
  assertCells,
  type Cell,
  type CellColumns,
  cellsOfColumns,
  cellsOfCsv,
  cellsOfJson,
  plainCells,
} from '../../packages/server/test/aggregate-cells.ts';
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
  const fitting = aggregates.filter((each) => !hasTexts || isOfTexts(each)) as [Aggregate, ...Aggregate[]];
  const picked = Array.from({ length: random.pick([1, 1, 1, 3]) }, () => random.pick(fitting));
  return { ...request, warpHead, limit, resampleUs, aggregates: [...new Set(picked)] };
}

/** What the arrays have to answer it from, and until when. Nothing is foretold of what comes after `nowUs`. */
function knownOf(series: NamedArrays, request: ArrayRead, cutOffUs: number, nowUs: number) {
  const { sinceUs, resampleUs, maxPoints: _, ...rest } = request;
  const untilUs = resampleUs === undefined ? request.untilUs : Math.min(request.untilUs, nowUs + 1);
  // Of before 2000 nothing is in force at a time before which others have expired.
  const isTold = cutOffUs === 0 || sinceUs < oldestPlausibleUs;
  const shown = series.shown(cutOffUs).filter(({ time }) => isTold || time >= oldestPlausibleUs);
  return { shown, request: { ...rest, sinceUs, untilUs, resampleUs } };
}

function answerOf(series: NamedArrays, asking: ArrayRead, cutOffUs: number, nowUs: number): PlainRecord[] {
  const { shown, request } = knownOf(series, asking, cutOffUs, nowUs);
  return asked(shown, request);
}

/** The values of aggregates. */
export function cellsOf(series: NamedArrays, asking: ArrayRead, cutOffUs: number, nowUs: number): Cell[] {
  const { shown, request } = knownOf(series, asking, cutOffUs, nowUs);
  return plainCells(shown, request, request.aggregates ?? []);
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
  if (request.aggregates !== undefined) {
    await checkAggregates(series, request, request.aggregates, server, beforeUs);
    return;
  }
  const found = await (request.form === 'binary' ? readColumns(url, request) : readText(url, series, request));
  const moments = [beforeUs, server.nowUs];
  for (const each of series) {
    const given = found.get(each.name) ?? [];
    const answers = moments.map((moment) => answerOf(each, request, server.cutOffOf(each), moment));
    const write = request.form === 'json' ? (record: PlainRecord) => each.written(record) : plainText(request.kind);
    const what = () => `${each.name}: ${JSON.stringify(request)}`;
    if (request.maxPoints !== undefined) assertThinned(given, answers[0] as PlainRecord[], request.maxPoints, write);
    else {
      const [first = [], second = []] = answers.map((answer) => answer.map(write));
      const isSecond = String(given) === String(second);
      assert.deepEqual(given.map(shortened), (isSecond ? second : first).map(shortened), what());
    }
  }
}

export const shortened = (text: string) =>
  text.length > 200 ? `${text.slice(0, 80)}…${text.slice(-100)} (${text.length})` : text;

/** How long a value has been in force by now would change while it is asked: they end with what has passed. */
async function checkAggregates(
  series: readonly NamedArrays[],
  asking: ArrayRead,
  some: readonly Aggregate[],
  server: Asked,
  nowUs: number,
): Promise<void> {
  const untilUs = Math.min(asking.untilUs, nowUs);
  const request = { ...asking, sinceUs: Math.min(asking.sinceUs, untilUs), untilUs };
  const found = await readCells(server.process.url, request, some);
  for (const each of series) {
    const wanted = cellsOf(each, request, server.cutOffOf(each), nowUs);
    assertCells(found.get(each.name) ?? [], wanted, `${each.name}: ${JSON.stringify(request)}`);
  }
}

async function readCells(url: string, request: ArrayRead, some: readonly Aggregate[]): Promise<Map<string, Cell[]>> {
  if (request.form === 'csv') return cellsOfCsv(await fetchText(url, request), some);
  if (request.form === 'json') {
    const lists = JSON.parse(await fetchText(url, request)) as Record<string, unknown[]>;
    return new Map(Object.entries(lists).map(([name, list]) => [name, cellsOfJson(list, some)]));
  }
  const cells = new Map<string, Cell[]>();
  for await (const frame of columnsOf(url, request)) {
    const found = cellsOfColumns(frame as CellColumns, some, request.kind === 'measurements');
    cells.getOrInsertComputed(frame.name, () => []).push(...found);
  }
  return cells;
}

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
  const text = await fetchText(url, request);
  if (request.form === 'csv') return csvLists(text);
  const lists = JSON.parse(text) as Record<string, unknown[]>;
  assert.deepEqual(
    Object.keys(lists),
    series.map(({ name }) => name),
  );
  return new Map(Object.entries(lists).map(([name, list]) => [name, list.map((record) => JSON.stringify(record))]));
}

async function fetchText(url: string, request: ArrayRead): Promise<string> {
  const { kind, names, sinceUs, untilUs, form } = request;
  const query = queryOf(request);
  const [since, until] = [secondsOf(sinceUs), secondsOf(untilUs)];
  let path = `${kind}/${names[0]}/${since}/${until}?${query}`;
  if (names.length > 1) path = `${kind}/?names=${names}&t_since=${since}&t_until=${until}&${query}`;
  const accept = form === 'csv' ? 'text/csv' : 'application/json';
  const response = await fetch(`${url}/data/archive/${path}`, { headers: { accept } });
  const text = await response.text();
  assert.equal(response.status, 200, `${path}: ${text.slice(0, 400)}`);
  return text;
}

function queryOf(request: ArrayRead): URLSearchParams {
  const { warpHead, limit, maxPoints, resampleUs, aggregates: some, simulated } = request;
  const query = new URLSearchParams(some === undefined ? { flags: '1' } : {});
  if (simulated !== undefined) query.set('simulated', simulated);
  if (warpHead) query.set('warp_head', '1');
  if (limit !== undefined) query.set('limit', String(limit));
  if (maxPoints !== undefined) query.set('max-points', String(maxPoints));
  if (resampleUs !== undefined) query.set('resample', secondsOf(resampleUs));
  if (some !== undefined) query.set('aggregate', some.join(','));
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

function columnsOf(url: string, request: ArrayRead): AsyncIterable<ArchiveColumns> {
  const {
    kind,
    names,
    sinceUs,
    untilUs,
    resampleUs,
    limit,
    maxPoints,
    aggregates: some,
    warpHead,
    simulated,
  } = request;
  const options = {
    names: [...names],
    since: momentOf(sinceUs),
    until: momentOf(untilUs),
    ...(resampleUs !== undefined && { resampleS: resampleUs / 1e6 }),
    limit,
    maxPoints,
    aggregates: some,
    warpHead,
    simulated,
    ...(some === undefined && { flags: true }),
  };
  return new TelltaleClient({ url }).archive.columns(kind, options);
}

async function readColumns(url: string, request: ArrayRead): Promise<Map<string, string[]>> {
  const { kind } = request;
  const lists = new Map<string, string[]>();
  for await (const { name, datatype, times, values, qualities, flags = [] } of columnsOf(url, request)) {
    const list = lists.getOrInsertComputed(name, () => []);
    for (const [at, time] of times.entries()) {
      const value = datatype === 'b' ? values[at] === 1 : (values[at] as Value);
      list.push(`${time} ${formatText(datatype, value)} ${kind === 'commands' ? '' : qualities[at]} ${flags[at]}`);
    }
  }
  return lists;
}
