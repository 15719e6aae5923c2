import assert from 'node:assert/strict';
import { test } from 'node:test';
import { doctorBench, found } from '../../../test/doctor-bench.ts';
import { checkDescriptors } from './descriptors-check.ts';

const limits = (files: number) =>
  `Limit  Soft Limit  Hard Limit  Units\nMax open files            ${files}    ${files}   files\n`;

test('too few open files for the clients are looked at, too few for the server are wrong; those of a running server count', async (t) => {
  const text = async (system: Record<string, string>, serverPid?: number) =>
    (await found(checkDescriptors, doctorBench(t, { system, ...(serverPid !== undefined && { serverPid }) }))).join();
  assert.match(
    await text({ 'proc/self/limits': limits(65_536) }),
    /^ok: A program that you start may have 65536 files open/,
  );
  assert.match(
    await text({ 'proc/self/limits': limits(1024) }),
    /^note: .* 1024 files .* clients of the channel, and --max-clients is 10000/,
  );
  assert.match(await text({ 'proc/self/limits': limits(256) }), /^wrong: /);
  const both = { 'proc/self/limits': limits(65_536), 'proc/42/limits': limits(128) };
  assert.match(await text(both, 42), /^wrong: The server \(process 42\) may have 128 files/);
  assert.match(await text({}), /^ok: The system does not tell/);
});
