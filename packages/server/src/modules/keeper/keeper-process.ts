// The process that keeps function modules: starts and ends their processes, keeps what they print, and tells the server.
// When the server is gone it ends all of them, and then itself.
import { closeSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock as clock } from '@telltale/schema/values';
import { moduleFolder } from '../module-folder.ts';
import { Census } from './census.ts';
import { Cgroups, type CgroupUsage } from './cgroup.ts';
import { type FromKeeper, orphanTermToKillMs, type ToKeeper, usagePeriodMs } from './keeper-messages.ts';
import type { Launch, LogRequest } from './keeper-protocol.ts';
import { LineBatches } from './line-batches.ts';
import { type Machine, readMachine } from './machine.ts';
import { readModuleLog } from './module-log-read.ts';
import { RunProcess } from './run-process.ts';
import { UsageMeter } from './usage.ts';

type OpenMessage = ToKeeper & { readonly kind: 'open' };

class Keeper {
  readonly #folder: string;
  readonly #folderId: string;
  readonly #machine: Machine;
  readonly #cgroups: Cgroups | undefined;
  readonly #census: Census;
  readonly #lines = new LineBatches(clock, (batch, onTaken) => tell({ kind: 'lines', batch }, onTaken));
  readonly #runs = new Map<number, RunProcess>();
  readonly #meter = new UsageMeter(clock.monotonicMs());
  /** What was said once. */
  readonly #missing = new Set<string>();
  #isMeasuring = false;
  #isClosing = false;

  private constructor({ folder, folderId }: OpenMessage, machine: Machine, cgroups: Cgroups | undefined) {
    this.#folder = folder;
    this.#folderId = folderId;
    this.#machine = machine;
    this.#cgroups = cgroups;
    this.#census = new Census(folderId);
  }

  static async open(message: OpenMessage): Promise<Keeper> {
    const { folderId, cgroupRoot: root } = message;
    const options = { ...(root !== undefined && { root }), pids: [process.ppid, process.pid] };
    const [machine, cgroups] = await Promise.all([readMachine(), Cgroups.open(options)]);
    // Of a keeper that was killed. No process is in them any more: the server has swept.
    await cgroups?.sweep(`${folderId}.`);
    return new Keeper(message, machine, cgroups);
  }

  take(message: ToKeeper): void {
    if (message.kind === 'start') this.#start(message.launch);
    else if (message.kind === 'stop') this.#runs.get(message.run)?.stop(message.termToKillMs);
    else if (message.kind === 'readLog') this.#readLog(message.id, message.request);
    else if (message.kind === 'watchLogs') this.#lines.watch(message.modules);
    else if (message.kind === 'close') this.close(message.termToKillMs);
  }

  /** All runs, and then the process itself. */
  close(termToKillMs: number): void {
    this.#isClosing = true;
    for (const run of this.#runs.values()) run.stop(Math.min(termToKillMs, run.launch.termToKillMs));
    this.#endIfDone();
  }

  async #start(launch: Launch): Promise<void> {
    const { run, module } = launch;
    const reason = this.#refusal(module);
    if (reason !== undefined) {
      tell({ kind: 'ended', run, end: { kind: 'notStarted', reason, mayPass: true } });
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
      onStarted: (pid) => tell({ kind: 'started', run, pid }),
      onLines: (lines) => this.#lines.add(module, lines),
      onMissing: (sentences) => this.#warn(module, sentences),
    });
    this.#runs.set(run, process);
    this.#measure();
    const end = await process.run();
    this.#runs.delete(run);
    tell({ kind: 'ended', run, end });
    this.#endIfDone();
  }

  #refusal(module: string): string | undefined {
    if (this.#isClosing) return 'the service is stopping';
    if (process.platform !== 'linux')
      return 'function modules run on Linux: elsewhere nothing tells which processes are theirs';
    const isRunning = this.#runs.values().some(({ launch }) => launch.module === module);
    return isRunning ? 'its run before has not ended yet' : undefined;
  }

  async #readLog(id: number, request: LogRequest): Promise<void> {
    try {
      const lines = await readModuleLog(join(this.#folderOf(request.module), 'log'), request);
      tell({ kind: 'log', id, lines });
    } catch (error) {
      tell({ kind: 'noLog', id, reason: (error as Error).message });
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
      await new Promise<void>((resolve) => tell({ kind: 'usage', usages }, resolve));
    }
    this.#isMeasuring = false;
  }

  #warn(module: string, sentences: readonly string[]): void {
    for (const text of sentences) {
      if (this.#missing.has(text)) continue;
      this.#missing.add(text);
      tell({ kind: 'warning', module, text });
    }
  }

  #folderOf(module: string): string {
    return join(this.#folder, moduleFolder(module));
  }

  #endIfDone(): void {
    if (!this.#isClosing || this.#runs.size > 0) return;
    // What has been told goes out before the channel closes.
    if (process.connected) process.disconnect?.();
    process.exit();
  }
}

/** A server that is gone is told nothing; `onTaken` comes in any case. */
function tell(message: FromKeeper, onTaken: () => void = () => {}): void {
  if (process.send === undefined || !process.connected) setImmediate(onTaken);
  else process.send(message, undefined, {}, onTaken);
}

/**
 * What Node opens is closed in every program that it starts. What whoever started the server had left open came down to
 * here, and would go on to every module.
 */
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
  // Nobody reads them any more once the server is gone.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  let keeper: Promise<Keeper> | undefined;
  process.on('message', (message: ToKeeper) => {
    if (message.kind === 'open') keeper = Keeper.open(message);
    else keeper?.then((each) => each.take(message));
  });
  process.on('disconnect', () => {
    if (keeper === undefined) process.exit();
    keeper.then((each) => each.close(orphanTermToKillMs));
  });
}

main();
