import assert from 'node:assert/strict';
import { test } from 'node:test';
import { doctorBench, found } from '../../../test/doctor-bench.ts';
import { checkCgroup } from './cgroup-check.ts';

const MiB = 2 ** 20;
const unit = 'sys/fs/cgroup/system.slice/telltale.service';

test('little memory, few processes and less than a processor are found, in the group of the server and those above it', async (t) => {
  const texts = async (files: Record<string, string>) => {
    const system = { 'proc/7/cgroup': '0::/system.slice/telltale.service\n', ...files };
    return (await found(checkCgroup, doctorBench(t, { system, serverPid: 7 }))).join('\n');
  };
  assert.match(await texts({}), /^ok: /);
  const none = { [`${unit}/memory.max`]: 'max\n', [`${unit}/pids.max`]: 'max\n', [`${unit}/cpu.max`]: 'max 100000\n' };
  assert.match(await texts(none), /^ok: /);
  assert.match(
    await texts({ [`${unit}/memory.max`]: `${128 * MiB}\n` }),
    /^wrong: The control group allows 128 MiB of memory/,
  );
  assert.match(
    await texts({ ...none, 'sys/fs/cgroup/system.slice/memory.max': `${512 * MiB}` }),
    /^note: .* 512 MiB of memory/,
  );
  assert.match(await texts({ [`${unit}/pids.max`]: '32\n' }), /^wrong: The control group allows 32 of tasks/);
  assert.match(
    await texts({ [`${unit}/cpu.max`]: '50000 100000\n' }),
    /^note: The control group allows 0\.50 of a processor/,
  );
});

test('a machine without such groups, and a path that climbs, are in order', async (t) => {
  assert.match((await found(checkCgroup, doctorBench(t))).join(), /^ok: There is no control group/);
  const system = { 'proc/self/cgroup': '0::/../../etc\n', 'etc/memory.max': '1' };
  assert.match((await found(checkCgroup, doctorBench(t, { system }))).join(), /^ok: /);
});
