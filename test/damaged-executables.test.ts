// An uploaded executable that is not as it was when the server starts: it is not run, it is reported where people look, and
// `telltale config missing` shows and acknowledges it.
import assert from 'node:assert/strict';
import { appendFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Problem } from '@telltale/schema';
import { moduleFolder } from '../packages/server/src/modules/module-folder.ts';
import { runCli } from './cli-process.ts';
import { plantOf } from './full-disk.ts';
import { ModulePlant, sleeper } from './module-plant.ts';
import { until } from './until.ts';

test('executables that are damaged are not run, and reported until they are put again or acknowledged', async () => {
  const plant = await ModulePlant.open();
  try {
    const fileOf = (name: string) => join(plant.data, 'executables', moduleFolder(name), 'executable');
    const stateOf = async (name: string) => (await plant.live(name)).state;
    const module = { program: sleeper, enabled: true };
    await plant.configure({ whole: module, longer: module, gone: module });
    for (const name of ['whole', 'longer', 'gone']) await until(name, async () => (await stateOf(name)) === 'RUN');
    await plant.server.end();
    appendFileSync(fileOf('longer'), '#');
    rmSync(fileOf('gone'));
    await plant.startServer();

    const { ask, figure } = plantOf(plant.server);
    await until('both have failed', async () => {
      return (await stateOf('longer')) === 'FAIL' && (await stateOf('gone')) === 'FAIL';
    });
    await until('both are told', async () => (await figure('data_missing')) === 2);
    const errorOf = async (name: string) => (await plant.live(name))['last-error']?.text ?? '';
    const bytes = sleeper.length;
    assert.match(
      await errorOf('longer'),
      new RegExp(`not as it was uploaded: it has ${bytes + 1} of ${bytes} bytes; put`),
    );
    assert.match(
      await errorOf('gone'),
      new RegExp(`the executable is gone: ${bytes} bytes were uploaded; put it again`),
    );
    await until('the one that is whole runs', async () => (await stateOf('whole')) === 'RUN');
    const ready = await ask('GET', '/readyz');
    assert.match(
      `${ready.status} ${ready.detail}`,
      /^503 \/.+\/executables\/(longer|gone)-\w{8}\/executable is .+\. \/.+\/executables\/.+\.$/,
    );
    assert.match(
      plant.server.log,
      /something that was acknowledged is missing: \/.+\/executables\/longer-\w{8}\/executable /,
    );
    for (const path of ['executable', 'executable-stat']) {
      const refused = await plant.server.get(`/function-modules/longer/${path}`);
      assert.equal(refused.status, 500);
      assert.match(((await refused.json()) as Problem).type, /executable-damaged$/);
    }

    assert.equal((await plant.upload('gone', sleeper)).status, 204);
    await until('the one that was put again runs', async () => (await stateOf('gone')) === 'RUN');
    const cli = async (...args: string[]) => {
      const { code, stdout, stderr } = await runCli(['config', 'missing', ...args], { url: plant.server.url });
      assert.equal(code, 0, stderr);
      return JSON.parse(stdout) as { missing: string[]; acknowledged: boolean };
    };
    const shown = await cli();
    assert.match(
      shown.missing.join(),
      /^\/[^,]+\/executables\/longer-\w{8}\/executable is not as it was uploaded: [^,]+$/,
    );
    assert.equal(shown.acknowledged, false);
    assert.deepEqual(await cli('--acknowledge'), { ...shown, acknowledged: true });
    assert.deepEqual(await cli('--acknowledge'), { missing: [], acknowledged: false });
    assert.equal((await ask('GET', '/readyz')).status, 200);

    await plant.server.end();
    await plant.startServer();
    for (const name of ['whole', 'longer', 'gone']) await until(name, async () => (await stateOf(name)) === 'RUN');
    assert.doesNotMatch(plant.server.log, /missing/);
  } finally {
    await plant.close();
  }
});
