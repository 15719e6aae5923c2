// That the suite can fail: every flawed stack does, and where it should.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { flaws } from '../../test/flawed-line-connectors.ts';
import { providerFlaws } from '../../test/flawed-line-providers.ts';

describe('the suite fails on a stack that', { concurrency: 4 }, () => {
  const file = fileURLToPath(new URL('../../test/conformance-of-flawed.ts', import.meta.url));
  /** Which tests failed and which passed. */
  const run = async (flaw: string, pattern: RegExp) => {
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const args = [
      '--test',
      '--test-isolation=none',
      '--test-force-exit',
      '--test-reporter=tap',
      `--test-name-pattern=${pattern.source}`,
      file,
    ];
    const child = spawn(process.execPath, args, { env: { ...env, LINE_FLAW: flaw, CONFORMANCE_RECONNECTS: '100' } });
    const [said] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    const titles = (verdict: string) => Array.from(said.matchAll(new RegExp(`^ +${verdict} \\d+ - (.*)$`, 'gm')));
    const named = (verdict: string) => titles(verdict).filter(([, title = '']) => pattern.test(title)).length;
    return { failed: named('not ok'), passed: named('ok'), said };
  };

  for (const [flaw, { fails }] of Object.entries({ ...flaws, ...providerFlaws })) {
    test(flaw, async () => {
      const { failed, said } = await run(flaw, fails);
      assert.ok(failed > 0, said);
    });
  }

  test('and passes one without a flaw, run the same way', async () => {
    const { failed, passed, said } = await run('none', /brings what the device has/);
    assert.deepEqual([failed, passed], [0, 1], said);
  });
});
