// A server with the demo plant for a whole file of tests of `telltale`, and what they expect of its words.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before } from 'node:test';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { type CliResult, runCli } from './cli-process.ts';
import { moduleArgs, type ServerProcess, startServer } from './server-process.ts';

export class CliPlant {
  readonly #cleanup = suiteCleanup();
  readonly folder = temporaryFolder(this.#cleanup);
  #server: ServerProcess | undefined;

  /** Runs from before the first test of the file until after the last one. */
  constructor() {
    before(async () => {
      this.#server = await startServer(this.#cleanup, {
        data: join(this.folder, 'data'),
        args: ['--demo', ...moduleArgs],
      });
      // One that nothing but an operator raises.
      await this.server.send('PUT', '/alarms/fire', { name: 'fire', severity: 0 });
      await this.server.send('POST', '/cfgdb/render');
    });
  }

  get server(): ServerProcess {
    return this.#server as ServerProcess;
  }

  get url(): string {
    return this.server.url;
  }

  readonly cli = (...args: string[]): Promise<CliResult> => runCli(args, { url: this.url });

  /** The JSON of what must succeed. */
  readonly good = async <Document>(...args: string[]): Promise<Document> => {
    const { code, stdout, stderr } = await this.cli(...args);
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' }, stdout);
    return JSON.parse(stdout) as Document;
  };
}

/** The code and the one line of what must fail. */
export function failed({ code, stdout, stderr }: CliResult): { code: number | null; text: string } {
  assert.equal(stdout, '');
  assert.match(stderr, /^telltale: [^\n]+\n$/);
  return { code, text: stderr.slice('telltale: '.length, -1) };
}
