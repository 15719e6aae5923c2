// Promises of control groups: which files are written, whose groups are left alone, and, where this machine has groups
// that we may make, that a child is born in its group and ended with it.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, type TestContext, test } from 'node:test';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { Cgroups } from './cgroup.ts';
import type { Bounds } from './keeper-protocol.ts';

const unbound: Bounds = { user: undefined, memoryBytes: undefined, cpuCores: undefined, maxProcesses: undefined };
const bound: Bounds = { user: undefined, memoryBytes: 64 << 20, cpuCores: 0.5, maxProcesses: 20 };
const server = 100;
const keeper = 101;

interface Layout {
  readonly path?: string;
  readonly controllers?: string;
  /** From process to its parent: all are in our group. */
  readonly processes?: Record<number, number>;
  readonly isRoot?: boolean;
  readonly isHybrid?: boolean;
}

/** What the system would show, in a plain folder. */
async function layout(context: TestContext, options: Layout) {
  const { path = '/system.slice/telltale.service', controllers = 'cpuset cpu io memory pids' } = options;
  const folder = temporaryFolder(context);
  const [root, proc] = [join(folder, 'cgroup'), join(folder, 'proc')];
  const mount = options.isHybrid ? join(root, 'unified') : root;
  const group = join(mount, path);
  const processes = options.processes ?? { [server]: 1, [keeper]: server };
  mkdirSync(join(proc, 'self'), { recursive: true });
  mkdirSync(group, { recursive: true });
  writeFileSync(join(mount, 'cgroup.controllers'), controllers);
  writeFileSync(join(group, 'cgroup.controllers'), controllers);
  if (!options.isRoot) writeFileSync(join(group, 'cgroup.type'), 'domain\n');
  writeFileSync(join(group, 'cgroup.procs'), Object.keys(processes).join('\n'));
  writeFileSync(join(proc, 'self/cgroup'), `4:memory:/elsewhere\n0::${path}\n`);
  for (const [pid, parent] of Object.entries(processes)) {
    mkdirSync(join(proc, pid));
    writeFileSync(join(proc, pid, 'status'), `Name:\tx\nPPid:\t${parent}\n`);
  }
  const open = () => Cgroups.open({ root, proc, pids: [server, keeper] });
  const read = (file: string) => readFileSync(join(group, file), 'utf8');
  return { root, proc, group, open, read };
}

describe('in a group of its own', () => {
  test('the server and the keeper make room, and modules get controllers', async (context) => {
    const { open, read } = await layout(context, {});
    const cgroups = await open();
    assert.deepEqual([...(cgroups?.controllers ?? [])], ['memory', 'cpu', 'pids']);
    assert.equal(read('telltale-service/cgroup.procs'), String(keeper)); // the last that was written; the system adds
    assert.equal(read('cgroup.subtree_control'), '+memory +cpu +pids');
    assert.equal(read('telltale-modules/cgroup.subtree_control'), '+memory +cpu +pids');
  });

  test('a run has its bounds in files when it has begun, and none that nobody asked for', async (context) => {
    const { open, group, read } = await layout(context, {});
    const cgroups = await open();
    const run = await cgroups?.make('f00d.1', bound);
    assert.deepEqual([...(run?.held ?? [])], ['memory', 'cpu', 'pids']);
    const file = (name: string) => read(`telltale-modules/f00d.1/${name}`);
    const limits = () => ['memory.max', 'cpu.max', 'pids.max'].map(file);
    run?.place(() => assert.deepEqual(limits(), ['max', 'max', 'max'], 'the keeper is bound as well'));
    assert.deepEqual(limits(), [String(64 << 20), '50000 100000', '20']);
    assert.equal(file('memory.swap.max'), '0');
    assert.equal(file('memory.oom.group'), '1');
    const free = await cgroups?.make('f00d.2', unbound);
    assert.deepEqual([...(free?.held ?? [])], []);
    assert.equal(existsSync(join(group, 'telltale-modules/f00d.2/memory.max')), false);
  });

  test('a run that wanted more memory than it may have can be distinguished from others', async (context) => {
    const { open, group } = await layout(context, {});
    const run = await (await open())?.make('f00d.1', bound);
    assert.equal(await run?.ranOutOfMemory(), false);
    const events = join(group, 'telltale-modules/f00d.1/memory.events');
    writeFileSync(events, 'low 0\nhigh 0\nmax 9\noom 1\noom_kill 0\noom_group_kill 0\n');
    assert.equal(await run?.ranOutOfMemory(), false);
    writeFileSync(events, 'low 0\nhigh 0\nmax 9\noom 1\noom_kill 2\noom_group_kill 1\n');
    assert.equal(await run?.ranOutOfMemory(), true);
  });

  test('a share of the CPU that is too small for the system is the smallest that it takes', async (context) => {
    const { open, read } = await layout(context, {});
    (await (await open())?.make('f00d.1', { ...unbound, cpuCores: 0.0001 }))?.place(() => undefined);
    assert.equal(read('telltale-modules/f00d.1/cpu.max'), '1000 100000');
  });

  test('what a run uses is what its files say', async (context) => {
    const { open, group } = await layout(context, {});
    const run = await (await open())?.make('f00d.1', bound);
    const folder = join(group, 'telltale-modules/f00d.1');
    writeFileSync(join(folder, 'cpu.stat'), 'usage_usec 123456\nuser_usec 100000\nsystem_usec 23456\n');
    writeFileSync(join(folder, 'memory.current'), '4096\n');
    writeFileSync(join(folder, 'cgroup.procs'), '7\n8\n9\n');
    assert.deepEqual(await run?.usage(), { cpuUs: 123456, memoryBytes: 4096, processes: 3 });
    rmSync(join(folder, 'memory.current'));
    assert.equal((await run?.usage())?.memoryBytes, undefined);
  });

  test('what the system has no controller for is not said to be held', async (context) => {
    const { open } = await layout(context, { controllers: 'cpuset pids' });
    const run = await (await open())?.make('f00d.1', bound);
    assert.deepEqual([...(run?.held ?? [])], ['pids']);
  });

  test('a child of the server is moved with it', async (context) => {
    const { open, read } = await layout(context, { processes: { [server]: 1, [keeper]: server, 102: keeper } });
    assert.equal((await open())?.controllers.size, 3);
    assert.equal(read('telltale-service/cgroup.procs'), '102');
  });

  test('a keeper that follows another uses the groups that are there', async (context) => {
    const { open, proc, group } = await layout(context, {});
    await open();
    writeFileSync(join(group, 'cgroup.procs'), '');
    writeFileSync(join(proc, 'self/cgroup'), '0::/system.slice/telltale.service/telltale-service\n');
    const again = await open();
    assert.equal(again?.controllers.size, 3);
    await again?.make('f00d.1', bound);
    assert.ok(existsSync(join(group, 'telltale-modules/f00d.1/memory.max')));
    assert.equal(existsSync(join(group, 'telltale-service/telltale-modules')), false);
  });
});

describe('nobody is moved and no controller is taken', () => {
  const cases: [string, Layout][] = [
    ['where another program is in the group', { processes: { [server]: 1, [keeper]: server, 200: 1 } }],
    ['where the shell that started the server is in the group', { processes: { 99: 1, [server]: 99, [keeper]: 100 } }],
    ['in the group of the whole machine', { path: '/', isRoot: true }],
    ['where the other version has the controllers', { isHybrid: true, controllers: 'hugetlb' }],
  ];
  for (const [title, options] of cases) {
    test(title, async (context) => {
      const { open, group } = await layout(context, options);
      const cgroups = await open();
      const run = await cgroups?.make('f00d.1', bound);
      assert.deepEqual([...(run?.held ?? ['none'])], []);
      assert.equal(existsSync(join(group, 'telltale-service')), false);
      assert.equal(existsSync(join(group, 'cgroup.subtree_control')), false);
    });
  }
});

test('a machine without groups has none', async (context) => {
  const { root, open } = await layout(context, {});
  rmSync(join(root, 'cgroup.controllers'));
  assert.equal(await open(), undefined);
  assert.equal(await Cgroups.open({ root: '/nowhere', proc: '/nowhere', pids: [] }), undefined);
});

const isRoot = process.getuid?.() === 0;
test('groups of another user are not used', { skip: isRoot ? 'root may use all' : false }, async (context) => {
  const { open, group } = await layout(context, {});
  mkdirSync(join(group, 'telltale-modules'), { mode: 0o555 });
  assert.equal(await open(), undefined);
});

describe('on this machine', async () => {
  const prefix = `test-${process.pid}.`;
  // No pid is ours, so that nobody is moved.
  const cgroups = await Cgroups.open({ pids: [] });
  const canKill = cgroups !== undefined && (await usable(cgroups));
  const options = { skip: canKill ? false : 'there is no cgroup v2 that we may write to' };
  after(async () => await cgroups?.sweep(prefix));
  const make = async (name: string) => {
    const run = await cgroups?.make(prefix + name, unbound);
    assert.ok(run);
    return run;
  };

  test('a child is born in its group, and its parent is not in it any more', options, async () => {
    const run = await make('born');
    const child = run.place(() => spawn('cat', ['/proc/self/cgroup'], { stdio: ['ignore', 'pipe', 'inherit'] }));
    const before = ownGroup();
    assert.match(await textOf(child), new RegExp(`^0::.*/telltale-modules/${prefix}born$`, 'm'));
    assert.doesNotMatch(before, /telltale-modules/);
    assert.ok((await run.usage()).cpuUs > 0);
    assert.equal(await run.remove(), true);
  });

  test('its parent leaves it also where nothing could be started', options, async () => {
    const run = await make('failed');
    assert.throws(() =>
      run.place(() => {
        throw new Error('no room');
      }),
    );
    assert.doesNotMatch(ownGroup(), /telltale-modules/);
    assert.equal(await run.remove(), true);
  });

  test('all that a run started is ended at once, whatever it did to get away', options, async () => {
    const run = await make('killed');
    const script = 'trap "" TERM; setsid env -i sleep 1000 & setsid -f sleep 1000; echo ready; wait';
    const child = run.place(() => spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'inherit'] }));
    const ended = once(child, 'exit');
    await once(child.stdout as NonNullable<typeof child.stdout>, 'data');
    assert.ok((await run.usage()).processes >= 3);
    assert.equal(await run.kill(), true);
    assert.deepEqual(await ended, [null, 'SIGKILL']);
    assert.equal(await run.remove(), true);
    assert.equal((await run.usage()).processes, 0);
  });

  test('what a killed keeper left is ended before a run has its name, and by a sweep', options, async () => {
    const first = await make('left');
    const child = first.place(() => spawn('sleep', ['1000'], { stdio: 'ignore' }));
    const ended = once(child, 'exit');
    const second = await make('left');
    assert.deepEqual(await ended, [null, 'SIGKILL']);
    const other = second.place(() => spawn('sleep', ['1000'], { stdio: 'ignore' }));
    const swept = once(other, 'exit');
    await cgroups?.sweep(prefix);
    assert.deepEqual(await swept, [null, 'SIGKILL']);
    assert.equal(await second.remove(), true);
  });

  async function usable(groups: Cgroups): Promise<boolean> {
    try {
      const run = await groups.make(`${prefix}probe`, unbound);
      const can = await run.kill();
      run.place(() => undefined);
      await run.remove();
      return can;
    } catch {
      return false;
    }
  }
});

function ownGroup(): string {
  return readFileSync('/proc/self/cgroup', 'utf8');
}

async function textOf(child: ChildProcess): Promise<string> {
  let text = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  await once(child, 'close');
  return text;
}
