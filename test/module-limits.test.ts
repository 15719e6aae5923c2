// Function modules in real control groups: the server in a group of its own, as a service manager starts it. Tried for
// what the second version of groups has controllers for here.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { missingPeers } from '@telltale/stack-kit/testing';
import { canListProcesses } from './marked-processes.ts';
import { ModulePlant, sleeper } from './module-plant.ts';
import { until } from './until.ts';

/** A process more each time, as long as the system gives it one. */
const bomb = `#!/usr/bin/python3
import os, time
count = 1
try:
  while count < 100:
    if os.fork() == 0: time.sleep(1000)
    count += 1
except OSError as error: print(error.errno, count, flush=True)
time.sleep(1000)
`;

const eater = `#!/usr/bin/python3
taken = []
while True: taken.append(bytearray(b"x" * 1048576))
`;

const burner = '#!/bin/sh\nwhile :; do :; done\n';

const mount = ['/sys/fs/cgroup', '/sys/fs/cgroup/unified'].find((path) => existsSync(join(path, 'cgroup.controllers')));
const given = mount === undefined ? '' : readFileSync(join(mount, 'cgroup.subtree_control'), 'utf8');
const group = join(mount ?? '', `telltale-test-${process.pid}`);
const skip = !(canListProcesses && process.getuid?.() === 0 && given !== '')
  ? 'only root with a controller of control groups can try this'
  : (missingPeers('/usr/bin/python3') ?? false);
const withOnly = (controller: string) => ({
  skip: !given.split(/\s/).includes(controller) && `this machine gives no controller ${controller} to control groups`,
});

describe('in a control group of its own, a module', { skip }, () => {
  let plant: ModulePlant;
  /** The file of the control group that a module runs in. */
  const ofGroup = async (name: string, file: string): Promise<string> => {
    const { pid } = await plant.untilRuns(name);
    const path = /^0::(.*)$/m.exec(readFileSync(`/proc/${pid}/cgroup`, 'utf8'))?.[1] ?? '';
    return readFileSync(join(mount ?? '', path, file), 'utf8').trim();
  };

  before(async () => {
    mkdirSync(group);
    plant = await ModulePlant.open({ prelude: `echo $$ > ${group}/cgroup.procs` });
    await plant.configure({
      bomb: { program: bomb, properties: { maxProcesses: '5' } },
      alone: { program: '#!/usr/bin/python3\nimport time\ntime.sleep(1000)\n', properties: { maxProcesses: '1' } },
      eater: { program: eater, properties: { memoryLimit: '64M' }, respawn: false },
      burner: { program: burner, properties: { cpuLimit: '0.01' } },
      good: { program: sleeper },
    });
  });

  after(async () => {
    await plant.server.end();
    await plant.close();
    for (const part of ['telltale-modules', 'telltale-service', '']) rmdirSync(join(group, part));
  });

  test('has no more processes than it may, be it fewer than its keeper has threads', withOnly('pids'), async () => {
    const [line] = await until('it was refused one more', async () => {
      const lines = await plant.log('bomb');
      return lines.length > 0 && lines;
    });
    assert.equal(line?.text, '11 5');
    assert.equal(plant.processes('bomb').length, 5);
    assert.equal(await ofGroup('alone', 'pids.max'), '1');
  });

  test(
    'that takes more memory than it may is ended by the system, all of it, and reported so',
    withOnly('memory'),
    async () => {
      const reported = await plant.untilIt('eater', 'fails', ({ state }) => state === 'FAIL');
      assert.equal(reported['exit-signal'], 'SIGKILL');
      assert.match(reported['last-error']?.text ?? '', /needed more memory than its memoryLimit allows/);
      assert.deepEqual(plant.processes('eater'), []);
    },
  );

  test('that takes more of the CPU than it may waits for its share', withOnly('cpu'), async () => {
    assert.equal(await ofGroup('burner', 'cpu.max'), '1000 100000');
    await until('it was held', async () => /nr_throttled [1-9]/.test(await ofGroup('burner', 'cpu.stat')));
  });

  test('is not missing what the system holds, and others do not notice', async () => {
    const { restarts, 'last-error': error } = await plant.live('good');
    assert.deepEqual([restarts, error], [0, null]);
    const held = { pids: /number of processes of bomb/, memory: /memory of eater/, cpu: /CPU of burner/ };
    for (const [controller, sentence] of Object.entries(held)) {
      assert.equal(!sentence.test(plant.server.log), given.split(/\s/).includes(controller), controller);
    }
  });
});
