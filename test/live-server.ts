// A server that runs the plant of the live-data tests, for a whole file of them.
import assert from 'node:assert/strict';
import { before } from 'node:test';
import { type Checker, checker, type Operation } from '@telltale/schema';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import type { TSchema } from 'typebox';
import { ConfigClient } from './config-client.ts';
import { liveArgs, livePlant } from './live-plant.ts';
import { type ServerProcess, startServer } from './server-process.ts';

export interface LiveServerOptions {
  readonly args?: readonly string[];
  /** Before the first test, and after the last one. */
  readonly begin?: () => Promise<void>;
  readonly end?: () => Promise<void>;
}

export class LiveServer {
  readonly data = new ConfigClient(() => this.process, '/data');
  readonly config = new ConfigClient(() => this.process);
  readonly #cleanup = suiteCleanup();
  readonly #folder = temporaryFolder(this.#cleanup);
  readonly #args: readonly string[];
  readonly #checkers = new Map<TSchema, Checker>();
  #process: ServerProcess | undefined;

  /** Runs from before the first test of the file until after the last one. */
  constructor({ args = [], begin, end }: LiveServerOptions = {}) {
    this.#args = [...liveArgs, ...args];
    before(async () => {
      await this.#start();
      this.#cleanup.defer(() => end?.());
      await this.apply(livePlant);
      await begin?.();
    });
  }

  get process(): ServerProcess {
    if (this.#process === undefined) throw new Error('the server has not been started');
    return this.#process;
  }

  get url(): string {
    return `${this.process.url}/data`;
  }

  /** One transaction, rendered. */
  async apply(operations: readonly Operation[]): Promise<void> {
    await this.config.done('POST', '/cfgdb/txn?render=1', { body: { operations } });
  }

  async restart(signal?: NodeJS.Signals): Promise<void> {
    await this.process.end(signal);
    await this.#start();
  }

  /** The JSON at this path, which must fit the schema. */
  async read<Body>(path: string, schema: TSchema): Promise<Body> {
    const known = this.#checkers.get(schema) ?? checker(schema);
    this.#checkers.set(schema, known);
    const body = await this.data.read<Body>(path);
    assert.deepEqual(known.faults(body), []);
    return body;
  }

  async #start(): Promise<void> {
    this.#process = await startServer(this.#cleanup, { data: this.#folder, args: this.#args });
  }
}
