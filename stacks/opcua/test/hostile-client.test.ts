// A client that means harm before a provider: others are served as before.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { quality } from '@telltale/schema';
import { RawChannel } from './raw-channel.ts';
import { point, Served } from './served.ts';
import { UaClientProcess } from './ua-client.ts';

describe('a provider, before a client that means harm', () => {
  let clients: UaClientProcess;
  before(async () => {
    clients = await UaClientProcess.start();
  });
  after(() => clients.stop());

  test('makes no arrays of a million values of the few bytes that ask for them, and serves others', async (t) => {
    const served = await Served.start(t, [point(1, 'level', 'd')]);
    served.publish((batch) => batch.number(1, 4.5, quality.good, 1e15));
    const million = Buffer.from([0x80, 0, 0, 0x10, 0]);
    const channel = await RawChannel.open(t, served.port);
    channel.write(Array.from({ length: 400 }, () => million));
    const other = await clients.open({ port: served.port, userName: 'ann', password: 'look' });
    assert.equal((await other.read('ns=2;s=At.level')).value, 4.5);
    await other.close();
  });
});
