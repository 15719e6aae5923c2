// A server that is told to stop while its function modules do not want to: it ends in its time, and nothing is left.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { canListProcesses, isAlive } from './marked-processes.ts';
import { type ModulePlant, stubbornPlant } from './module-plant.ts';

const skip = !canListProcesses && 'function modules run on Linux';

let plant: ModulePlant;
let keeper: number;

describe('a server that is asked to stop', { skip, timeout: 60_000 }, () => {
  beforeEach(async () => {
    plant = await stubbornPlant();
    keeper = plant.keeper ?? assert.fail('there is no keeper');
  });
  afterEach(() => plant.close());

  test('ends modules that do not want to, whatever they are in, and leaves nothing', async (t) => {
    const startedMs = performance.now();
    const { code, stderr } = await plant.server.end('SIGTERM');
    t.diagnostic(`it has ended after ${((performance.now() - startedMs) / 1000).toFixed(1)} s`);
    assert.deepEqual([code, stderr], [0, '']);
    assert.deepEqual(plant.processes(), []);
    assert.equal(plant.keeper, undefined);
    assert.ok(!isAlive(keeper));
  });

  test('while somebody stops and restarts modules answers them, and leaves nothing', async () => {
    const asked = [plant.operate('deaf', 'stop'), plant.operate('mute', 'restart'), plant.operate('plain', 'restart')];
    const ended = plant.server.end('SIGTERM');
    for (const { status } of await Promise.all(asked)) assert.ok([204, 500, 503].includes(status), String(status));
    assert.equal((await ended).code, 0);
    assert.deepEqual(plant.processes(), []);
  });

  test('twice by two signals, as systemd and an impatient person do, leaves nothing either', async () => {
    process.kill(plant.server.pid, 'SIGINT');
    const { code } = await plant.server.end('SIGTERM');
    assert.equal(code, 0);
    assert.deepEqual(plant.processes(), []);
    await plant.startServer();
    await plant.eachRunsOnce(['deaf', 'family', 'plain']);
  });
});
