// A connector with a list of servers, each a process of its own.
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { isGood, quality } from '@telltale/schema';
import { HostedConnector, until } from '@telltale/stack-kit/testing';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import stack from '../src/stack.ts';
import { UaBench } from './ua-bench.ts';
import { UaDevice } from './ua-device.ts';

const urlOf = ({ port }: UaDevice) => `opc.tcp://127.0.0.1:${port}`;
const flow = UaDevice.address('Flow');

async function startPair(t: TestContext): Promise<[UaDevice, UaDevice]> {
  const pair = await Promise.all([UaDevice.start(), UaDevice.start()]);
  for (const device of pair) t.after(() => device.stop());
  await pair[1].order({ kind: 'set', node: flow, value: 8 });
  return pair;
}

function host(t: TestContext, pair: readonly UaDevice[]): HostedConnector {
  const endpointUrl = pair.map(urlOf).join(', ');
  const hosted = new HostedConnector({
    role: stack.connector ?? assert.fail(),
    vars: { endpointUrl, securityMode: 'None', publishingIntervalMs: '50', samplingIntervalMs: '20' },
    folder: temporaryFolder(t),
    measurements: [{ address: flow, datatype: 'd' }],
  });
  t.after(() => hosted.stop());
  hosted.setPoints();
  return hosted;
}

describe('of two servers', () => {
  const reads = (hosted: HostedConnector, value: number) =>
    until(`it reads ${value}`, () => {
      const shown = hosted.points.get(flow);
      return shown?.value === value && isGood(shown.quality);
    });
  const isUp = (hosted: HostedConnector) => hosted.connection.detail().devices.map((each) => each.isUp);

  test('the second takes over when the first is killed', async (t) => {
    const [first, second] = await startPair(t);
    const hosted = host(t, [first, second]);
    await reads(hosted, 7);
    assert.deepEqual(isUp(hosted), [true], 'of one that was not tried nothing is known');
    await first.stop();
    await reads(hosted, 8);
    assert.deepEqual(isUp(hosted), [false, true]);
    assert.match(
      hosted.connection.detail().devices[0]?.lastError ?? '',
      /connection (?:was reset|without a reason)|ECONN/,
    );
  });

  test('the second takes over when the first is silent, and no value of the first stays good', async (t) => {
    const [first, second] = await startPair(t);
    const hosted = host(t, [first, second]);
    await reads(hosted, 7);
    process.kill(first.pid ?? assert.fail(), 'SIGSTOP');
    await until('it is lost', () => !isGood(hosted.points.get(flow)?.quality ?? quality.good));
    await reads(hosted, 8);
    assert.deepEqual(isUp(hosted), [false, true]);
  });

  test('the second takes over when the first says that it is not to be used', async (t) => {
    const [first, second] = await startPair(t);
    const hosted = host(t, [first, second]);
    await reads(hosted, 7);
    await first.order({ kind: 'level', value: 150 });
    await reads(hosted, 8);
    await second.order({ kind: 'level', value: 1 });
    await reads(hosted, 7);
    assert.deepEqual(isUp(hosted), [true, false], 'one that is degraded is better than none');
    await first.order({ kind: 'level', value: 255 });
  });

  test('the one in use is told by explain, and by the reason when none is there', async (t) => {
    const [first, second] = await startPair(t);
    const bench = new UaBench(first, { endpointUrl: [second, first].map(urlOf).join(',') });
    bench.setPoints({ Flow: { datatype: 'd' } });
    await bench.start();
    await bench.reads('Flow', 8, quality.good);
    assert.equal(bench.connector.explain?.({ id: 0 } as never)?.device, urlOf(second));
    await bench.stop();
    await Promise.all([first.stop(), second.stop()]);
    const nobody = new UaBench(first, { endpointUrl: [second, first].map(urlOf).join(',') });
    const message = new RegExp(`^no server can be used: ${urlOf(second)}: .*ECONNREFUSED.*; ${urlOf(first)}: `);
    await assert.rejects(nobody.start(), { name: 'NotConnected', message });
    await nobody.stop();
  });
});
