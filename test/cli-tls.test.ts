// The command line over TLS, against a real server that made its own certificate.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { RunningCli, spawnCli } from './cli-process.ts';
import { startServer } from './server-process.ts';

const password = 'correct horse battery staple';
const admin = 'root_admin';

test('over TLS, a server that made its own certificate is asked once somebody trusts it', async (t) => {
  const data = temporaryFolder(t);
  const over = await startServer(t, { data, args: ['--tls'] });
  const env = { XDG_CONFIG_HOME: temporaryFolder(t) };
  const cli = (args: readonly string[], input = '') => spawnCli(args, { url: '', input, env });
  const stranger = await cli(['--url', over.url, 'read']);
  assert.equal(stranger.code, 3);
  assert.match(stranger.stderr, /SELF_SIGNED_CERT.*fingerprint.*--ca-file/);
  const ca = join(data, 'tls', 'certificate.pem');
  const none = await cli(['--url', over.url, '--ca-file', join(data, 'tls', 'key.pem'), 'read']);
  assert.match(none.stderr, /key\.pem has no certificates as PEM/);
  assert.equal((await cli(['context', 'add', 'plant', over.url, '--ca-file', ca])).code, 0);
  assert.equal((await cli(['context', 'use', 'plant'])).code, 0);
  assert.equal((await cli(['config', 'put', 'measurements', 'level', '-'], '{"datatype": "d"}')).code, 0);
  assert.equal((await cli(['config', 'render'])).code, 0);
  const made = await cli(['access', 'init', admin, '--data', data, '--password-stdin'], password);
  assert.equal(made.code, 0, made.stderr);
  const signedIn = await cli(['login', '--user', admin, '--password-stdin'], password);
  assert.equal(signedIn.code, 0, signedIn.stderr);
  const watching = new RunningCli(t, ['watch', '--all'], { url: '', env });
  await watching.line((line) => line.includes('level'));
  const ended = await cli(['logout']);
  assert.equal(ended.code, 0, ended.stderr);
  assert.equal(await watching.ended, 1, watching.stderr);
  assert.match(watching.stderr, /telltale login/);
});
