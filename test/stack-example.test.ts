// The stack of the guide works: its files are taken from the page, held to the types and to the conformance suite, and
// run by the server.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { before, describe, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Explanation, LiveConnector } from '@telltale/schema';
import { cleanupOf, suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { put } from './live-plant.ts';
import { startServer } from './server-process.ts';
import { until } from './until.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const page = readFileSync(join(root, 'docs/guides/stacks.md'), 'utf8');

/** From path to text: a block of code right below the path. */
const files = Array.from(page.matchAll(/^`([\w./-]+)`\n\n```\w+\n(.*?)^```$/gms), ([, path = '', text = '']) => ({
  path,
  text,
}));

interface Board {
  readonly port: number;
  readonly registers: Map<number, number>;
  stop(): Promise<void>;
}

describe('the stack of the guide', () => {
  const cleanup = suiteCleanup();
  const folder = temporaryFolder(cleanup);
  const stack = join(folder, 'stacks/board');
  let conformance: ReturnType<typeof runConformance>;

  before(() => {
    for (const { path, text } of files) {
      mkdirSync(dirname(join(stack, path)), { recursive: true });
      writeFileSync(join(stack, path), text);
    }
    symlinkSync(join(root, 'node_modules'), join(folder, 'stacks/node_modules'));
    conformance = runConformance(stack);
  });

  test('has all its files on the page', () => {
    assert.deepEqual(
      files.map(({ path }) => path),
      ['package.json', 'src/stack.ts', 'src/line.ts', 'src/connector.ts', 'test/board.ts', 'test/conformance.test.ts'],
    );
  });

  test('fits the types of the kit', () => {
    const options = { extends: join(root, 'tsconfig.json'), include: ['src', 'test'] };
    writeFileSync(join(stack, 'tsconfig.json'), JSON.stringify(options));
    const { status, stdout } = spawnSync(join(root, 'node_modules/.bin/tsc'), ['--noEmit', '-p', stack], {
      encoding: 'utf8',
    });
    assert.equal(status, 0, stdout);
  });

  test('runs in the server, which finds it by its folder', async (t) => {
    const { Board } = (await import(pathToFileURL(join(stack, 'test/board.ts')).href)) as {
      Board: { start(): Promise<Board> };
    };
    const board = await Board.start();
    cleanupOf(t).defer(() => board.stop());
    for (const register of [40, 50]) board.registers.set(register, 17);
    const server = await startServer(t, { data: join(folder, 'data'), args: ['--stacks', dirname(stack)] });
    const vars = { host: '127.0.0.1', port: String(board.port), scanPeriodMs: '20' };
    const on = (address: string) => ({ datatype: 'i', connectorName: 'board', address });
    const operations = [
      put('connectors', 'board', { stackName: 'board', vars }),
      put('measurements', 'level', on('reg40')),
      put('commands', 'valve', on('reg50')),
    ];
    const answer = await server.send('POST', '/cfgdb/txn?render=1', { operations });
    assert.equal(answer.status, 204, await answer.text());
    const read = async <Body>(path: string) => (await (await fetch(`${server.url}/data${path}`)).json()) as Body;
    const explained = await until('it is read', async () => {
      const found = await read<Explanation>('/measurements/level/explain');
      return found.reading !== null && found.vtq[0] === 'i17' && found;
    });
    assert.deepEqual([explained.reading?.request, explained.reading?.raw], ['read 40 1', '17']);
    const written = await fetch(`${server.url}/data/commands/valve?value=i5`, { method: 'PUT' });
    assert.deepEqual([written.status, board.registers.get(50)], [204, 5]);
    const {
      state,
      devices,
      'scan-groups': groups,
    } = await until('it tells of itself', async () => {
      const found = await read<LiveConnector>('/connectors/board');
      return found.devices.length > 0 && found;
    });
    assert.deepEqual([state, devices[0]?.name, groups[0]?.period], ['up', 'board', 20]);
  });

  test('passes the conformance suite', { timeout: 120_000 }, async () => {
    const { code, output } = await conformance;
    assert.equal(code, 0, output);
  });
});

/** It takes longest, and so it runs beside the rest. */
async function runConformance(stack: string): Promise<{ code: number | null; output: string }> {
  // Inside a test of node:test, a test process would report to it and not to us.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const child = spawn(process.execPath, ['--test', 'test/conformance.test.ts'], {
    cwd: stack,
    env: { CONFORMANCE_RECONNECTS: '20', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}
