// Processes of a module that lie about what they are: whatever they say of themselves, they go with their run.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { afterEach, describe, test } from 'node:test';
import { until } from '@telltale/stack-kit/testing';
import { isAlive, type KeeperBench, noBounds, openBench, withPython } from '../../../test/modules/keeper-bench.ts';
import { mayChangeUser } from './machine.ts';
import { readProcesses, readUser } from './process-table.ts';

const benches: KeeperBench[] = [];
afterEach(async () => {
  for (const each of benches.splice(0)) await each.close();
});

const uid = 61184 + (process.pid % 4096);
const bounds = { ...noBounds, user: { uid, gid: uid } };
const skip = (await mayChangeUser()) ? false : 'only root can give a module a user of its own';

/** Leave their run as far as a program can. The mark of the run is `FOLDER.NUMBER`. */
const lies = {
  'no mark': 'env -i',
  'the mark of a run that there is not': `env TELLTALE_RUN="\${TELLTALE_RUN%.*}.99999"`,
  'the mark of the keeper': `env TELLTALE_RUN="\${TELLTALE_RUN%.*}.keeper"`,
  'the mark of another folder': 'env TELLTALE_RUN=0123456789abcdef.1',
};

for (const [where, cgroupRoot] of [
  ['where the machine has control groups, if it has', undefined],
  ['where it has none', '/nowhere'],
] as const) {
  describe(`a process without parent and session, ${where}`, { skip }, () => {
    for (const [what, lie] of Object.entries(lies)) {
      test(`with ${what} ends with its run`, async () => {
        const bench = openBench({ cgroupRoot });
        benches.push(bench);
        const run = bench.run(`#!/bin/sh\n(setsid ${lie} sh -c 'echo $$; exec sleep 1000' &)\nsleep 0.3\n`, { bounds });
        await bench.ended(run);
        await until('it has told its number', () => bench.texts().length > 0);
        assert.equal(isAlive(Number(bench.texts()[0])), false);
      });
    }

    test('that goes on under ever new numbers ends with its run', async () => {
      const bench = openBench({ cgroupRoot });
      benches.push(bench);
      // Of this test alone: what has ended counts until the first process of the machine has taken note of it.
      const own = uid + (cgroupRoot === undefined ? 1 : 2);
      const hop = 'while (1) { if (fork) { POSIX::_exit(0) } POSIX::setsid() }';
      const script = `#!/usr/bin/perl\nuse POSIX;\nif (fork) { sleep 1; exit 0 }\n${hop}\n`;
      const run = bench.run(script, { bounds: { ...noBounds, user: { uid: own, gid: own } }, termToKillMs: 200 });
      await bench.ended(run);
      for (let look = 0; look < 20; look++) {
        const all = [...(await readProcesses()).keys()];
        assert.deepEqual(
          all.filter((pid) => readUser(pid) === own),
          [],
        );
      }
    });
  });
}

describe('a process that says that its environment is as long as gigabytes', { skip }, () => {
  // PR_SET_MM_MAP, which needs no privileges.
  const program = `#!/usr/bin/python3
import ctypes, os, struct, time
if os.fork(): time.sleep(1000)
libc = ctypes.CDLL(None)
libc.mmap.restype = libc.sbrk.restype = ctypes.c_void_p
size = 1 << 28
at = libc.mmap(None, ctypes.c_size_t(size), 1, 0x4022, -1, ctypes.c_long(0))
text = open('/proc/self/stat').read()
fields = [0, 0, 0] + text[text.rindex(')') + 2:].split()
field = lambda number: int(fields[number])
told = struct.pack('12QII', field(26), field(27), field(45), field(46), field(47), libc.sbrk(0), field(28), field(48),
  field(49), at, at + size, 0, 0, 0xffffffff)
print('said' if libc.prctl(35, 14, ctypes.create_string_buffer(told, len(told)), ctypes.c_ulong(len(told)), 0) == 0 else 'refused',
  flush=True)
time.sleep(1000)
`;

  test('costs the keeper nothing', withPython, async () => {
    const bench = openBench();
    benches.push(bench);
    const run = bench.run(program, { bounds });
    await bench.started(run);
    await until('it has said so', () => bench.texts().length > 0);
    const readings = new Set<unknown>();
    await until('it was looked at three times', () => readings.add(bench.usages.get(run)).size > 3);
    const status = readFileSync(`/proc/${bench.keeper.pid}/status`, 'utf8');
    const mostMiB = Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
    assert.ok(mostMiB < 200, `${bench.texts()[0]}: the keeper has had ${mostMiB} MiB`);
  });
});
