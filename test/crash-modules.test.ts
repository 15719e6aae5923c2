// Kills the server, the keeper of its function modules, or both, while modules are in every state: nothing of them lives on,
// and the next start runs each of them again, once.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { canListProcesses, isAlive } from './marked-processes.ts';
import { counted, deaf, family, familySize, type Hostile, ModulePlant, sleeper } from './module-plant.ts';
import { until } from './until.ts';

const skip = !canListProcesses && 'function modules run on Linux';

/** Hears SIGTERM, and goes on. */
const stubborn = `${counted}trap 'echo 1 >> told' TERM\nwhile :; do sleep 0.05; done\n`;

/** One in each state. */
const modules: Record<string, Hostile> = {
  starts: { program: sleeper, queryTimeout: 600_000 },
  runs: { program: family, termToKill: 500 },
  waits: { program: `${counted}exit 1\n` },
  stopping: { program: stubborn, termToKill: 4000 },
  failed: { program: `${counted}exit 1\n`, respawn: false },
  stopped: { program: sleeper },
};
/** That have processes after a start. */
const lasting = ['starts', 'runs', 'stopping', 'stopped'];

let plant: ModulePlant;
/** The request to stop that is under way. */
let stop: Promise<unknown>;

async function untilInTheirStates(): Promise<void> {
  await until('it is there', async () => plant.starts('stopped') === 1);
  assert.equal((await plant.operate('stopped', 'stop')).status, 204);
  await plant.untilIt('failed', 'fails', ({ state }) => state === 'FAIL');
  await plant.untilIt('starts', 'has a process', ({ state, pid }) => state === 'INIT' && pid !== null);
  await until('all its processes are there', async () => plant.processes('runs').length === familySize);
  await until('it is there', async () => plant.starts('stopping') === 1);
  await plant.untilIt(
    'waits',
    'waits for 2 s',
    (reported) => reported.restarts === 1 && reported['next-start'] !== null,
  );
  stop = plant.operate('stopping', 'stop').catch(() => 'the server was killed');
  await until('it was told to stop', async () => plant.stored('stopping', 'told').length > 0);
}

async function killServer(): Promise<void> {
  await plant.server.end('SIGKILL');
}

async function killKeeper(): Promise<number> {
  const keeper = plant.keeper ?? assert.fail('there is no keeper');
  process.kill(keeper, 'SIGKILL');
  await until('the keeper is gone', async () => !isAlive(keeper));
  return keeper;
}

/** What was stopped by hand and what had failed is started as well: a start of the server begins again. */
async function startAgain(before: ReadonlyMap<string, number>): Promise<void> {
  await plant.startServer();
  for (const name of Object.keys(modules)) {
    await until(`${name} is started again`, async () => plant.starts(name) > (before.get(name) ?? 0));
    assert.deepEqual(plant.stored(name, 'twice'), [], `${name} was started while its run before lived`);
  }
  await plant.eachRunsOnce(['runs', 'stopping', 'stopped']);
  await plant.untilIt('starts', 'has a process', ({ state, pid }) => state === 'INIT' && pid !== null);
  assert.equal(plant.processes('starts').length, 1);
  await plant.untilIt('failed', 'fails again', ({ state }) => state === 'FAIL');
  for (const name of ['starts', 'runs', 'stopping', 'stopped', 'failed']) {
    assert.equal(plant.starts(name), (before.get(name) ?? 0) + 1, name);
  }
  await plant.noZombies();
}

const startsSoFar = () => new Map(Object.keys(modules).map((name) => [name, plant.starts(name)]));

describe('kill -9, while function modules start, run, wait, are stopped and have failed,', { skip }, () => {
  beforeEach(async () => {
    plant = await ModulePlant.open();
    await plant.configure(modules);
    await untilInTheirStates();
  });
  afterEach(() => plant.close());

  test('of the server: the keeper ends them all, then itself; the next start runs them again', async () => {
    const keeper = plant.keeper ?? 0;
    await killServer();
    await plant.untilNothingIsLeft();
    await until('the keeper is gone', async () => !isAlive(keeper));
    await stop;
    await startAgain(startsSoFar());
  });

  test('of the server, which is started again at once: nothing runs twice, and all of it runs', async () => {
    // It lives on for longer than a server takes to start.
    await plant.configure({ lingers: { program: deaf, termToKill: 9000 } });
    await until('it ignores SIGTERM', async () => plant.processes('lingers').length === 2);
    const before = startsSoFar();
    await killServer();
    await startAgain(before);
    await plant.eachRunsOnce(['lingers']);
    await stop;
  });

  test('of the server and the keeper: what lives on is ended at the next start, before anything is started', async () => {
    const before = startsSoFar();
    // The keeper first, and the server in the same moment: neither has time to do anything.
    process.kill(plant.keeper ?? assert.fail('there is no keeper'), 'SIGKILL');
    await killServer();
    const left = plant.processes();
    assert.ok(left.length >= familySize, 'nobody was there to end them');
    await startAgain(before);
    assert.ok(left.every(({ pid, token }) => !isAlive(pid) || plant.processes().every((each) => each.token !== token)));
    assert.match(plant.server.log, /ended \d+ processes of function modules that were left behind/);
    await stop;
  });

  test('of the keeper: all is reported, what ran comes back by itself, what was stopped or had failed does not', async () => {
    const before = startsSoFar();
    const killed = await killKeeper();
    assert.deepEqual(await stop, { status: 204, detail: '' });
    for (const name of ['starts', 'runs']) {
      await until(`${name} is started again`, async () => plant.starts(name) > (before.get(name) ?? 0));
      const reported = await plant.untilIt(name, 'is there', ({ pid }) => pid !== null);
      assert.deepEqual([reported.restarts, reported['exit-signal']], [1, 'SIGKILL'], name);
      assert.match(reported['last-error']?.text ?? '', /keeper of function modules ended \(SIGKILL\)/);
    }
    await plant.eachRunsOnce(['runs']);
    assert.notEqual(plant.keeper, killed);
    const all = await plant.all();
    assert.deepEqual([all.stopped?.state, all.stopping?.state, all.failed?.state], ['STOP', 'STOP', 'FAIL']);
    for (const name of lasting) assert.deepEqual(plant.stored(name, 'twice'), [], name);
    assert.deepEqual([plant.starts('stopped'), plant.starts('stopping'), plant.starts('failed')], [1, 1, 1]);
    assert.deepEqual([...plant.processes('stopped'), ...plant.processes('stopping')], []);
    await plant.noZombies();
  });
});
