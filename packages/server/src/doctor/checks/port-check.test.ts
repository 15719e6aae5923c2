import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { cleanupOf } from '@telltale/stack-kit/testing/cleanup';
import { doctorBench, found } from '../../../test/doctor-bench.ts';
import { checkPort } from './port-check.ts';

/** A port that somebody really has. */
async function takenPort(t: TestContext): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanupOf(t).defer(() => void server.close());
  return (server.address() as AddressInfo).port;
}

const onLinux = process.platform === 'linux' ? false : 'only Linux tells who has a port';

describe('the port', () => {
  test('is free, or any', async (t) => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const free = await found(checkPort, doctorBench(t, { settings: [`--port=${port}`] }));
    assert.deepEqual(free, [`ok: Port ${port} of 127.0.0.1 is free.`]);
    assert.match((await found(checkPort, doctorBench(t, { settings: ['--port=0'] }))).join(), /^ok: .* any free port/);
  });

  test('that another program has is wrong, by its name and process', { skip: onLinux }, async (t) => {
    const port = await takenPort(t);
    const settings = [`--port=${port}`];
    const [text = ''] = await found(checkPort, doctorBench(t, { settings, machine: { root: '/' } }));
    assert.match(
      text,
      new RegExp(`^wrong: Port ${port} of 127.0.0.1 is taken by .* \\(process ${process.pid}\\): stop it`),
    );
    const own = await found(checkPort, doctorBench(t, { settings, machine: { root: '/' }, serverPid: process.pid }));
    assert.match(own.join(), /^ok: .* is in use, as it should be: the server runs/);
    const other = await found(checkPort, doctorBench(t, { settings, machine: { root: '/' }, serverPid: 1 }));
    assert.match(other.join(), /^wrong: /);
  });

  test('whose owner cannot be known is wrong, unless a server runs on the data folder', async (t) => {
    const settings = [`--port=${await takenPort(t)}`];
    assert.match((await found(checkPort, doctorBench(t, { settings }))).join(), /^wrong: .* taken by another program/);
    assert.match((await found(checkPort, doctorBench(t, { settings, serverPid: 7 }))).join(), /^ok: .*process 7/);
  });

  test('of an address that the machine does not have is wrong', async (t) => {
    const [text = ''] = await found(checkPort, doctorBench(t, { settings: ['--host=192.0.2.1', '--port=18080'] }));
    assert.match(text, /^wrong: This machine has no address 192\.0\.2\.1/);
  });
});
