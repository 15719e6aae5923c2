// The server whose archive is held against arrays: started with its limits and its time of day, and asked over HTTP alone.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Scope } from '@telltale/stack-kit/testing/cleanup';
import { type ServerProcess, startServer } from '../server-process.ts';
import { type ArrayRecord, type NamedArrays, oldestPlausibleUs } from './named-arrays.ts';
import { secondsOf } from './reads.ts';
import { csvOf, hourUs } from './records.ts';

export interface ArrayServerOptions {
  readonly folder: string;
  readonly env: Record<string, string>;
  /** Where the time of day of the server can be set: the path of libfaketime. */
  readonly library?: string | undefined;
  readonly isLimitedByAge?: boolean;
  readonly isLimitedBySize?: boolean;
}

/** The least that the setting takes. */
export const maxBytes = 16 * 2 ** 20;

interface Stats {
  readonly bytes: number;
  readonly 'journal-bytes': number;
  readonly damages: readonly unknown[];
}

export class ArrayServer {
  /** How far its time of day is ahead, from the next start on. */
  offsetUs = 0;
  /** Of all objects without their own, from the next start on. */
  retentionHours = 1;
  readonly shortHours: number;
  readonly options: ArrayServerOptions;
  readonly #scope: Scope;
  #process: ServerProcess | undefined;

  /** `shortHours` is the retention of `short_lived`. */
  constructor(scope: Scope, options: ArrayServerOptions, shortHours: number) {
    this.#scope = scope;
    this.options = options;
    this.shortHours = shortHours;
  }

  get process(): ServerProcess {
    if (this.#process === undefined) throw new Error('the server has not been started');
    return this.#process;
  }

  get #url(): string {
    return `${this.process.url}/data/archive`;
  }

  get nowUs(): number {
    return Date.now() * 1000 + this.offsetUs;
  }

  /** Before this, records from 2000 on have expired. */
  cutOffOf({ name }: NamedArrays): number {
    if (!this.options.isLimitedByAge) return 0;
    const cutOffUs = this.nowUs - (name === 'short_lived' ? this.shortHours : this.retentionHours) * hourUs;
    return cutOffUs > oldestPlausibleUs ? cutOffUs : 0;
  }

  async start(): Promise<void> {
    const { folder, env, library, isLimitedByAge, isLimitedBySize } = this.options;
    this.setTimeOfDay();
    this.#process = await startServer(this.#scope, {
      data: join(folder, 'data'),
      args: [
        ...(isLimitedByAge ? ['--archive-retention', `${this.retentionHours}h`] : []),
        ...(isLimitedBySize ? ['--archive-max-size', String(maxBytes)] : []),
      ],
      env: {
        ...env,
        ...(library !== undefined && {
          LD_PRELOAD: library,
          FAKETIME_TIMESTAMP_FILE: this.#offsetFile,
          FAKETIME_NO_CACHE: '1',
          FAKETIME_DONT_FAKE_MONOTONIC: '1',
        }),
      },
    });
  }

  /** As `offsetUs` says, also while it runs. */
  setTimeOfDay(): void {
    writeFileSync(this.#offsetFile, `${this.offsetUs < 0 ? '' : '+'}${this.offsetUs / 1e6}\n`);
  }

  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const { code, stderr } = await this.process.end(signal);
    assert.deepEqual([code, stderr], [signal === 'SIGTERM' ? 0 : null, '']);
  }

  async configure(series: readonly NamedArrays[]): Promise<void> {
    const operations = series.map(({ kind, name, datatype }) => {
      const isShort = name === 'short_lived' && this.options.isLimitedByAge === true;
      const properties = isShort ? { archRetention: `${this.shortHours}h` } : {};
      return { operation: 'put', family: kind, name, object: { name, datatype, properties } };
    });
    const answer = await this.process.send('POST', '/cfgdb/txn?render=1', { operations });
    assert.equal(answer.status, 204, await answer.text());
  }

  async import(series: NamedArrays, records: readonly ArrayRecord[], form: 'csv' | 'json'): Promise<void> {
    const body = form === 'csv' ? csvOf(series, records) : `[${records.map((each) => series.written(each)).join()}]`;
    const answer = await this.post(series, form, body);
    assert.equal(answer.status, 204, await answer.text());
  }

  post({ kind, name }: NamedArrays, form: 'csv' | 'json', body: string): Promise<Response> {
    const headers = { 'content-type': form === 'csv' ? 'text/csv' : 'application/json' };
    return fetch(`${this.#url}/${kind}/${name}`, { method: 'POST', headers, body });
  }

  async erase({ kind, name }: NamedArrays, sinceUs: number, untilUs: number): Promise<void> {
    const path = `${kind}/${name}/${secondsOf(sinceUs)}/${secondsOf(untilUs)}`;
    const answer = await fetch(`${this.#url}/${path}`, { method: 'DELETE' });
    assert.equal(answer.status, 204, `${path} ${await answer.text()}`);
  }

  /** Every record that is shown, as JSON. */
  async whole({ kind, name }: NamedArrays): Promise<string[]> {
    const answer = await fetch(`${this.#url}/${kind}/${name}/-99999999999/99999999999?flags=1`);
    const text = await answer.text();
    assert.equal(answer.status, 200, text.slice(0, 400));
    const records = (JSON.parse(text) as Record<string, unknown[]>)[name] ?? assert.fail(`no ${name}`);
    return records.map((record) => JSON.stringify(record));
  }

  async care(which: 'compact' | 'check'): Promise<void> {
    const answer = await fetch(`${this.#url}/${which}`, { method: 'POST' });
    const lines = (await answer.text()).trim().split('\n');
    assert.deepEqual(JSON.parse(lines.at(-1) ?? '').damages, []);
  }

  async stats(): Promise<Stats> {
    return (await (await fetch(`${this.#url}/stats`)).json()) as Stats;
  }

  get #offsetFile(): string {
    return join(this.options.folder, 'offset');
  }
}
