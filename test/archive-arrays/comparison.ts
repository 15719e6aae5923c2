// Compares what the server shows with the arrays, and learns what a retention or the limit of size has deleted: no other
// record may be missing, and none that was replaced or erased may be there.
import assert from 'node:assert/strict';
import { until } from '../until.ts';
import { type ArrayRecord, assertOldest, isExpired, missingIn, type NamedArrays, weekUs } from './named-arrays.ts';
import { shortened } from './reads.ts';
import { type ArrayServer, maxBytes } from './server.ts';

/** Beside the texts: heads, columns, small series. */
const overheadBytes = 2 ** 20;
/** The head of a journal without records. */
const emptyJournalBytes = 100;

export class ArrayComparison {
  /** How often the limit of size has deleted something. */
  deletions = 0;
  readonly #server: ArrayServer;
  readonly #series: readonly NamedArrays[];
  readonly #beganUs = Date.now() * 1000;
  /** The fat texts that may still be on disk, replaced ones included. */
  #texts: { readonly time: number; readonly bytes: number; isInJournal: boolean }[] = [];

  constructor(server: ArrayServer, series: readonly NamedArrays[]) {
    this.#server = server;
    this.#series = series;
  }

  noteTexts(records: readonly ArrayRecord[]): void {
    for (const { time, value } of records) this.#texts.push({ time, bytes: String(value).length, isInJournal: true });
  }

  /** What has expired by a clock that can be trusted may be deleted at any time. */
  age(): void {
    if (this.#server.offsetUs > 0) return;
    for (const series of this.#series) {
      const cutOffUs = this.#server.cutOffOf(series);
      for (const record of series.shown(0)) if (isExpired(record.time, cutOffUs)) record.mayBeGone = true;
    }
  }

  /** Records that are not there and may be gone; undefined where something else is not as it has to be. */
  missing(series: NamedArrays, found: readonly string[]): ArrayRecord[] | undefined {
    const missing = missingIn(found, series.shown(this.#server.cutOffOf(series)), series);
    const mayBeGone = (record: ArrayRecord) => record.mayBeGone || this.#server.options.isLimitedBySize === true;
    return missing?.every(mayBeGone) ? missing : undefined;
  }

  /** Compares everything. Resolves with how many records are gone since the last time. */
  async sync(): Promise<number> {
    for (let before = -1; ; ) {
      const missing = await this.#compare();
      const gone = [...missing.values()].flat();
      // One that is deleted while others are read is gone from all of them the next time.
      if (gone.length > 0 && gone.length !== before) {
        before = gone.length;
        continue;
      }
      for (const [series, records] of missing) series.remove(new Set(records));
      const bySize = gone.filter(({ mayBeGone }) => !mayBeGone);
      const left = this.#series.flatMap((series) => series.shown(0));
      assertOldest(
        bySize,
        left.filter(({ mayBeGone }) => !mayBeGone),
        this.#beganUs,
      );
      if (bySize.length > 0) this.#checkNeed(Math.max(...bySize.map(({ time }) => time)));
      return gone.length;
    }
  }

  /** Waits until everything is in blocks, and compares it. */
  async settle(): Promise<void> {
    const stats = () => this.#server.stats();
    await until('everything is in blocks', async () => (await stats())['journal-bytes'] < emptyJournalBytes);
    if (this.#server.options.isLimitedBySize) {
      await until('the archive is small enough', async () => (await stats()).bytes <= maxBytes);
    }
    await this.sync();
    for (const series of this.#series) for (const record of series.shown(0)) record.came = 0;
    for (const text of this.#texts) text.isInJournal = false;
  }

  /** Of texts at the same time only the last one is left. */
  compacted(fat: NamedArrays): void {
    const left = new Set(fat.shown(0).map(({ time }) => time));
    this.#texts = this.#texts.filter(({ time }) => left.delete(time));
  }

  async #compare(): Promise<Map<NamedArrays, ArrayRecord[]>> {
    const missing = new Map<NamedArrays, ArrayRecord[]>();
    for (const series of this.#series) {
      const found = await this.#server.whole(series);
      this.age();
      const ofSeries = this.missing(series, found);
      if (ofSeries === undefined) {
        const expected = series.shown(this.#server.cutOffOf(series));
        assert.deepEqual(
          found.map(shortened),
          expected.map((record) => shortened(series.written(record))),
          series.name,
        );
      } else if (ofSeries.length > 0) missing.set(series, ofSeries);
    }
    return missing;
  }

  /** No more is gone than the oldest week that had to go. */
  #checkNeed(lastUs: number): void {
    const fromUs = Math.floor(lastUs / weekUs) * weekUs;
    const left = this.#texts.filter(({ time, isInJournal }) => isInJournal || time >= fromUs);
    const bytes = left.reduce((sum, each) => sum + each.bytes, overheadBytes);
    assert.ok(bytes > maxBytes, `${bytes} bytes are not too many, and what is up to ${lastUs} is gone`);
    this.deletions++;
  }
}
