// A server without any setting beside one of before there were stores, buses and leases: how long each takes to start, and its memory.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { until } from '@telltale/stack-kit/testing';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { type ServerProcess, startServer } from '../test/server-process.ts';
import { type Benchmark, median, type Result } from './measure.ts';
import { settled } from './memory.ts';

const run = promisify(execFile);
/** The last commit without any of it. */
const before = '90696d9c13a4fbc003fa2af2bdb8578b478a6db5';
const root = fileURLToPath(new URL('..', import.meta.url));
const most = 1.02;

export const plainServer: Benchmark = {
  name: 'plain-server',
  title: 'A server without a store, a bus and a lease, against one of before there were any',
  async run(say, { quick }) {
    const isKnown = await run('git', ['-C', root, 'cat-file', '-e', before]).then(
      () => true,
      () => false,
    );
    if (!isKnown) {
      say(`the history lacks ${before}`);
      return [];
    }
    await using cleanup = new AsyncDisposableStack();
    // Neither is this folder, where somebody may be at work.
    const sides: Side[] = [];
    for (const commit of ['HEAD', before]) {
      const installation = join(temporaryFolder(cleanup), 'telltale');
      await run('git', ['-C', root, 'worktree', 'add', '--detach', installation, commit]);
      cleanup.defer(() =>
        run('git', ['-C', root, 'worktree', 'remove', '--force', installation]).then(() => undefined),
      );
      await run('cp', ['-a', join(root, 'node_modules'), join(installation, 'node_modules')]);
      await run('rm', ['-rf', join(installation, 'node_modules/.cache/telltale')]);
      sides.push(new Side(cleanup, installation));
    }
    for (const side of sides) for (let start = 0; start < 2; start++) await side.start(pageReady);
    for (let round = 0; round < (quick ? 3 : 15); round++) {
      for (const side of round % 2 === 0 ? sides : sides.toReversed()) await side.measure(round < 5);
    }
    const [now, then] = sides as [Side, Side];
    say(`starts: ${now.shown(now.startMs)} ms, before ${then.shown(then.startMs)} ms`);
    say(`memory: ${now.shown(now.megabytes)} MB, before ${then.shown(then.megabytes)} MB`);
    return [
      within('start to ready / before', median(now.startMs) / median(then.startMs)),
      within('fastest start / before', Math.min(...now.startMs) / Math.min(...then.startMs)),
      within('memory / before', median(now.megabytes) / median(then.megabytes)),
    ];
  },
};

class Side {
  readonly startMs: number[] = [];
  readonly megabytes: number[] = [];
  readonly #installation: string;
  readonly #data: string;

  constructor(cleanup: AsyncDisposableStack, installation: string) {
    this.#installation = installation;
    this.#data = temporaryFolder(cleanup);
  }

  async start(work: (server: ServerProcess) => Promise<unknown> = async () => {}): Promise<number> {
    await using running = new AsyncDisposableStack();
    const beganMs = performance.now();
    const options = { data: this.#data, args: ['--no-demo'], installation: this.#installation };
    const server = await startServer(running, options);
    const tookMs = performance.now() - beganMs;
    await work(server);
    return tookMs;
  }

  /** Its memory takes a while to settle. */
  async measure(withMemory: boolean): Promise<void> {
    const ofMemory = async (server: ServerProcess) => this.megabytes.push(await settled(server));
    this.startMs.push(await this.start(withMemory ? ofMemory : undefined));
  }

  shown(figures: readonly number[]): string {
    return `${median(figures).toFixed(0)} (least ${Math.min(...figures).toFixed(0)})`;
  }
}

/** What builds it takes memory, the first time. */
async function pageReady({ url }: ServerProcess): Promise<void> {
  const isMade = async () => !(await (await fetch(url)).text()).includes('http-equiv="refresh"');
  await until('the page is made', isMade, { deadlineMs: 300_000 });
}

function within(what: string, figure: number): Result {
  return { what, figure: figure.toFixed(3), wanted: `≤ ${most}`, holds: figure <= most };
}
