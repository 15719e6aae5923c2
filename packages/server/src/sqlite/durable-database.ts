// A database whose completeness is proved: each commit counts, and leaves its count and the checksums of all rows in the
// file and a claim beside it. The log is moved into the file soon after a commit. What is missing when it is opened, or
// not as it was written, is reported until somebody acknowledges it.
import { statSync } from 'node:fs';
import { basename } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { systemClock } from '@telltale/schema/values';
import { ControlFile, controlPath } from './control-file.ts';
import { evidenceOf } from './evidence.ts';
import {
  cannotOpen,
  type DatabaseForm,
  hasContent,
  isDamage,
  openDatabase,
  UnusableDatabase,
} from './open-database.ts';
import { RowChecksums, type Sums } from './row-checksums.ts';

export interface DurableForm extends DatabaseForm {
  /** Whether to create a new file, and report it, where the file is gone; else opening fails. */
  readonly mayBeGone: boolean;
  /** What it means to the plant that changes are missing. */
  readonly meaning: string;
  /** Between a commit and its checkpoint, which all commits of that time share; a second where it is not said. */
  readonly checkpointMs?: number;
}

interface Progress {
  readonly sequence: number;
  readonly sums: Sums;
}

const usualCheckpointMs = 1000;
/** Of the report: as much as a claim has room for, however long the names. The oldest go first. */
const mostStatements = 3;
const mostBytes = 800;

export class DurableDatabase {
  readonly #path: string;
  readonly #identity: string;
  readonly #control: ControlFile;
  readonly #stored: Progress | undefined;
  readonly #checkpointMs: number;
  readonly #meaning: string;
  readonly sqlite: DatabaseSync;
  #save: StatementSync | undefined;
  #checksums = new RowChecksums();
  #sequence: number;
  #missing: readonly string[];
  #isClaimed = true;
  #timer: NodeJS.Timeout | undefined;
  #evidence: string | undefined;

  /** Throws `UnusableDatabase`. The caller reads all rows and calls `verify` before the first change. */
  constructor(path: string, form: DurableForm) {
    this.#path = path;
    this.#checkpointMs = form.checkpointMs ?? usualCheckpointMs;
    this.#meaning = form.meaning;
    this.#control = openControl(path);
    const { sequence = 0, missing = [] } = this.#control.found ?? {};
    if (sequence > 0 && !hasContent(path)) this.#refuseGone(form.mayBeGone);
    this.sqlite = openDatabase(path, form);
    this.#identity = identityOf(path);
    try {
      this.#stored = readProgress(this.sqlite);
    } catch (error) {
      throw this.refuse(error);
    }
    this.#sequence = Math.max(sequence, this.#stored?.sequence ?? 0);
    this.#missing = missing;
  }

  /** What is there. Changed inside `transaction` alone, where it is put back if that fails. */
  get checksums(): RowChecksums {
    return this.#checksums;
  }

  /** What was acknowledged once and was not found when the file was opened, a sentence each. */
  get missing(): readonly string[] {
    return this.#missing;
  }

  /** How many commits there were; a file that replaces another one continues its count. */
  get sequence(): number {
    return this.#sequence;
  }

  set sequence(sequence: number) {
    this.#sequence = sequence;
  }

  /** Whether commits are missing, and with them what the part had. */
  hasLost(part: string): boolean {
    return this.#lost > 0 && (this.#control.found?.rows[part] ?? 0) > 0;
  }

  /** Compares with what was written; differences are copied and reported. `repair` removes what `found` lists. */
  verify(read: RowChecksums, found: readonly string[] = [], repair: () => void = () => undefined): void {
    this.#checksums = read;
    const statements = [...this.#statements(read), ...found];
    if (statements.length > 0) this.#report(statements, repair);
    else if (this.#control.found?.sequence !== this.#sequence) this.#claim();
    this.#sync();
  }

  /** Somebody knows what is missing. Throws the system's error: then it is still reported. */
  acknowledge(): void {
    this.#control.claim({ ...this.#present(), missing: [] });
    this.#control.sync();
    this.#missing = [];
  }

  /** All of `work` or nothing. On disk when it returns; when it throws, file and checksums are as before. */
  transaction<Result>(work: () => Result): Result {
    this.#refuseStranger();
    const before = this.#checksums.sums;
    this.sqlite.exec('BEGIN IMMEDIATE');
    let result: Result;
    try {
      result = work();
      this.#saveProgress();
      this.sqlite.exec('COMMIT');
    } catch (error) {
      this.#checksums = new RowChecksums(before);
      this.#save = undefined; // its table may be gone with the transaction
      if (this.sqlite.isTransaction) this.sqlite.exec('ROLLBACK');
      throw error;
    }
    this.#sequence++;
    this.#claim();
    this.#checkpointSoon();
    return result;
  }

  /** Moves the write-ahead log into the file and closes it, so that the file alone is the database. */
  close(): void {
    clearTimeout(this.#timer);
    this.sqlite.close();
    this.#sync();
    this.#control.close();
  }

  /** Closes a file whose rows cannot be read; the copies are made before SQLite moves the log. */
  refuse(error: unknown): UnusableDatabase {
    if (hasContent(`${this.#path}-wal`)) this.#preserveEvidence();
    this.sqlite.close();
    this.#control.close();
    return cannotOpen(this.#path, error);
  }

  #refuseGone(mayBeGone: boolean): void {
    if (mayBeGone) {
      this.#preserveEvidence(); // a log without its file is removed by SQLite
      return;
    }
    throw new UnusableDatabase(
      `${this.#path} is missing or empty, but had ${this.#described()}: put it back, or a copy of it. ` +
        `To begin without it, move ${controlPath(this.#path)} away, too.`,
    );
  }

  /** Once: as the files were found. */
  #preserveEvidence(): string {
    this.#evidence ??= evidenceOf(this.#path);
    return this.#evidence;
  }

  /** How many commits were acknowledged and are not there. */
  get #lost(): number {
    return Math.max(0, (this.#control.found?.sequence ?? 0) - (this.#stored?.sequence ?? 0));
  }

  #described(): string {
    const { sequence = 0, timeMs = 0, rows = {} } = this.#control.found ?? {};
    const parts = Object.entries(rows)
      .filter(([, count]) => count > 0)
      .map(([part, count]) => `${part} ${count}`);
    const changes = sequence === 1 ? 'change' : 'changes';
    return `${sequence} ${changes}, the last at ${new Date(timeMs).toISOString()} (${parts.join(', ') || 'nothing'})`;
  }

  #statements(read: RowChecksums): string[] {
    const name = basename(this.#path);
    const { found, existed } = this.#control;
    const sequence = this.#stored?.sequence ?? 0;
    const statements: string[] = [];
    if (found === undefined && (existed || sequence > 0)) {
      const what = existed ? 'is damaged' : 'is gone';
      statements.push(`${basename(controlPath(name))} ${what}: whether ${name} lacks anything is unknown`);
    } else if (this.#lost > 0) {
      const has = Object.entries(read.rows).map(([part, count]) => `${part} ${count}`);
      statements.push(
        `${name} lacks the last ${this.#lost} of ${this.#described()}: ${this.#meaning}. It has ${has.join(', ') || 'nothing'}`,
      );
    }
    if (this.#stored !== undefined) {
      for (const { part, here, there } of read.differences(new RowChecksums(this.#stored.sums))) {
        const what =
          here === there
            ? `some of ${here} are not as they were stored`
            : `${here} are there, and ${there} were stored`;
        statements.push(`${name}, ${part}: ${what}`);
      }
    }
    return statements;
  }

  #report(statements: readonly string[], repair: () => void): void {
    const statement = `${cutTo(mostBytes, statements.join('; '))} (${this.#preserveEvidence()})`;
    this.#missing = [...this.#missing, statement].slice(-mostStatements);
    this.#claim();
    try {
      this.transaction(repair); // from now on, what is there counts
    } catch (error) {
      if (isDamage(error)) throw error;
      // The disk takes nothing: the next start finds and reports it again.
    }
  }

  /** Nothing is acknowledged that goes to a deleted file. */
  #refuseStranger(): void {
    if (identityOf(this.#path) === this.#identity) return;
    throw new Error(`${this.#path} was removed or replaced while the server runs; put it back, or restart the server`);
  }

  #saveProgress(): void {
    if (this.#save === undefined) {
      this.sqlite.exec(progressTable);
      this.#save = this.sqlite.prepare('REPLACE INTO progress VALUES (1, ?, ?)');
    }
    this.#save.run(this.#sequence + 1, JSON.stringify(this.#checksums.sums));
  }

  #present() {
    return {
      sequence: this.#sequence,
      timeMs: systemClock.now() / 1000,
      rows: this.#checksums.rows,
      missing: this.#missing,
    };
  }

  /** The commit is on disk in any case: a claim that cannot be written is written with the next one, or the checkpoint. */
  #claim(): void {
    try {
      this.#control.claim(this.#present());
      this.#isClaimed = true;
    } catch {
      this.#isClaimed = false;
    }
  }

  #sync(): void {
    if (!this.#isClaimed) this.#claim();
    try {
      this.#control.sync();
    } catch {
      this.#isClaimed = false;
    }
  }

  #checkpointSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      try {
        this.sqlite.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      } catch {
        this.#checkpointSoon(); // a full disk: the log has everything, and stays
      }
      this.#sync();
    }, this.#checkpointMs).unref();
  }
}

const progressTable = `CREATE TABLE IF NOT EXISTS progress (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  sequence INTEGER NOT NULL,
  sums TEXT NOT NULL
) STRICT`;

function readProgress(sqlite: DatabaseSync): Progress | undefined {
  if (sqlite.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'progress'").get() === undefined) return undefined;
  const row = sqlite.prepare('SELECT sequence, sums FROM progress').get();
  if (row === undefined) return undefined;
  return { sequence: row.sequence as number, sums: readSums(row.sums as string) };
}

/** Of a text that is damaged, none: then every part differs. */
function readSums(text: string): Sums {
  try {
    return JSON.parse(text) as Sums;
  } catch {
    return {};
  }
}

function openControl(path: string): ControlFile {
  try {
    return new ControlFile(controlPath(path));
  } catch (error) {
    throw cannotOpen(controlPath(path), error);
  }
}

/** The beginning of a text, which takes so many bytes as JSON. */
function cutTo(bytes: number, text: string): string {
  let cut = text.slice(0, bytes);
  while (Buffer.byteLength(JSON.stringify(cut)) > bytes) cut = cut.slice(0, Math.floor(cut.length * 0.9));
  return cut;
}

/** Of the file that has the name now. */
function identityOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  return found === undefined ? 'none' : `${found.dev} ${found.ino}`;
}
