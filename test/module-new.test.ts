// `telltale module new`: what it writes works on the demo plant as it is.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { before, describe, test } from 'node:test';
import type { LiveFunctionModule } from '@telltale/schema';
import { CliPlant, failed } from './cli-plant.ts';
import { spawnCli } from './cli-process.ts';
import { until } from './until.ts';

const plant = new CliPlant();
const { cli, good } = plant;
before(() => chmodSync(plant.folder, 0o755)); // a module that has a user of its own passes here

const missing = (program: string) =>
  spawnSync(program, ['--version']).status === 0 ? false : `there is no ${program} on this machine`;

const inFolder = (...args: string[]) => spawnCli(args, { url: plant.url, cwd: plant.folder });
const moduleNamed = (name: string) => good<LiveFunctionModule>('module', 'status', name);

describe('telltale module new', () => {
  for (const [language, ending, program] of [
    ['ts', 'ts', 'env'],
    ['python', 'py', 'python3'],
    ['shell', 'sh', 'curl'],
  ] as const) {
    test(`--language ${language} writes a program that runs, and stops`, { skip: missing(program) }, async () => {
      const name = `panel_${ending}`;
      const { code, stdout, stderr } = await inFolder('module', 'new', name, '--language', language);
      assert.equal(code, 0, stderr);
      const { written, next } = JSON.parse(stdout) as { written: string; next: string };
      assert.equal(written, `${name}.${ending}`);
      await good('write', 'gate_panel_text', '');
      assert.equal((await inFolder(...next.split(' ').slice(1))).code, 0);
      await until('the panel shows the level', async () => {
        const { gate_panel_text: panel } = await good<Record<string, { vt: [string] }>>('read', '--commands');
        return /^sTank 1: \d\.\d m$/.test(panel?.vt[0] ?? '');
      });
      await until('it runs', async () => (await moduleNamed(name)).state === 'RUN');
      await good('module', 'stop', name);
      assert.equal((await moduleNamed(name))['exit-code'], 0);
    });
  }

  test('leaves a file alone that is there', async () => {
    assert.equal((await inFolder('module', 'new', 'twice')).code, 0);
    const { code, stderr } = await inFolder('module', 'new', 'twice');
    assert.deepEqual([code, /twice\.ts exists already/.test(stderr)], [1, true]);
  });

  test('refuses what can be no name, and a language that it does not know', async () => {
    assert.equal(failed(await cli('module', 'new', '../evil')).code, 2);
    assert.equal(failed(await cli('module', 'new', 'x', '--language', 'cobol')).code, 2);
  });
});
