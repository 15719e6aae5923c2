// Kills the server and the keeper of its function modules at any moment while modules start: in the end each runs once, and
// none has ever run twice at a time. CRASH_RUNS and TEST_SEED as in crash.test.ts.
import { describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { canListProcesses } from './marked-processes.ts';
import { deaf, family, familySize, ModulePlant, sleeper } from './module-plant.ts';
import { SeededRandom, testSeed as seed } from './seeded-random.ts';
import { until } from './until.ts';

const runs = Number(process.env.CRASH_RUNS ?? 5);
const skip = !canListProcesses && 'function modules run on Linux';

describe('kill -9 at any moment', { skip }, () => {
  test(`of the server or the keeper while modules start, ${runs} times (TEST_SEED=${seed})`, async (t) => {
    const random = new SeededRandom(seed);
    const plant = await ModulePlant.open();
    t.after(() => plant.close());
    // A file that takes a while to be copied and added up, so that the copy is hit as well.
    const large = Buffer.concat([Buffer.from(sleeper), Buffer.alloc(20 << 20, '#\n')]);
    await plant.configure({
      large: { program: large, termToKill: 500 },
      deaf: { program: deaf, termToKill: 500 },
      family: { program: family, termToKill: 500 },
    });
    for (let run = 0; run < runs; run++) {
      await wait(random.between(0, 400));
      const whom = random.pick(['server', 'server', 'keeper', 'both']);
      if (whom !== 'server' && plant.keeper !== undefined) process.kill(plant.keeper, 'SIGKILL');
      if (whom === 'keeper') continue;
      await plant.server.end('SIGKILL');
      if (random.chance(0.5)) await wait(random.between(0, 300));
      await plant.startServer();
    }
    for (const name of ['large', 'deaf', 'family']) {
      // The keeper may have been killed so often that it is not started again by itself.
      if ((await plant.live(name)).state === 'FAIL') await plant.operate(name, 'start');
    }
    await plant.eachRunsOnce(['large', 'deaf', 'family']);
    await until('all of the family is there', async () => plant.processes('family').length === familySize);
    await plant.noZombies();
  });
});
