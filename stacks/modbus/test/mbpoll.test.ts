// The provider against mbpoll, a client of its own.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { quality } from '@telltale/schema';
import { missingPeers } from '@telltale/stack-kit/testing';
import { TestServer } from './test-server.ts';

const skip = missingPeers('mbpoll') ?? false;

describe('mbpoll', { skip }, () => {
  let server: TestServer;
  before(async () => {
    server = await TestServer.start(
      { level: ['ir0:float32', 'd'], big: ['ir2:int32', 'i'], on: ['di4', 'b'] },
      { speed: ['hr10:int16', 'i'], setpoint: ['hr11:float32', 'f'], start: ['co3', 'b'], locked: ['hr20:int16', 'i'] },
    );
    server.publish('level', 21.5);
    server.publish('big', -100_000);
    server.publish('on', true);
    server.publish('start', false);
  });
  after(() => server.stop());

  /** What it prints; rejects where it fails, with what it says. */
  const mbpoll = async (...args: string[]) => {
    const options = ['-m', 'tcp', '-p', String(server.port), '-a', '1', '-0', '-1', '-q', '-B'];
    const values = args.filter((each) => each.startsWith('value '));
    const others = args.filter((each) => !each.startsWith('value '));
    const all = [...options, ...others, '127.0.0.1', ...values.map((each) => each.slice(6))];
    const { stdout, stderr } = await promisify(execFile)('mbpoll', all).catch((error) => error);
    return `${stdout}${stderr}`;
  };

  test('reads floats, integers and bits', async () => {
    assert.match(await mbpoll('-t', '3:float', '-r', '0'), /\[0\]:\s+21\.5/);
    assert.match(await mbpoll('-t', '3:int', '-r', '2'), /\[2\]:\s+-100000/);
    assert.match(await mbpoll('-t', '1', '-r', '4'), /\[4\]:\s+1/);
  });

  test('gets no value of a command before it was written', async () => {
    server.publish('speed', 0, quality.bad.notConnected, 0);
    assert.match(await mbpoll('-t', '4', '-r', '10'), /Slave device or server failure/);
  });

  test('writes commands', async () => {
    assert.match(await mbpoll('-t', '4', '-r', '10', 'value 42'), /Written 1 references/);
    assert.match(await mbpoll('-t', '4:float', '-r', '11', 'value 2.5'), /Written 1 references/);
    assert.match(await mbpoll('-t', '0', '-r', '3', 'value 1'), /Written 1 references/);
    assert.deepEqual(server.written, [
      ['speed', 42],
      ['setpoint', 2.5],
      ['start', true],
    ]);
    assert.match(await mbpoll('-t', '4', '-r', '10'), /\[10\]:\s+42/);
  });

  test('learns what it must not ask, what is refused and what is bad', async () => {
    assert.match(await mbpoll('-t', '3', '-r', '500'), /Illegal data address/);
    server.refusing.add('locked');
    assert.match(await mbpoll('-t', '4', '-r', '20', 'value 1'), /Slave device or server failure/);
    server.publish('level', undefined, quality.bad.communicationFailure);
    assert.match(await mbpoll('-t', '3:float', '-r', '0'), /Slave device or server failure/);
  });
});
