// Control groups (cgroup v2): one for each run of a module, where this machine lets the server make them. They limit
// memory, CPU and processes of everything that a module starts, measure it, and end all of it at once.
import { constants, writeFileSync } from 'node:fs';
import { access, mkdir, readdir, readFile, rmdir, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Controller } from './confine.ts';
import type { Bounds } from './keeper-protocol.ts';

export interface CgroupOptions {
  /** Of the file system of groups. */
  readonly root?: string;
  readonly proc?: string;
  /** Processes that may be moved into a group of the server's own: the server and the keeper, with their children. */
  readonly pids: readonly number[];
}

export interface CgroupUsage {
  readonly cpuUs: number;
  /** Undefined where this machine does not count it. */
  readonly memoryBytes: number | undefined;
  readonly processes: number;
}

const serviceName = 'telltale-service';
const modulesName = 'telltale-modules';
const controllers: readonly Controller[] = ['memory', 'cpu', 'pids'];
const limitFiles: Readonly<Record<Controller, string>> = { memory: 'memory.max', cpu: 'cpu.max', pids: 'pids.max' };
const periodUs = 100_000;
const leastQuotaUs = 1000;
const maxAncestors = 64;
const removeAttempts = 100;
const removePauseMs = 20;

export class Cgroups {
  /** What groups can bound here; without any they still count, and end all of a run. */
  readonly controllers: ReadonlySet<Controller>;
  readonly #folder: string;
  readonly #own: string;

  private constructor(folder: string, own: string, held: ReadonlySet<Controller>) {
    this.#folder = folder;
    this.#own = own;
    this.controllers = held;
  }

  /** Undefined where there are no control groups, or none that we may use. */
  static async open({ root = '/sys/fs/cgroup', proc = '/proc', pids }: CgroupOptions): Promise<Cgroups | undefined> {
    try {
      const path = /^0::(\/.*)$/m.exec(await readFile(join(proc, 'self/cgroup'), 'utf8'))?.[1];
      if (path === undefined) return undefined;
      const mount = await findMount(root);
      if (mount === undefined) return undefined;
      // A keeper that follows another finds the server, and so itself, where that one put them.
      const present = join(mount, path);
      const base = basename(present) === serviceName ? dirname(present) : present;
      const held = await takeControllers(base, present, proc, pids);
      const own = held.size === 0 ? present : join(base, serviceName);
      const folder = join(base, modulesName);
      await mkdir(folder, { recursive: true });
      await access(folder, constants.W_OK); // A server of another user may have made it.
      return new Cgroups(folder, own, await enable(folder, held));
    } catch {
      return undefined; // Read-only in most containers; not ours where the server is not root and nothing is delegated.
    }
  }

  /** With the bounds that it can hold. What is left of a run of this name is ended. Rejects with the system's error. */
  async make(name: string, bounds: Bounds): Promise<RunCgroup> {
    const folder = join(this.#folder, name);
    const run = new RunCgroup(folder, this.#own);
    try {
      await mkdir(folder);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      await run.kill();
      if (!(await run.remove())) throw error;
      await mkdir(folder);
    }
    return new RunCgroup(folder, this.#own, await this.#limits(folder, bounds));
  }

  /** Ends and removes what is left of runs whose names begin so: of a keeper that was killed. */
  async sweep(prefix: string): Promise<void> {
    const names = (await readdir(this.#folder)).filter((name) => name.startsWith(prefix));
    await Promise.all(
      names.map(async (name) => {
        const run = new RunCgroup(join(this.#folder, name), this.#own);
        await run.kill();
        await run.remove();
      }),
    );
  }

  /** Of these bounds, those that the group takes. */
  async #limits(folder: string, { memoryBytes, cpuCores, maxProcesses }: Bounds): Promise<Map<Controller, string>> {
    const limits = new Map<Controller, string>();
    const set = (file: string, text: string) => write(join(folder, file), text);
    const limit = async (controller: Controller, text: string) => {
      if (this.controllers.has(controller) && (await set(limitFiles[controller], 'max'))) limits.set(controller, text);
      return limits.has(controller);
    };
    if (memoryBytes !== undefined && (await limit('memory', String(memoryBytes)))) {
      await set('memory.swap.max', '0'); // Not there where the machine has no swap, or does not count it.
      await set('memory.oom.group', '1'); // All of a module ends, and not a child that it waits for.
    }
    if (cpuCores !== undefined) {
      await limit('cpu', `${Math.max(leastQuotaUs, Math.round(cpuCores * periodUs))} ${periodUs}`);
    }
    if (maxProcesses !== undefined) await limit('pids', String(maxProcesses));
    return limits;
  }
}

export class RunCgroup {
  readonly #folder: string;
  readonly #own: string;
  readonly #limits: ReadonlyMap<Controller, string>;

  constructor(folder: string, own: string, limits: ReadonlyMap<Controller, string> = new Map()) {
    this.#folder = folder;
    this.#own = own;
    this.#limits = limits;
  }

  /** For `confine`. */
  get held(): ReadonlySet<Controller> {
    return new Set(this.#limits.keys());
  }

  /**
   * What `start` spawns begins its life in the group. This process enters it and leaves it again, since a child is born
   * where its parent is: a wrapper that enters it by itself would have to be root, with the environment of the module.
   * Synchronous, so that nothing else is born there. The limits come after it: they would be this process's as well, whose
   * threads alone are more than some modules may have processes.
   */
  place<Result>(start: () => Result): Result {
    const [entrance, exit] = [this.#folder, this.#own].map((folder) => join(folder, 'cgroup.procs')) as [
      string,
      string,
    ];
    writeFileSync(entrance, '0');
    let started: Result;
    try {
      started = start();
    } finally {
      writeFileSync(exit, '0');
    }
    for (const [controller, text] of this.#limits) writeFileSync(join(this.#folder, limitFiles[controller]), text);
    return started;
  }

  async usage(): Promise<CgroupUsage> {
    const read = (file: string) => readFile(join(this.#folder, file), 'utf8').catch(() => '');
    const [cpu, memory, procs] = await Promise.all([read('cpu.stat'), read('memory.current'), read('cgroup.procs')]);
    return {
      cpuUs: Number(/^usage_usec (\d+)$/m.exec(cpu)?.[1] ?? 0),
      memoryBytes: memory === '' ? undefined : Number(memory),
      processes: linesOf(procs).length,
    };
  }

  /** Whether the system has ended any of it since it wanted more memory than it may have. */
  async ranOutOfMemory(): Promise<boolean> {
    const events = await readFile(join(this.#folder, 'memory.events'), 'utf8').catch(() => '');
    return Number(/^oom_kill (\d+)$/m.exec(events)?.[1] ?? 0) > 0;
  }

  /** SIGKILL to all that is in it. False where the system is too old for that: look for them otherwise. */
  async kill(): Promise<boolean> {
    return write(join(this.#folder, 'cgroup.kill'), '1');
  }

  /** After its end. Processes that are about to go are waited for, two seconds; false where some stay. */
  async remove(): Promise<boolean> {
    for (let attempt = 0; attempt < removeAttempts; attempt++) {
      if (await removeGroup(this.#folder)) return true;
      await pause(removePauseMs);
    }
    return false;
  }
}

/** With the groups inside it, which a module that is root can make. */
async function removeGroup(folder: string): Promise<boolean> {
  try {
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      if (entry.isDirectory()) await removeGroup(join(folder, entry.name));
    }
    await rmdir(folder);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}

async function findMount(root: string): Promise<string | undefined> {
  // The second: systems that have both versions, where the first has the controllers.
  for (const mount of [root, join(root, 'unified')]) {
    if (await exists(join(mount, 'cgroup.controllers'))) return mount;
  }
  return undefined;
}

/**
 * Groups with controllers have processes or groups, never both: so the server and the keeper go into one beside those
 * of modules. Only where ours has no other processes: a login session, or a container's other programs, stays as is.
 */
async function takeControllers(
  base: string,
  present: string,
  proc: string,
  pids: readonly number[],
): Promise<Set<Controller>> {
  const available = wordsOf(await readFile(join(base, 'cgroup.controllers'), 'utf8'));
  const wanted = new Set(controllers.filter((controller) => available.has(controller)));
  // The group of the whole machine has no type. It belongs to the system, and so does what it hands on.
  if (!(await exists(join(base, 'cgroup.type')))) return new Set();
  if (wanted.size === 0) return wanted;
  const inside = linesOf(await readFile(join(base, 'cgroup.procs'), 'utf8')).map(Number);
  for (const pid of inside) if (!(await isOurs(pid, proc, pids))) return new Set();
  const service = join(base, serviceName);
  if (present !== service) await mkdir(service, { recursive: true });
  for (const pid of inside) await write(join(service, 'cgroup.procs'), String(pid));
  return enable(base, wanted);
}

/** Whether it is one of these, or a child of one. */
async function isOurs(pid: number, proc: string, pids: readonly number[]): Promise<boolean> {
  let current = pid;
  for (let steps = 0; steps < maxAncestors && current > 1; steps++) {
    if (pids.includes(current)) return true;
    const status = await readFile(join(proc, String(current), 'status'), 'utf8').catch(() => '');
    current = Number(/^PPid:\s*(\d+)$/m.exec(status)?.[1] ?? 0);
  }
  return pids.includes(current);
}

/** Which of them groups inside can have from now on. */
async function enable(folder: string, wanted: ReadonlySet<Controller>): Promise<Set<Controller>> {
  const file = join(folder, 'cgroup.subtree_control');
  const plus = (names: readonly Controller[]) => names.map((name) => `+${name}`).join(' ');
  if (wanted.size === 0 || (await write(file, plus([...wanted])))) return new Set(wanted);
  // A list is refused as a whole.
  const enabled = new Set<Controller>();
  for (const name of wanted) if (await write(file, plus([name]))) enabled.add(name);
  return enabled;
}

async function write(path: string, text: string): Promise<boolean> {
  return writeFile(path, text).then(
    () => true,
    () => false,
  );
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}

function wordsOf(text: string): Set<string> {
  return new Set(text.split(/\s+/));
}
