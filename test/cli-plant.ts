// A server with the demo plant for a whole file of tests of `telltale`, and what they expect of its words.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { type CliResult, runCli } from './cli-process.ts';
import { ServerProcess, temporaryFolder } from './server-process.ts';

export class CliPlant {
  readonly #folder = temporaryFolder();
  #server: ServerProcess | undefined;

  /** Runs from before the first test of the file until after the last one. */
  constructor() {
    before(async () => {
      this.#server = await ServerProcess.start({ data: join(this.folder, 'data'), args: ['--demo'] });
      // One that nothing but an operator raises.
      await this.server.send('PUT', '/alarms/fire', { name: 'fire', severity: 0 });
      await this.server.send('POST', '/cfgdb/render');
    });
    after(async () => {
      await this.#server?.end();
      this.#folder.dispose();
    });
  }

  get server(): ServerProcess {
    return this.#server as ServerProcess;
  }

  get url(): string {
    return this.server.url;
  }

  get folder(): string {
    return this.#folder.path;
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
