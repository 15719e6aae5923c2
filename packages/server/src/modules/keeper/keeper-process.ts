// The process that runs function modules: starts and ends their processes, stores their output, and notifies the server.
// When the server is gone it ends all of them, and then itself.
import { closeSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LogLine } from '@telltale/schema';
import { systemClock as clock, ProblemError } from '@telltale/schema/values';
import { Link } from '../../threads/index.ts';
import { moduleFolder } from '../module-folder.ts';
import { Census } from './census.ts';
import { Cgroups, type CgroupUsage } from './cgroup.ts';
import {
  type KeeperClient,
  type KeeperProcess,
  type OpenKeeper,
  orphanTermToKillMs,
  usagePeriodMs,
} from './keeper-messages.ts';
import type { Launch, LogRequest } from './keeper-protocol.ts';
import { LineBatches } from './line-batches.ts';
import { type Machine, readMachine } from './machine.ts';
import { readModuleLog } from './module-log-read.ts';
import { RunProcess } from './run-process.ts';
import { UsageMeter } from './usage.ts';

class Keeper {
  readonly #client: Link<KeeperClient>;
  readonly #folder: string;
  readonly #folderId: string;
  readonly #machine: Machine;
  readonly #cgroups: Cgroups | undefined;
  readonly #census: Census;
  readonly #lines = new LineBatches(clock, (batch, onTaken) => {
    this.#client.call('lines', [batch]).then(onTaken, onTaken); // a server that is gone takes everything
  });
  readonly #runs = new Map<number, RunProcess>();
  readonly #meter = new UsageMeter(clock.monotonicMs());
  /** What was said once. */
  readonly #missing = new Set<string>();
  #isMeasuring = false;
  #isClosing = false;

  private constructor(
    client: Link<KeeperClient>,
    { folder, folderId }: OpenKeeper,
    machine: Machine,
    cgroups: Cgroups | undefined,
  ) {
    this.#client = client;
    this.#folder = folder;
    this.#folderId = folderId;
    this.#machine = machine;
    this.#cgroups = cgroups;
    this.#census = new Census(folderId);
  }

  static async open(client: Link<KeeperClient>, open: OpenKeeper): Promise<Keeper> {
    const { folderId, cgroupRoot: root } = open;
    const options = { ...(root !== undefined && { root }), pids: [process.ppid, process.pid] };
    const [machine, cgroups] = await Promise.all([readMachine(), Cgroups.open(options)]);
    // Of a keeper that was killed. No process is in them any more: the server has swept.
    await cgroups?.sweep(`${folderId}.`);
    return new Keeper(client, open, machine, cgroups);
  }

  stop(run: number, termToKillMs: number): void {
    this.#runs.get(run)?.stop(termToKillMs);
  }

  watchLogs(modules: 'all' | readonly string[]): void {
    this.#lines.watch(modules);
  }

  /** All runs, and then the process itself. */
  close(termToKillMs: number): void {
    this.#isClosing = true;
    for (const run of this.#runs.values()) run.stop(Math.min(termToKillMs, run.launch.termToKillMs));
    this.#endIfDone();
  }

  async start(launch: Launch): Promise<void> {
    const { run, module } = launch;
    const reason = this.#refusal(module);
    if (reason !== undefined) {
      this.#client.notify('ended', [run, { kind: 'notStarted', reason, mayPass: true }]);
      return;
    }
    const process = new RunProcess({
      launch,
      machine: this.#machine,
      cgroups: this.#cgroups,
      folder: this.#folderOf(module),
      folderId: this.#folderId,
      census: this.#census,
      clock,
      onStarted: (pid) => void this.#client.notify('started', [run, pid]),
      onLines: (lines) => this.#lines.add(module, lines),
      onMissing: (sentences) => this.#warn(module, sentences),
    });
    this.#runs.set(run, process);
    this.#measure();
    const end = await process.run();
    this.#runs.delete(run);
    this.#client.notify('ended', [run, end]);
    this.#endIfDone();
  }

  #refusal(module: string): string | undefined {
    if (this.#isClosing) return 'the service is stopping';
    if (process.platform !== 'linux')
      return 'function modules run on Linux: elsewhere their processes cannot be identified';
    const isRunning = this.#runs.values().some(({ launch }) => launch.module === module);
    return isRunning ? 'its run before has not ended yet' : undefined;
  }

  async readLog(request: LogRequest): Promise<LogLine[]> {
    try {
      return await readModuleLog(join(this.#folderOf(request.module), 'log'), request);
    } catch (error) {
      throw new ProblemError('storage-failed', `The log cannot be read: ${(error as Error).message}.`);
    }
  }

  /** As long as something runs. */
  async #measure(): Promise<void> {
    if (this.#isMeasuring) return;
    this.#isMeasuring = true;
    while (this.#runs.size > 0) {
      await new Promise<void>((resolve) => clock.after(usagePeriodMs, resolve));
      const members = await this.#census.take();
      const groups = new Map<number, CgroupUsage>();
      for (const [run, each] of this.#runs) {
        const usage = await each.groupUsage();
        if (usage !== undefined) groups.set(run, usage);
      }
      const usages = this.#meter.measure(members, groups, clock.monotonicMs());
      for (const [run, usage] of usages) this.#runs.get(run)?.judge(usage);
      // No faster than the server takes them.
      await this.#client.call('usage', [usages]).catch(() => undefined);
    }
    this.#isMeasuring = false;
  }

  #warn(module: string, sentences: readonly string[]): void {
    for (const text of sentences) {
      if (this.#missing.has(text)) continue;
      this.#missing.add(text);
      this.#client.notify('warning', [module, text]);
    }
  }

  #folderOf(module: string): string {
    return join(this.#folder, moduleFolder(module));
  }

  #endIfDone(): void {
    if (!this.#isClosing || this.#runs.size > 0) return;
    // Pending messages are sent before the channel closes.
    if (process.connected) process.disconnect?.();
    process.exit();
  }
}

/** Closes descriptors inherited from the parent of the server, which Node would pass on to every module. */
function closeInheritedHandles(): void {
  const closesOnExec = 0o2000000;
  for (const name of existsSync('/proc/self/fdinfo') ? readdirSync('/proc/self/fdinfo') : []) {
    try {
      const flags = /^flags:\s+(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${name}`, 'latin1'))?.[1] ?? '';
      if (Number(name) > 2 && (Number.parseInt(flags, 8) & closesOnExec) === 0) closeSync(Number(name));
    } catch {
      // it was that of the listing
    }
  }
}

function main(): void {
  closeInheritedHandles();
  // It ends by the end of its channel alone, so that nothing of a module outlives it.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
  // They have no reader once the server is gone.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  const { promise: keeper, resolve } = Promise.withResolvers<Keeper>();
  let isOpen = false;
  const client = new Link<KeeperClient, KeeperProcess>(
    {
      post: (message) => process.connected && process.send?.(message, undefined, {}, () => {}),
      onMessage: (receive) => void process.on('message', receive),
    },
    {
      open(options) {
        isOpen = true;
        resolve(Keeper.open(client, options));
      },
      start: (launch) => void keeper.then((each) => each.start(launch)),
      stop: (run, termToKillMs) => void keeper.then((each) => each.stop(run, termToKillMs)),
      readLog: (request) => keeper.then((each) => each.readLog(request)),
      watchLogs: (modules) => void keeper.then((each) => each.watchLogs(modules)),
      close: (termToKillMs) => void keeper.then((each) => each.close(termToKillMs)),
    },
  );
  process.on('disconnect', () => {
    client.end(new Error('the server is gone'));
    if (!isOpen) process.exit();
    keeper.then((each) => each.close(orphanTermToKillMs));
  });
}

main();
