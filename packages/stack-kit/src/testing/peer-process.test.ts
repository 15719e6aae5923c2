import assert from 'node:assert/strict';
import { test } from 'node:test';
import { suiteCleanup, temporaryFolder } from './cleanup.ts';
import { freePort } from './free-port.ts';
import { accepts, missingPeers, PeerProcess } from './peer-process.ts';

const folder = temporaryFolder(suiteCleanup());
const command = process.execPath;

test('a peer is waited for until it is ready, and has ended when it is stopped', async () => {
  const port = await freePort();
  const program = `require('net').createServer(() => {}).listen(${port}, '127.0.0.1', () => console.log('here'))`;
  const isReady = async ({ said }: PeerProcess) => said.includes('here') && (await accepts(port));
  const peer = await PeerProcess.start({ command, args: ['-e', program], folder, isReady });
  const listeners = process.listenerCount('exit');
  assert.ok(peer.isRunning);
  await peer.stop();
  assert.deepEqual([peer.isRunning, await accepts(port)], [false, false]);
  assert.equal(process.listenerCount('exit'), listeners - 1);
});

test('a peer that does not want to end is ended', async () => {
  const program = `process.on('SIGTERM', () => {}); setInterval(() => console.log('still here'), 20)`;
  const isReady = ({ said }: PeerProcess) => said.includes('still here');
  const peer = await PeerProcess.start({ command, args: ['-e', program], folder, isReady });
  await peer.stop();
  assert.equal(peer.isRunning, false);
});

test('a peer that ends before it is ready reports what it said', async () => {
  const program = `console.error('no such configuration'); process.exit(3)`;
  const start = () => PeerProcess.start({ command, args: ['-e', program], folder, isReady: () => false });
  await assert.rejects(start, /has ended; it said: no such configuration/);
  const missing = PeerProcess.start({ command: '/no/such/peer', args: [], folder, isReady: () => true });
  await assert.rejects(missing, /no\/such\/peer has ended; it said: .*ENOENT/);
});

test('a peer that is missing is named, with what installs it', () => {
  assert.equal(missingPeers('sh', '/bin/sh'), undefined);
  assert.match(missingPeers('sh', 'no_such_peer') ?? '', /^no_such_peer cannot be found: test\/install-peers.sh/);
});
