import assert from 'node:assert/strict';
import { test } from 'node:test';
import { doctorBench, found } from '../../../test/doctor-bench.ts';
import type { Machine } from '../machine.ts';
import { checkNode } from './node-check.ts';

test('flags that open Node to others or take its memory are looked at, on its command line and in NODE_OPTIONS', async (t) => {
  const text = async (machine: Partial<Machine>) => (await found(checkNode, doctorBench(t, { machine }))).join('\n');
  assert.match(await text({}), /^ok: Node \d+/);
  assert.match(await text({ nodeFlags: ['--inspect=0.0.0.0:9229'] }), /^note: --inspect=0\.0\.0\.0:9229 opens a port/);
  const environment = { NODE_OPTIONS: ' --no-warnings  --max-old-space-size=128' };
  assert.equal(await text({ environment }), 'note: --max-old-space-size=128 leaves the server little memory.');
  assert.match(await text({ environment: { NODE_OPTIONS: '--max-old-space-size=4096' } }), /^ok: /);
});
