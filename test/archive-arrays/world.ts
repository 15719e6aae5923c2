// An archive that is driven by random steps and held against plain arrays after each: imports, corrections, erasures, reads,
// compacting, restarts, kills in the middle, clocks that are wrong, retention by age and by size.
import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import type { Datatype } from '@telltale/schema';
import type { Scope } from '@telltale/stack-kit/testing/cleanup';
import type { SeededRandom } from '../seeded-random.ts';
import { ArrayComparison } from './comparison.ts';
import { type ArrayRecord, NamedArrays } from './named-arrays.ts';
import { type ArrayRead, checkRead, randomRead } from './reads.ts';
import { ArrayRecords, dayUs, statesOf } from './records.ts';
import { ArrayServer, type ArrayServerOptions } from './server.ts';

/** An import or an erasure that a kill may cut off: one of some states comes of it. */
interface Attempt {
  readonly series: NamedArrays;
  readonly done: Promise<void>;
  readonly states: (found: readonly string[]) => readonly NamedArrays[];
}

export class ArrayWorld {
  /** For who looks at a failure. */
  readonly steps: string[] = [];
  readonly #random: SeededRandom;
  readonly #records: ArrayRecords;
  readonly #server: ArrayServer;
  readonly #comparison: ArrayComparison;
  readonly #changing = new NamedArrays('measurements', 'changing', 'i');
  readonly #fat = new NamedArrays('measurements', 'fat', 's');
  /** All but the fat one. */
  readonly #small: readonly [NamedArrays, ...NamedArrays[]];
  readonly #series: readonly [NamedArrays, ...NamedArrays[]];
  readonly #retentions: readonly [number, ...number[]];
  #wasAhead = false;

  constructor(scope: Scope, random: SeededRandom, options: ArrayServerOptions) {
    this.#random = random;
    this.#records = new ArrayRecords(random);
    this.#small = [
      this.#changing,
      new NamedArrays('measurements', 'short_lived', 'd'),
      new NamedArrays('measurements', '__proto__', 'q'),
      new NamedArrays('commands', 'wish', 'd'),
      ...(['d', 'i', 'l', 'b', 'f', 's'] as const).map((datatype) => {
        return new NamedArrays('measurements', `of_${datatype}`, datatype);
      }),
    ];
    this.#series = [...this.#small, ...(options.isLimitedBySize ? [this.#fat] : [])];
    this.#server = new ArrayServer(scope, options, this.#records.retentions([6, 5, 4])[0]);
    this.#retentions = this.#records.retentions([33, 28, 23, 18, 13, 10]);
    [this.#server.retentionHours] = this.#retentions;
    this.#comparison = new ArrayComparison(this.#server, this.#series);
  }

  /** How often the limit of size has deleted something. */
  get deletions(): number {
    return this.#comparison.deletions;
  }

  async begin(): Promise<void> {
    await this.#server.start();
    await this.#server.configure(this.#series);
    for (const datatype of ['i', 'd'] as const) {
      await this.#setDatatype(datatype);
      await this.#import(this.#changing, this.#records.some(this.#changing, 1));
    }
    if (this.#server.options.isLimitedBySize) await this.#fill();
    await this.#comparison.sync();
  }

  async step(): Promise<void> {
    const { isLimitedBySize, library } = this.#server.options;
    const which = this.#random.weighted({
      import: 7,
      // Deleting by size is of interest where weeks are in several blocks: with many restarts and few merges.
      fatImport: isLimitedBySize ? 8 : 0,
      denseImport: 1,
      badImport: 1,
      readBeside: 2,
      erase: 2,
      read: isLimitedBySize ? 5 : 10,
      compact: isLimitedBySize ? 0.3 : 1,
      compactBeside: isLimitedBySize ? 0.3 : 1,
      setDatatype: 1,
      restart: isLimitedBySize ? 3 : 1,
      kill: 1,
      killBeside: 2,
      wrongClock: library === undefined ? 0 : 4,
    });
    await this.#carryOut(which);
    if (which !== 'read') await this.#comparison.sync();
  }

  /** Everything is compared once more, after a restart, a check of all files and compacting. */
  async end(): Promise<void> {
    await this.#restart('SIGTERM');
    await this.#server.care('check');
    await this.#compact();
    assert.deepEqual((await this.#server.stats()).damages, []);
    await this.#server.end();
  }

  async #carryOut(which: string): Promise<void> {
    this.steps.push(which);
    if (which === 'import') await this.#importSome();
    else if (which === 'fatImport') await this.#importFat();
    else if (which === 'denseImport') await this.#importDense();
    else if (which === 'badImport') await this.#importBad();
    else if (which === 'readBeside') await this.#readBeside();
    else if (which === 'erase') await this.#eraseSome();
    else if (which === 'read') await this.#read();
    else if (which === 'compact') await this.#compact();
    else if (which === 'compactBeside') await this.#compactBeside();
    else if (which === 'setDatatype') await this.#setDatatype(this.#random.pick(['i', 'd']));
    else if (which === 'wrongClock') await this.#wrongClock();
    else if (which === 'killBeside') await this.#killBeside();
    else await this.#restart(which === 'kill' ? 'SIGKILL' : 'SIGTERM');
  }

  async #setDatatype(datatype: Datatype): Promise<void> {
    this.#changing.datatype = datatype;
    await this.#server.configure([this.#changing]);
  }

  async #import(series: NamedArrays, records: readonly ArrayRecord[]): Promise<void> {
    await this.#server.import(series, records, this.#random.pick(['csv', 'json']));
    series.import(records);
  }

  async #importSome(): Promise<void> {
    const names = new Set(Array.from({ length: 4 }, () => this.#random.pick(this.#small)));
    await Promise.all(
      Array.from(names, (series) => this.#import(series, this.#records.some(series, this.#random.between(1, 30)))),
    );
  }

  async #importFat(): Promise<void> {
    const records = this.#records.fat();
    this.#comparison.noteTexts(records);
    await this.#import(this.#fat, records);
  }

  /** To more than the limit, with several blocks of each week. */
  async #fill(): Promise<void> {
    for (let times = 1; times <= 7; times++) {
      await this.#importFat();
      await this.#importSome();
      if (times === 3 || times === 5) await this.#restart('SIGTERM');
    }
  }

  async #importDense(): Promise<void> {
    const series = this.#random.pick(this.#small);
    await this.#import(series, this.#records.dense(series));
  }

  /** Those before the one that cannot be taken are kept. */
  async #importBad(): Promise<void> {
    const series = this.#random.pick(this.#small);
    const records = this.#records.some(series, this.#random.between(0, 5));
    const texts = [...records.map((record) => series.written(record)), '["?", [1, 0], 192]'];
    const answer = await this.#server.post(series, 'json', `[${texts.join()}]`);
    assert.equal(answer.status, 400, await answer.text());
    series.import(records);
  }

  async #eraseSome(): Promise<void> {
    for (let times = this.#random.between(1, 3); times > 0; times--) {
      const series = this.#random.pick(this.#small);
      const [sinceUs, untilUs] = this.#records.interval();
      await this.#server.erase(series, sinceUs, untilUs);
      series.erase(sinceUs, untilUs);
    }
  }

  async #read(): Promise<void> {
    for (let reads = this.#random.between(8, 20); reads > 0; reads--) {
      const first = this.#random.pick(this.#series);
      const others = this.#small.filter((each) => each.kind === first.kind && each !== first);
      const count = first !== this.#fat && this.#random.chance(0.3) ? this.#random.between(1, 3) : 0;
      const series = [first, ...others.slice(0, count)] as const;
      await this.#readOne(series, randomRead(this.#random, [...series], this.#records.times));
    }
  }

  async #readOne(series: readonly NamedArrays[], request: ArrayRead): Promise<void> {
    for (let tries = 0; ; tries++) {
      try {
        await checkRead(series, request, this.#server);
        return;
      } catch (error) {
        // The limit of size may have deleted something since it was last looked at.
        const isDeleting = this.#server.options.isLimitedBySize === true && tries < 5;
        if (!isDeleting || (await this.#comparison.sync()) === 0) throw error;
      }
    }
  }

  /** A read beside an import shows the records before some place in it. */
  async #readBeside(): Promise<void> {
    const series = this.#random.pick(this.#small);
    const records = this.#records.some(series, this.#random.between(1, 12));
    const before = series.copy();
    const importing = this.#import(series, records);
    try {
      for (let reads = 0; reads < 2; reads++) {
        const found = await this.#server.whole(series);
        const isOne = statesOf(before, records, found).some((state) => this.#comparison.missing(state, found));
        assert.ok(isOne, `${series.name}: what was read beside an import is none of its states`);
      }
    } finally {
      await importing;
    }
  }

  async #compact(): Promise<void> {
    await this.#server.care('compact');
    await this.#comparison.settle();
    this.#comparison.compacted(this.#fat);
  }

  async #compactBeside(): Promise<void> {
    const compacting = this.#server.care('compact');
    try {
      for (let step = this.#random.between(1, 4); step > 0; step--) {
        await this.#carryOut(this.#random.weighted({ read: 3, import: 3, erase: 1 }));
      }
    } finally {
      await compacting;
    }
  }

  async #restart(signal: NodeJS.Signals, cutOff: readonly Attempt[] = []): Promise<void> {
    await this.#server.end(signal);
    if (this.#random.chance(0.3)) this.#server.retentionHours = this.#random.pick(this.#retentions);
    await this.#server.start();
    for (const each of cutOff) await this.#resolve(each);
    await this.#comparison.settle();
  }

  /** Imports and erasures of some names, cut off by a kill. */
  async #killBeside(): Promise<void> {
    const names = new Set(Array.from({ length: this.#random.between(1, 3) }, () => this.#random.pick(this.#small)));
    if (this.#random.chance(0.3)) this.#server.care('compact').catch(() => undefined);
    const attempts = Array.from(names, (series) => this.#attempt(series));
    const outcomes = Promise.allSettled(attempts.map(({ done }) => done));
    await wait(this.#random.between(0, 40));
    await this.#server.end('SIGKILL');
    const settled = await outcomes;
    for (const outcome of settled) {
      if (outcome.status === 'rejected' && outcome.reason instanceof assert.AssertionError) throw outcome.reason;
    }
    await this.#restart(
      'SIGKILL',
      attempts.filter((_, at) => settled[at]?.status === 'rejected'),
    );
  }

  /** Where it is cut off it has happened, or has not, or up to some record. */
  #attempt(series: NamedArrays): Attempt {
    const [before, after] = [series.copy(), series.copy()];
    if (this.#random.chance(0.3)) {
      const [sinceUs, untilUs] = this.#records.interval();
      after.erase(sinceUs, untilUs);
      const done = this.#server.erase(series, sinceUs, untilUs).then(() => series.become(after));
      return { series, done, states: () => [after, before] };
    }
    const isDense = series.datatype === 'd' && this.#random.chance(0.5);
    const records = isDense ? this.#records.dense(series) : this.#records.some(series, this.#random.between(1, 30));
    return { series, done: this.#import(series, records), states: (found) => statesOf(before, records, found) };
  }

  /** Which of the states it is now. */
  async #resolve({ series, states }: Attempt): Promise<void> {
    const found = await this.#server.whole(series);
    const missingOf = (state: NamedArrays) =>
      this.#comparison.missing(state, found)?.length ?? Number.POSITIVE_INFINITY;
    const [best] = states(found).toSorted((a, b) => missingOf(a) - missingOf(b));
    assert.ok(
      best && missingOf(best) < Number.POSITIVE_INFINITY,
      `${series.name} has none of its states after the kill`,
    );
    series.become(best);
  }

  /** A start with the clock behind (no battery), or ahead; it is set right by the next start, or while the server runs. */
  async #wrongClock(): Promise<void> {
    // Twice ahead, records that came the first time would make the clock credible.
    const isAhead = !this.#wasAhead && this.#random.chance(0.2);
    this.#wasAhead ||= isAhead;
    const behindUs = this.#random.pick([this.#server.nowUs - 5000 * 1e6, 400 * dayUs, 3 * dayUs]);
    this.#server.offsetUs = isAhead ? 100 * dayUs : -Math.floor(behindUs / 1e6) * 1e6;
    this.steps.push(`by ${this.#server.offsetUs / 1e6}`);
    await this.#restart(this.#random.pick(['SIGTERM', 'SIGKILL']));
    await this.#importSome();
    for (let step = this.#random.between(0, 4); step > 0; step--) {
      await this.#carryOut(this.#random.weighted({ import: 2, denseImport: 1, erase: 2, read: 1, compact: 2 }));
      await this.#comparison.sync();
    }
    if (this.#random.chance(0.5)) await this.#compact();
    this.#server.offsetUs = 0;
    if (this.#random.chance(0.5)) this.#server.setTimeOfDay();
    await this.#restart(this.#random.pick(['SIGTERM', 'SIGKILL']));
  }
}
