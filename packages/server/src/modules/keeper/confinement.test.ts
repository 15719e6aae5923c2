// Promises of a confined process, tried with real ones: who it is, what it cannot do, and what ends it.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { constants, getPriority } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { cleanupOf, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { confine } from './confine.ts';
import type { Bounds } from './keeper-protocol.ts';
import { mayChangeUser, readMachine } from './machine.ts';
import { prepareHome } from './prepare-home.ts';

const MiB = 1 << 20;
const user = { uid: 61310, gid: 61310 };
const neighbour = { uid: 61311, gid: 61311 };
/** Of one test and run: what has ended counts until the first process of the machine has taken note of it. */
const crowdUid = 61400 + (process.pid % 4096);
const crowd = { uid: crowdUid, gid: crowdUid };
const none: Bounds = { user, memoryBytes: undefined, cpuCores: undefined, maxProcesses: undefined };
const machine = await readMachine();
const path = `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`;
const isWhole = machine.setpriv?.length === 3 && machine.prlimit !== undefined && (await mayChangeUser());
const options = { skip: isWhole ? false : 'only root with the setpriv and prlimit of util-linux can try this' };

/** Whether there is such a program, also for the user of a module. */
function without(program: string) {
  const { status } = spawnSync(program, ['--version'], { env: { PATH: path }, cwd: '/', ...user });
  return { skip: status === 0 ? false : `a user of its own cannot run ${program} here` };
}

async function dataFolder(context: TestContext): Promise<string> {
  const outside = temporaryFolder(context);
  chmodSync(outside, 0o755);
  const data = join(outside, 'data');
  mkdirSync(data, { mode: 0o700 });
  writeFileSync(join(data, 'cfgdb.sqlite'), 'x', { mode: 0o644 });
  return data;
}

interface Start {
  readonly name?: string;
  readonly script: string;
  readonly bounds?: Partial<Bounds>;
  readonly env?: Record<string, string>;
}

async function start(context: TestContext, data: string, { name = 'loop', script, bounds = {}, env = {} }: Start) {
  const folder = join(data, 'modules', name);
  const all = { ...none, ...bounds };
  const { home, bin, missing } = await prepareHome({ module: name, folder, user: all.user });
  assert.deepEqual(missing, []);
  writeFileSync(join(bin, name), script);
  chmodSync(join(bin, name), 0o755);
  const launch = {
    run: 1,
    module: name,
    executable: '',
    uploaded: undefined,
    sha256: undefined,
    env: {},
    bounds: all,
    termToKillMs: 1000,
  };
  const confined = confine(machine, launch, { executable: `../bin/${name}`, held: new Set() });
  const child = spawn(confined.command, confined.args, {
    ...confined.options,
    cwd: home,
    env: { PATH: path, HOME: home, LANG: 'C.UTF-8', DATA: data, ...env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  cleanupOf(context).defer(() => endGroup(child));
  return { child, home };
}

async function run(context: TestContext, data: string, request: Start) {
  const { child, home } = await start(context, data, request);
  const [out, err] = [child.stdout, child.stderr].map((stream) => stream?.setEncoding('utf8').toArray());
  const [code] = await once(child, 'exit');
  endGroup(child);
  return { code, out: (await out)?.join('') ?? '', err: (await err)?.join('') ?? '', home };
}

/** What a test left of its own group. */
function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // nothing
  }
}

describe('a confined process', options, () => {
  test('has its user, no groups, no capabilities, no way to new ones and leaves no cores', async (context) => {
    const script = '#!/bin/sh\ncat /proc/self/status; echo "Core: $(ulimit -c)"; echo "Files: $(ulimit -n)"\n';
    const { out } = await run(context, await dataFolder(context), { script });
    const field = (name: string) => new RegExp(`^${name}:(.*)$`, 'm').exec(out)?.[1]?.trim();
    assert.deepEqual([field('Uid'), field('Gid')], ['61310\t61310\t61310\t61310', '61310\t61310\t61310\t61310']);
    assert.equal(field('Groups'), '');
    for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapAmb']) assert.match(field(set) ?? '', /^0+$/, set);
    assert.equal(field('NoNewPrivs'), '1');
    assert.equal(field('Core'), '0');
    assert.ok(Number(field('Files')) <= 4096);
  });

  test('runs nothing with the privileges of the server, whatever its environment makes a program load', async (context) => {
    // The loader of every program on the way writes into a file whose owner is who ran it.
    const data = await dataFolder(context);
    const request = { script: '#!/bin/sh\ntrue\n', bounds: { cpuCores: 1 } };
    const { home } = await run(context, data, request);
    const env = { LD_DEBUG: 'files', LD_DEBUG_OUTPUT: join(home, 'loader') };
    assert.equal((await run(context, data, { ...request, env })).code, 0);
    const files = readdirSync(home).filter((name) => name.startsWith('loader'));
    for (const file of files) assert.equal(lstatSync(join(home, file)).uid, user.uid);
    context.diagnostic(`${files.length} files of the loader`);
  });

  test('reads neither the data folder nor the home of another, and writes its own', async (context) => {
    const data = await dataFolder(context);
    const other = await start(context, data, {
      name: 'other',
      script: '#!/bin/sh\necho secret > state; chmod 666 state; echo done; sleep 100\n',
      bounds: { user: neighbour },
    });
    await once(other.child.stdout as NonNullable<typeof other.child.stdout>, 'data');
    const script = `#!/bin/sh
for path in "$DATA" "$DATA/modules" .. "${other.home}"
do ls "$path" >/dev/null 2>&1 && echo "listed $path"; done
for path in "$DATA/cfgdb.sqlite" "${other.home}/state" /proc/${other.child.pid}/environ
do cat "$path" >/dev/null 2>&1 && echo "read $path"; done
for path in "$DATA/x" ../x ../bin/x ../bin/loop "${other.home}/x"
do (echo x >> "$path") 2>/dev/null && echo "wrote $path"; done
kill ${other.child.pid} 2>/dev/null && echo killed
echo x > mine && echo y >> "$HOME/mine" && cat mine
`;
    const { out } = await run(context, data, { script });
    assert.equal(out, 'x\ny\n');
    assert.equal(other.child.exitCode, null);
  });

  test('of Python finds its program and its home by full paths', without('python3'), async (context) => {
    const script =
      '#!/usr/bin/env python3\nimport os\nopen(os.environ["HOME"] + "/state", "w").close()\nprint("ran")\n';
    const { out, err } = await run(context, await dataFolder(context), { script });
    assert.deepEqual([out, err], ['ran\n', '']);
  });

  test(
    'of Node does so too, with a bound of memory that is smaller than what Node reserves',
    without('node'),
    async (context) => {
      const script =
        '#!/usr/bin/env node\nrequire("fs").writeFileSync(process.env.HOME + "/state", "");console.log("ran")\n';
      const bounds = { memoryBytes: 64 * MiB };
      const { out, err } = await run(context, await dataFolder(context), { script, bounds });
      assert.deepEqual([out, err], ['ran\n', '']);
    },
  );

  test('that eats memory ends at its bound, and others live', without('python3'), async (context) => {
    const data = await dataFolder(context);
    const other = await start(context, data, {
      name: 'other',
      script: '#!/bin/sh\necho on; sleep 100\n',
      bounds: { user: neighbour },
    });
    await once(other.child.stdout as NonNullable<typeof other.child.stdout>, 'data');
    // Zeros that nobody has written take no memory of the machine, and count.
    const script =
      '#!/usr/bin/env python3\nkept = []\nfor i in range(4096):\n  kept.append(bytes(1 << 20))\nprint("ate all")\n';
    const eater = await run(context, data, { script, bounds: { memoryBytes: 16 * MiB } });
    assert.deepEqual([eater.code, eater.out], [1, '']);
    assert.match(eater.err, /MemoryError/);
    assert.equal(other.child.exitCode, null);
  });

  test('has no more processes than its bound, and others may start theirs', without('python3'), async (context) => {
    const data = await dataFolder(context);
    const script = `#!/usr/bin/env python3
import os, time
count = 0
try:
  while count < 50:
    if os.fork() == 0:
      os.close(1); os.close(2); time.sleep(30); os._exit(0)
    count += 1
except OSError as error:
  print(error.errno)
print(count, flush=True)
time.sleep(30)
`;
    const bomb = await start(context, data, { script, bounds: { user: crowd, maxProcesses: 10 } });
    const [chunk] = await once(bomb.child.stdout as NonNullable<typeof bomb.child.stdout>, 'data');
    const [error, count] = String(chunk).split('\n').map(Number);
    assert.equal(error, constants.errno.EAGAIN);
    assert.ok(Number(count) < 10, `${count} children`);
    const other = { name: 'other', script: '#!/bin/sh\n(echo child)\n', bounds: { user: neighbour, maxProcesses: 10 } };
    assert.equal((await run(context, data, other)).out, 'child\n');
  });

  test('whose CPU cannot be held gives way to others', async (context) => {
    const data = await dataFolder(context);
    const script = '#!/bin/sh\nnice\n';
    const niceness = getPriority();
    const lower = Math.min(19, niceness + 10);
    assert.equal((await run(context, data, { script, bounds: { cpuCores: 0.5 } })).out, `${lower}\n`);
    assert.equal((await run(context, data, { script })).out, `${niceness}\n`);
  });
});
