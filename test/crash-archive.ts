// One archive that is written, cut off and looked at again and again: whatever was acknowledged must be there, and
// nothing that nobody wrote.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import * as world from './archive-world.ts';

const writerFile = fileURLToPath(new URL('archive-writer.ts', import.meta.url));

interface Change {
  readonly series: number;
  readonly from: number;
  readonly to: number;
  isAcknowledged: boolean;
}

export class ArchiveCrashes {
  readonly #folder: string;
  /** Rounds before this are on disk. */
  #stored = 0;
  /** Rounds from this on were never begun. */
  #begun = 0;
  readonly #erasures: Change[] = [];
  readonly #replacements: Change[] = [];
  /** How long it took until the archive could be read again. */
  readonly readyMs: number[] = [];
  /** Of readers beside the writer, each of them right. */
  answers = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Records that the archive has acknowledged. */
  get stored(): number {
    return this.#stored * world.seriesCount;
  }

  /** Writes for so long once it is ready, and until readers beside it had so many answers, then kills the writer. */
  async writeAndKill(afterMs: number, answers = 0, env: Record<string, string> = {}): Promise<void> {
    const child = spawn(process.execPath, [writerFile, this.#folder, String(this.#begun)], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...env },
    });
    const ended = once(child, 'exit');
    const complaint = text(child.stderr);
    let [isKilled, isDue] = [false, false];
    const enough = this.answers + answers;
    const killOnceDue = () => {
      if (isDue && this.answers >= enough && !isKilled) isKilled = child.kill('SIGKILL');
    };
    try {
      for await (const line of createInterface({ input: child.stdout })) {
        const [word = '', ...numbers] = line.split(' ');
        if (word === 'ready') {
          setTimeout(() => {
            isDue = true;
            killOnceDue();
          }, afterMs);
        } else this.#note(word, numbers.map(Number));
        killOnceDue();
      }
    } finally {
      child.kill('SIGKILL');
      await ended;
    }
    assert.ok(isKilled, `the writer ended by itself (${await ended}): ${await complaint}`);
  }

  /** Looks at the rounds from one on. The next run goes on behind all that is there. */
  async check(fromRound = 0): Promise<void> {
    const start = performance.now();
    const archive = world.makeArchive(this.#folder);
    try {
      await archive.open();
      await world.readSeries(archive, 0, Number.MAX_SAFE_INTEGER / 1e6);
      this.readyMs.push(performance.now() - start);
      let begun = this.#begun;
      for (let series = 0; series < world.seriesCount; series++) {
        const found = await world.readSeries(archive, series, fromRound);
        begun = Math.max(begun, this.#checkSeries(series, fromRound, found));
      }
      this.#begun = begun;
      this.#settle();
    } finally {
      await archive.close(5000);
    }
  }

  /** Rounds before this were acknowledged. */
  get lastStored(): number {
    return this.#stored;
  }

  #note(word: string, [first = 0, from = 0, to = from + 1]: readonly number[]): void {
    if (word === 'stored') this.#stored = first;
    else if (word === 'answered') this.answers++;
    else if (word === 'erasing') this.#erasures.push({ series: first, from, to, isAcknowledged: false });
    else if (word === 'replacing') this.#replacements.push({ series: first, from, to, isAcknowledged: false });
    else {
      const last = (word === 'erased' ? this.#erasures : this.#replacements).at(-1);
      if (last !== undefined) last.isAcknowledged = true;
    }
  }

  /** Returns the round after the last that is there. */
  #checkSeries(series: number, fromRound: number, found: readonly world.FoundRecord[]): number {
    const there = new Map<number, string>();
    let last = -1;
    for (const [value, time, quality] of found) {
      const round = world.roundOf(series, time);
      assert.ok(round > last, `series ${series} has a record at ${time} that nobody wrote, or twice, or out of order`);
      assert.equal(quality, 0xc0);
      there.set(round, value);
      last = round;
    }
    const isAny = (changes: readonly Change[], round: number, isAcknowledged?: boolean) =>
      changes.some(
        (each) =>
          each.series === series &&
          round >= each.from &&
          round < each.to &&
          (isAcknowledged === undefined || each.isAcknowledged === isAcknowledged),
      );
    for (let round = fromRound; round <= Math.max(last, this.#stored - 1); round++) {
      const value = there.get(round);
      const where = `series ${series}, round ${round}`;
      if (isAny(this.#erasures, round, true)) assert.equal(value, undefined, `${where} was erased`);
      else if (isAny(this.#erasures, round)) continue;
      else if (isAny(this.#replacements, round, true)) assert.equal(value, world.textAt(series, round, 1), where);
      else if (value === undefined) assert.ok(round >= this.#stored || this.#isGap(round), `${where} is lost`);
      else if (value !== world.textAt(series, round)) {
        assert.ok(isAny(this.#replacements, round) && value === world.textAt(series, round, 1), `${where}: ${value}`);
      }
    }
    return last + 1;
  }

  /** Rounds that were begun before a kill and never acknowledged. */
  readonly #gaps: { readonly from: number; readonly to: number }[] = [];

  #isGap(round: number): boolean {
    return this.#gaps.some(({ from, to }) => round >= from && round < to);
  }

  #settle(): void {
    this.#gaps.push({ from: this.#stored, to: this.#begun });
  }
}
