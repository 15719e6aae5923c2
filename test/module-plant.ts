// A real server with function modules that are hostile: configures and uploads them, asks about them, kills and starts the
// server, and looks at what is left of them.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FunctionModule, LiveFunctionModule, LogLine, Problem } from '@telltale/schema';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { moduleFolder } from '../packages/server/src/modules/module-folder.ts';
import { put } from './live-plant.ts';
import { isAlive, type MarkedProcess, markedProcesses, zombiesOf } from './marked-processes.ts';
import { type ServerProcess, startServer } from './server-process.ts';
import { until } from './until.ts';

/** A module as these tests have it: alive when its process is, and started again when it ends. */
export interface Hostile extends Partial<Omit<FunctionModule, 'name'>> {
  /** Undefined: nothing is uploaded. */
  readonly program: string | Uint8Array | undefined;
}

/**
 * The beginning of a shell script that writes down each of its runs in its home, and whether another run of the same
 * module, or anything that it left, lives at that moment.
 */
export const counted = `#!/bin/sh
exec 9>>lock
flock -n 9 || echo twice >> twice
echo $$ >> starts
`;
/** Runs until it is told to end. */
export const sleeper = `${counted}exec sleep 1000\n`;
/** Runs until it is killed. */
export const deaf = `${counted}trap '' TERM\nwhile :; do sleep 1000; done\n`;

/** Has children in its group, in sessions of their own, and without a parent; one of them ignores SIGTERM. */
export const family = `${counted}sleep 1000 &
setsid sh -c "trap '' TERM; sleep 1000; sleep 1000" &
(setsid sleep 1000 &)
exec sleep 1000
`;
export const familySize = 5;

export interface PlantOptions {
  readonly args?: readonly string[];
  /** A folder that somebody else makes and removes. */
  readonly data?: string;
  /** Run by the shell before the server, in its process. */
  readonly prelude?: string;
}

export class ModulePlant {
  readonly data: string;
  readonly #options: PlantOptions;
  readonly #cleanup = new AsyncDisposableStack();
  #server: ServerProcess | undefined;

  private constructor(options: PlantOptions) {
    const folder = temporaryFolder(this.#cleanup);
    chmodSync(folder, 0o755); // a module that has a user of its own passes here
    this.data = options.data ?? join(folder, 'data');
    this.#options = options;
    this.#cleanup.defer(async () => {
      await until('all of it is gone', async () => {
        const left = markedProcesses(this.data);
        for (const { pid } of left) killIfThere(pid);
        return left.length === 0;
      });
    });
  }

  static async open(options: PlantOptions = {}): Promise<ModulePlant> {
    const plant = new ModulePlant(options);
    await plant.startServer();
    return plant;
  }

  /** Whatever state the test has left it in. */
  async close(): Promise<void> {
    if (this.#server?.hasEnded === false) await this.#server.end('SIGKILL');
    await this.#cleanup.disposeAsync();
  }

  get server(): ServerProcess {
    return this.#server ?? assert.fail('the server has not been started');
  }

  async startServer(): Promise<void> {
    this.#server = await startServer(this.#cleanup, { ...this.#options, data: this.data });
  }

  /** Adds these to what is configured, with their executables, and runs it. */
  async configure(modules: Readonly<Record<string, Hostile>>): Promise<void> {
    const operations = Object.entries(modules).map(([name, { program: _, ...fields }]) =>
      put('function-modules', name, { termToKill: 1000, queryTimeout: 0, respawn: true, ...fields }),
    );
    await this.#done(await this.server.send('POST', '/cfgdb/txn', { operations }));
    for (const [name, { program }] of Object.entries(modules)) {
      if (program !== undefined) await this.#done(await this.upload(name, program));
    }
    await this.#done(await this.server.send('POST', '/cfgdb/render'));
  }

  upload(name: string, program: string | Uint8Array): Promise<Response> {
    const path = `/function-modules/${name}/executable`;
    return this.server.sendBytes('PUT', path, 'application/octet-stream', Buffer.from(program));
  }

  async live(name: string): Promise<LiveFunctionModule> {
    return (await this.#get(`/function-modules/${name}`)) as LiveFunctionModule;
  }

  async all(): Promise<Record<string, LiveFunctionModule>> {
    return (await this.#get('/function-modules/')) as Record<string, LiveFunctionModule>;
  }

  async log(name: string, lines = 100): Promise<LogLine[]> {
    return (await this.#get(`/function-modules/${name}/log?lines=${lines}`)) as LogLine[];
  }

  /** Its state, as soon as it fits. */
  async untilIt(name: string, what: string, fits: (module: LiveFunctionModule) => boolean) {
    let last: LiveFunctionModule | undefined;
    try {
      return await until(`${name} ${what}`, async () => {
        last = await this.live(name);
        return fits(last) && last;
      });
    } catch (error) {
      throw new Error(`${(error as Error).message}; it is ${JSON.stringify(last)}`);
    }
  }

  untilRuns(name: string) {
    return this.untilIt(name, 'runs', ({ state }) => state === 'RUN');
  }

  /** How it was answered, and what was wrong. */
  async operate(name: string, operation: 'start' | 'stop' | 'restart'): Promise<{ status: number; detail: string }> {
    const response = await fetch(`${this.server.url}/data/function-modules/${name}/${operation}`, { method: 'POST' });
    const text = await response.text();
    return { status: response.status, detail: text === '' ? '' : ((JSON.parse(text) as Problem).detail ?? '') };
  }

  /** All that live, or those of one module; without the keeper. */
  processes(module?: string): MarkedProcess[] {
    return markedProcesses(this.data).filter(
      ({ run, module: own }) => run !== 'keeper' && (module === undefined || own === module),
    );
  }

  get keeper(): number | undefined {
    return markedProcesses(this.data).find(({ run }) => run === 'keeper')?.pid;
  }

  /** What a module keeps in its home; empty where there is no such file. */
  stored(module: string, file: string): string[] {
    const path = join(this.data, 'modules', moduleFolder(module), 'home', file);
    return existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : [];
  }

  /** How often a script that begins with `counted` was started. */
  starts(module: string): number {
    return this.stored(module, 'starts').length;
  }

  /** Whether anything lives that holds the lock of `counted`, however it hides. */
  isHeld(module: string): boolean {
    const lock = join(this.data, 'modules', moduleFolder(module), 'home/lock');
    return spawnSync('flock', ['-n', lock, 'true']).status !== 0;
  }

  /** Once each and never twice at a time, as the scripts themselves and the marks tell. */
  async eachRunsOnce(modules: readonly string[]): Promise<void> {
    for (const module of modules) {
      await this.untilRuns(module);
      const tokens = await until(`${module} has one run`, async () => {
        const found = new Set(this.processes(module).map(({ token }) => token));
        return found.size > 0 && found;
      });
      assert.equal(tokens.size, 1, `${module} has ${tokens.size} runs`);
      assert.deepEqual(this.stored(module, 'twice'), [], `${module} was started while its run before lived`);
    }
  }

  async untilNothingIsLeft(what = 'no process of a module is left'): Promise<void> {
    await until(what, async () => this.processes().length === 0);
  }

  /** Neither the server nor the keeper leaves a child that has ended unasked for. */
  async noZombies(): Promise<void> {
    const parents = [this.server.pid, this.keeper].filter((pid) => pid !== undefined);
    await until('no zombie is left', async () => parents.every((pid) => zombiesOf(pid).length === 0));
    assert.ok(isAlive(this.server.pid));
  }

  async #get(path: string): Promise<unknown> {
    const response = await fetch(`${this.server.url}/data${path}`);
    const text = await response.text();
    assert.equal(response.status, 200, text);
    return JSON.parse(text);
  }

  async #done(response: Response): Promise<void> {
    assert.equal(response.status, 204, await response.text());
  }
}

/** With modules that have to be killed, that are silent and that wait, all of them in that state. */
export async function stubbornPlant(): Promise<ModulePlant> {
  const plant = await ModulePlant.open();
  await plant.configure({
    deaf: { program: deaf, termToKill: 60_000 },
    family: { program: family, termToKill: 60_000 },
    plain: { program: sleeper },
    mute: { program: deaf, termToKill: 60_000, queryTimeout: 600_000 },
    fails: { program: '#!/bin/sh\nexit 1\n' },
  });
  await until('the family is there', async () => plant.processes('family').length === familySize);
  for (const name of ['deaf', 'mute']) {
    await until(`${name} ignores SIGTERM`, async () => plant.processes(name).length === 2);
  }
  await until('it is there', async () => plant.starts('plain') === 1);
  return plant;
}

/** Asks the server for its health again and again, until it is stopped; then it tells how long that took. */
export function probeLatency(server: ServerProcess): { stop: () => Promise<string> } {
  const tookMs: number[] = [];
  let isStopped = false;
  const probing = (async () => {
    while (!isStopped) {
      const startedMs = performance.now();
      const { status } = await fetch(`${server.url}/healthz`);
      assert.equal(status, 200);
      tookMs.push(performance.now() - startedMs);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  })();
  probing.catch(() => undefined); // whoever stops it hears of it
  return {
    async stop() {
      isStopped = true;
      await probing;
      const sorted = tookMs.sort((a, b) => a - b);
      const at = (part: number) => (sorted[Math.floor((sorted.length - 1) * part)] ?? 0).toFixed(1);
      return `GET /healthz meanwhile, ${sorted.length} times: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, most ${at(1)} ms`;
    },
  };
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, 'ESRCH');
  }
}
