// A keeper of function modules that hangs: the service goes on, nothing waits for ever, and nothing is left.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { canListProcesses, isAlive } from './marked-processes.ts';
import { type ModulePlant, probeLatency, sleeper, stubbornPlant } from './module-plant.ts';

const skip = !canListProcesses && 'function modules run on Linux';

let plant: ModulePlant;
let keeper: number;

describe('a keeper that hangs', { skip, timeout: 120_000 }, () => {
  beforeEach(async () => {
    plant = await stubbornPlant();
    keeper = plant.keeper ?? assert.fail('there is no keeper');
  });
  afterEach(() => plant.close());

  test('does not stop the service; it is replaced, what waited for it is answered, and the modules come back', async (t) => {
    const probe = probeLatency(plant.server);
    const startedMs = performance.now();
    process.kill(keeper, 'SIGSTOP');
    const log = fetch(`${plant.server.url}/data/function-modules/plain/log`);
    const stop = plant.operate('deaf', 'stop');
    const restart = plant.operate('plain', 'restart');
    await plant.configure({ late: { program: sleeper } });
    assert.equal(Object.keys(await plant.all()).length, 6);

    assert.deepEqual(await stop, { status: 204, detail: '' });
    assert.deepEqual(plant.processes('deaf'), []);
    assert.ok((await log).status >= 500, 'nobody could read it');
    assert.deepEqual(await restart, { status: 204, detail: '' });
    t.diagnostic(`all was answered after ${((performance.now() - startedMs) / 1000).toFixed(1)} s`);
    await plant.eachRunsOnce(['family', 'plain', 'late']);
    assert.ok(!isAlive(keeper));
    assert.equal((await plant.live('deaf')).state, 'STOP');
    assert.match((await plant.live('family'))['last-error']?.text ?? '', /keeper of function modules/);
    t.diagnostic(await probe.stop());
    await plant.noZombies();
  });

  test('does not keep the server from stopping, and nothing is left', async () => {
    process.kill(keeper, 'SIGSTOP');
    const { code } = await plant.server.end('SIGTERM');
    assert.equal(code, 0);
    assert.deepEqual(plant.processes(), []);
    assert.equal(plant.keeper, undefined);
  });
});
