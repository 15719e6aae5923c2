// Reads a database file that a stranger sent: a child process opens it, within limits of time and memory, and every
// row that it prints is checked here as if a client had sent it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import {
  type Family,
  type Fault,
  familyNames,
  isIdentifier,
  maxFaults,
  maxValueLength,
  ProblemError,
  parseJson,
  reservedName,
} from '@telltale/schema';
import { type Made, madeColumns } from './made-objects.ts';
import { readObject, type StoredObject } from './read-objects.ts';
import { applicationId, schemaVersion, tables } from './tables.ts';
import type { UploadForm, UploadLine } from './upload-reader.ts';
import type { Uploaded } from './write-fresh.ts';

/** So that the answer, a refusal included, is there within 5 s. */
const timeLimitMs = 4000;
const memoryLimitBytes = 256 << 20;
const heapLimitMiB = 96;
const memoryCheckMs = 20;
/** The whole configuration is kept in memory, so its size is bounded, too; a row of a few bytes costs hundreds there. */
const mostOutputBytes = 256 << 20;
const mostObjects = 1_000_000;
const mostReasonLength = 1000;
/** What typicals have made; databases of before have none. */
const madeTable = 'typicals';
const reader = fileURLToPath(new URL('./upload-reader.ts', import.meta.url));

export async function readUpload(path: string): Promise<Uploaded> {
  const [command, ...args] = withTimeLimit([process.execPath, ...childArguments(path)]);
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'ignore'], env: {} });
  let stopped: string | undefined;
  const stop = (reason: string) => {
    stopped ??= reason;
    child.kill('SIGKILL');
  };
  const timer = setTimeout(() => stop(`it took longer than ${timeLimitMs / 1000} s to read`), timeLimitMs);
  const watch = setInterval(() => {
    if (residentBytes(child.pid) > memoryLimitBytes) stop(`it took more than ${memoryLimitBytes >> 20} MiB to read`);
  }, memoryCheckMs);
  const ended = once(child, 'close').catch(() => stop('its reader could not be started'));
  const collector = new Collector();
  try {
    for await (const line of linesOf(child.stdout)) {
      if (stopped !== undefined) break;
      collector.take(line);
    }
    await ended;
  } finally {
    clearTimeout(timer);
    clearInterval(watch);
    child.kill('SIGKILL');
  }
  if (stopped !== undefined) throw refused(stopped);
  return collector.finish();
}

/** Where the system can, it ends the child by itself, should the server not live to do so. */
function withTimeLimit(command: [string, ...string[]]): [string, ...string[]] {
  if (process.platform === 'win32') return command;
  return ['/bin/sh', '-c', `ulimit -t ${(2 * timeLimitMs) / 1000}; exec "$0" "$@"`, ...command];
}

/** The child may read the upload and its own source, and nothing else. */
function childArguments(path: string): string[] {
  const form: UploadForm = {
    path,
    applicationId,
    schemaVersion,
    tables: [
      ...Object.values(tables).map(({ family, name, columns, isOptional }) => ({
        family,
        name,
        isOptional,
        fields: columns.map(({ field }) => field),
      })),
      { family: madeTable, name: madeTable, fields: madeColumns, isOptional: true },
    ],
  };
  return [
    '--permission',
    `--allow-fs-read=${path}`,
    `--allow-fs-read=${reader}`,
    `--max-old-space-size=${heapLimitMiB}`,
    reader,
    JSON.stringify(form),
  ];
}

/** The whole lines of the output. `node:readline` would break them at U+2028 as well, which a text in JSON may have. */
async function* linesOf(output: Readable): AsyncGenerator<string> {
  let parts: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of output as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > mostOutputBytes) throw refused(`it has more than ${mostOutputBytes >> 20} MiB of rows`);
    let from = 0;
    for (let to = chunk.indexOf(10); to >= 0; to = chunk.indexOf(10, from)) {
      yield Buffer.concat([...parts, chunk.subarray(from, to)]).toString();
      parts = [];
      from = to + 1;
    }
    parts.push(chunk.subarray(from));
  }
}

class Collector {
  readonly #objects: StoredObject[] = [];
  readonly #names = new Set<string>();
  readonly #faults: Fault[] = [];
  #complete = false;
  /** By family and name. */
  readonly #madeOf = new Map<string, Made>();

  take(text: string): void {
    const line = JSON.parse(text) as UploadLine;
    if ('refused' in line) throw refused(line.refused);
    if ('end' in line) this.#complete = true;
    else if (line.family === madeTable) for (const row of line.rows) this.#made(line.fields, row);
    else for (const row of line.rows) this.#row(line.family as Family, line.fields, row);
  }

  finish(): Uploaded {
    const [first] = this.#faults;
    if (first !== undefined) throw refused(`${first.path} ${first.message}`, this.#faults);
    if (!this.#complete) throw refused('reading it failed');
    return { objects: this.#objects, made: [...this.#madeOf.values()] };
  }

  /** What typicals have made is checked as objects are. */
  #made(fields: readonly string[], row: readonly unknown[]): void {
    if (this.#faults.length >= maxFaults) return;
    if (this.#madeOf.size >= mostObjects) throw refused(`it has more than ${mostObjects} generated objects`);
    const { type, family, madeName, name, instance, made } = Object.fromEntries(
      madeColumns.map((column) => [column, row[fields.indexOf(column)]]),
    ) as Record<keyof Made, unknown>;
    const at = `/typicals/${String(type).slice(0, 80)}/${String(madeName).slice(0, 80)}`;
    const isKnown = familyNames.some((each) => each === family);
    const areNames = [type, madeName, name].every((each) => typeof each === 'string' && isIdentifier(each));
    if (
      !isKnown ||
      !areNames ||
      typeof instance !== 'string' ||
      instance.length > maxValueLength ||
      typeof made !== 'string'
    ) {
      this.#faults.push({ path: at, message: 'has a family, a name or an instance that is impossible' });
      return;
    }
    const stored = this.#read(family as Family, madeName as string, parsed(made), at);
    const [key, madeKey] = [`${family}/${name}`, `made ${type}/${family}/${madeName}`];
    if (this.#madeOf.has(key) || this.#names.has(madeKey)) {
      this.#faults.push({ path: at, message: `is about ${key}, as another one is` });
    }
    this.#names.add(madeKey);
    if (stored === undefined) return;
    this.#madeOf.set(key, {
      type: type as string,
      family: family as Family,
      madeName: madeName as string,
      name: name as string,
      instance,
      made: stored.text,
    });
  }

  #row(family: Family, fields: readonly string[], row: readonly unknown[]): void {
    if (this.#faults.length >= maxFaults) return;
    if (this.#objects.length >= mostObjects) throw refused(`it has more than ${mostObjects} objects`);
    const object = toObject(family, fields, row);
    const name = String(object.name);
    const key = `${family}/${name}`;
    const at = `/${family}/${String(object.name ?? '').slice(0, 80)}`;
    if (this.#names.has(key)) this.#faults.push({ path: `${at}/name`, message: 'stands there twice' });
    if (name === reservedName) this.#faults.push({ path: `${at}/name`, message: 'is a reserved word' });
    this.#names.add(key);
    const stored = this.#read(family, name, object, at);
    if (stored !== undefined) this.#objects.push(stored);
  }

  /** Undefined where it pushed faults. */
  #read(family: Family, name: string, object: unknown, at: string): StoredObject | undefined {
    try {
      return readObject(family, name, object, at, this.#faults);
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      if (error.errors === undefined) throw refused(error.message);
      this.#faults.push(...error.errors);
      return undefined;
    }
  }
}

/** A row as the object that a client would have sent; what does not convert stays as it is, for the schema to refuse. */
function toObject(family: Family, fields: readonly string[], row: readonly unknown[]): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  for (const { field, kind } of tables[family].columns) {
    const value = row[fields.indexOf(field)];
    if (value === null || value === undefined) continue;
    if (kind === 'boolean' && (value === 0 || value === 1)) object[field] = value === 1;
    else if ((kind === 'map' || kind === 'list') && typeof value === 'string') object[field] = parsed(value);
    else object[field] = value;
  }
  return object;
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

/** Where the system reports it; elsewhere the limit of the child's own heap holds alone. */
function residentBytes(pid: number | undefined): number {
  try {
    const [, kibibytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? [];
    return Number(kibibytes ?? 0) * 1024;
  } catch {
    return 0;
  }
}

function refused(reason: string, faults?: Fault[]): ProblemError {
  const short = reason.slice(0, mostReasonLength).replace(/\.$/, '');
  return new ProblemError('upload-refused', `The file was refused: ${short}. Nothing was changed.`, faults);
}
