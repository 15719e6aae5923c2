// Serial lines beyond what is the same over TCP: threads, ports that are not there, ports that go.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { NotConnected } from '@telltale/stack-kit';
import { startProcess } from '@telltale/stack-kit/host';
import { until } from '@telltale/stack-kit/testing';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { SerialTransport } from '../src/serial-transport.ts';
import { missingPymodbus, PymodbusDevice } from './pymodbus-device.ts';
import { TestLink } from './test-link.ts';

const python = '/usr/bin/python3';
/** Both ends of a line: it says the path of the one, and sends what it hears into the other. */
const terminal = `import os, sys, tty
near, far = os.openpty()
tty.setraw(far)
print(os.ttyname(far), flush=True)
while byte := os.read(0, 1):
    os.write(near, byte)`;

/** Below /dev everybody may write here, on most machines. */
const sharedMemory = '/dev/shm';

function missingShared(): string | false {
  try {
    accessSync(sharedMemory, constants.W_OK | constants.X_OK);
    return false;
  } catch (error) {
    return `${sharedMemory} cannot be written: ${(error as Error).message}`;
  }
}

const missingTerminal = () => (existsSync(python) ? missingShared() : `${python} is not there`);

const serial = { transport: 'serial', baudRate: 115_200, parity: 'none', scanPeriodMs: 20, timeoutMs: 500 };

describe('a serial port', { skip: missingPymodbus() ?? false }, () => {
  let device: PymodbusDevice;
  before(async () => {
    device = await PymodbusDevice.start('serial');
    await device.set('hr', 0, [77]);
  });
  after(() => device.stop());

  const read = async (stays: boolean) => {
    const workerData = { path: device.path, stays };
    const worker = new Worker(new URL('./serial-worker.ts', import.meta.url), { workerData });
    const [value] = await once(worker, 'message');
    assert.equal(value, 77);
    return worker;
  };

  test('is read from any thread, and is free for the next when that was ended', async () => {
    const worker = await read(true);
    await worker.terminate();
    await once(await read(false), 'exit');
  });

  test('that is lost ends the link', async () => {
    const own = await PymodbusDevice.start('serial');
    const link = new TestLink({ ...serial, path: own.path });
    try {
      link.setPoints({ register: ['hr0', 'i'] });
      await link.start();
      await own.stop();
      await until('the link is lost', () => link.lost !== undefined);
      assert.ok(link.lost instanceof NotConnected);
      await link.stop();
      await assert.rejects(link.start(), NotConnected);
    } finally {
      await link.stop();
      await own.stop();
    }
  });
});

describe('what is no serial port is refused, and the error says why', () => {
  const cleanup = suiteCleanup();
  const folder = temporaryFolder(cleanup);
  const skip = missingShared();
  const shared = skip === false ? temporaryFolder(cleanup, sharedMemory) : join(sharedMemory, 'not-there');

  const refused = (what: string, path: string, reason: RegExp, options = {}) =>
    test(what, options, async () => {
      const link = new TestLink({ ...serial, path });
      const isSo = (error: Error) =>
        error instanceof NotConnected && error.message.startsWith(`${path}: `) && reason.test(error.message);
      await assert.rejects(link.start(), isSo);
      await link.stop();
    });

  const elsewhere = /: a serial port must be a device below \/dev$/;
  writeFileSync(join(folder, 'file'), 'not for you');
  symlinkSync('/dev/null', join(folder, 'link'));
  refused('a file', join(folder, 'file'), elsewhere);
  refused('a link from elsewhere to a device', join(folder, 'link'), elsewhere);
  refused('a link from elsewhere to a device, by way of /dev', `/dev/..${folder}/link`, elsewhere);
  refused('a path that is relative', 'ttyUSB0', elsewhere);
  refused('/dev itself', '/dev', elsewhere);
  refused('a device of another kind', '/dev/null', /Inappropriate ioctl/);

  const isNone = (what: string) => new RegExp(`: it is ${what}: a serial port must be a character device$`);
  if (skip === false) {
    writeFileSync(join(shared, 'file'), 'not for you');
    mkdirSync(join(shared, 'folder'));
    execFileSync('mkfifo', [join(shared, 'pipe')]);
    symlinkSync('file', join(shared, 'link'));
    symlinkSync(join(folder, 'file'), join(shared, 'link-out'));
  }
  refused('a file below /dev', join(shared, 'file'), isNone('a file'), { skip });
  refused('a link below /dev to a file', join(shared, 'link'), isNone('a file'), { skip });
  refused('a folder below /dev', join(shared, 'folder'), isNone('a folder'), { skip });
  refused('a pipe below /dev', join(shared, 'pipe'), isNone('a pipe'), { skip });
  refused(
    'a link out of /dev',
    join(shared, 'link-out'),
    /: it leads to .*file: a serial port must be a device below \/dev$/,
    { skip },
  );
});

test('a serial port is opened by its own path, and by a link below /dev', { skip: missingTerminal() }, async (t) => {
  const child = spawn(python, ['-c', terminal], { stdio: ['pipe', 'pipe', 'inherit'] });
  t.after(() => child.kill());
  const [line] = await once(child.stdout, 'data');
  const path = String(line).trim();
  const shared = temporaryFolder(t, sharedMemory);
  symlinkSync(path, join(shared, 'usb-adapter'));
  for (const each of [path, join(shared, 'usb-adapter')]) {
    const transport = new SerialTransport({ path: each, baudRate: 9600, parity: 'none', stopBits: 1 }, startProcess);
    try {
      const heard = new Promise<string>((resolve) => {
        transport.onData = (bytes) => resolve(Buffer.from(bytes).toString());
      });
      await transport.open(new AbortController().signal);
      child.stdin.write('x');
      assert.equal(await heard, 'x');
    } finally {
      await transport.close();
    }
  }
});

test('a serial port that is not there is reported as such', async () => {
  const link = new TestLink({ ...serial, path: '/dev/no-such-port' });
  await assert.rejects(link.start(), (error) => error instanceof NotConnected && /no-such-port/.test(error.message));
  await link.stop();
});
