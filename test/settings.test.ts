// Promises of the settings as they are listed, against the real server and by the command line.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TelltaleClient, TelltaleProblem } from '@telltale/client';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { runCli } from './cli-process.ts';
import { makeTokens } from './granted-server.ts';
import { startServer } from './server-process.ts';

const cleanup = suiteCleanup();

test('whoever may read all of the configuration is told each setting, and nobody else', async () => {
  const data = temporaryFolder(cleanup);
  await (await startServer(cleanup, { data })).end();
  const tokens = await makeTokens(data, {
    engineer: [{ role: 'engineer' }],
    north: [{ role: 'engineer', area: 'north' }],
    shift: [{ role: 'operator' }],
  });
  const server = await startServer(cleanup, { data, args: ['--max-watches', '4242'] });
  const settingsOf = (name: keyof typeof tokens) =>
    new TelltaleClient({ url: server.url, token: tokens[name] }).service.settings();
  const found = await settingsOf('engineer');
  assert.deepEqual(
    [found['max-watches']?.value, found['max-watches']?.source, found.data?.value],
    [4242, 'command-line', data],
  );
  assert.deepEqual([found['write-timeout']?.value, found['write-timeout']?.source], [5000, 'default']);
  const { code, stdout } = await runCli(['settings'], { url: server.url, env: { TELLTALE_TOKEN: tokens.engineer } });
  assert.deepEqual([code, JSON.parse(stdout)], [0, found]);
  for (const name of ['north', 'shift'] as const) {
    await assert.rejects(settingsOf(name), (error) => error instanceof TelltaleProblem && error.status === 403);
  }
});
