import assert from 'node:assert/strict';
import { test } from 'node:test';
import { doctorBench, found } from '../../../test/doctor-bench.ts';
import { checkMemory } from './memory-check.ts';

const meminfo = (totalMiB: number, swapMiB: number, swapFreeMiB: number) =>
  `MemTotal:       ${totalMiB * 1024} kB\nMemFree:  1 kB\nSwapTotal:      ${swapMiB * 1024} kB\nSwapFree:  ${swapFreeMiB * 1024} kB\n`;

test('a machine that swaps, or has little memory, is looked at', async (t) => {
  const text = async (system: Record<string, string>) => (await found(checkMemory, doctorBench(t, { system }))).join();
  assert.match(await text({ 'proc/meminfo': meminfo(4096, 4096, 4000) }), /^ok: The machine has 4096 MiB of memory/);
  assert.match(await text({ 'proc/meminfo': meminfo(4096, 4096, 1000) }), /^note: 3096 MiB are swapped out/);
  assert.match(
    await text({ 'proc/meminfo': meminfo(512, 0, 0) }),
    /^note: The machine has 512 MiB of memory, which is little/,
  );
  assert.match(await text({}), /^ok: The system does not tell/);
});
