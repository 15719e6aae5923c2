// The examples of function modules work: uploaded and run by a server with the demo plant, as their guide says.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { TelltaleClient } from '@telltale/client';
import type { LiveFunctionModule } from '@telltale/schema';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { runCli } from './cli-process.ts';
import { moduleArgs, type ServerProcess, startServer } from './server-process.ts';
import { until } from './until.ts';

const examples = fileURLToPath(new URL('../examples/modules', import.meta.url));
const cleanup = suiteCleanup();
const folder = temporaryFolder(cleanup);
let server: ServerProcess;
let client: TelltaleClient;

before(async () => {
  chmodSync(folder, 0o755); // a module that has a user of its own passes here
  server = await startServer(cleanup, { data: join(folder, 'data'), args: ['--demo', ...moduleArgs] });
  client = new TelltaleClient({ url: server.url });
});

const there = (program: string) =>
  spawnSync(program, ['--version']).status === 0 ? false : `there is no ${program} on this machine`;

/** As the guide has it: the configuration, the executable, the rendering. */
async function install(name: string, program: string): Promise<void> {
  const file = join(examples, program);
  const configuration = file.replace(/\.\w+$/, '.json');
  for (const args of [
    ['config', 'import', configuration],
    ['module', 'upload', name, file, '--render'],
  ]) {
    const { code, stderr } = await runCli(args, { url: server.url });
    assert.equal(code, 0, stderr);
  }
}

/** Its state, when it fits; what it printed, where it never does. */
async function state(name: string, fits: (module: LiveFunctionModule) => boolean): Promise<LiveFunctionModule> {
  let last: LiveFunctionModule | undefined;
  try {
    return await until(`the state of ${name}`, async () => {
      last = await client.functionModules.get(name);
      return fits(last) && last;
    });
  } catch (error) {
    const log = await client.functionModules.log(name);
    throw new Error(`${(error as Error).message}: ${JSON.stringify({ last, log })}`);
  }
}

/** The clock of the plant itself, by a measurement that always changes. */
async function plantGoesOn(ms: number): Promise<void> {
  const plantMs = async () => {
    const [s, us] = (await client.measurements.get('inlet_flow')).vtq[1];
    return s * 1000 + us / 1000;
  };
  const startMs = await plantMs();
  await until('the plant goes on', async () => (await plantMs()) > startMs + ms);
}

const command = async (name: string) => Number((await client.commands.get(name)).vt[0].slice(1));
const runs = ({ state }: LiveFunctionModule) => state === 'RUN';

describe('the level controller', () => {
  before(() => install('level_controller', 'level-controller.ts'));

  test('takes the valve over, and says how things are', async () => {
    await state('level_controller', ({ status }) => /^level \d\.\d\d m, valve /.test(status ?? ''));
    await until('the valve is in manual', async () => (await command('inlet_valve_auto')) === 0);
  });

  test('opens the valve where the level is low, and closes it where it is high', async () => {
    await client.commands.write('tank1_level_setpoint', 'd4.5');
    await until('the valve opens', async () => (await command('inlet_valve_setpoint')) > 70);
    await client.commands.write('tank1_level_setpoint', 'd1');
    await until('the valve closes', async () => (await command('inlet_valve_setpoint')) === 0);
    await client.commands.write('tank1_level_setpoint', 'd3.5');
    await until('the valve opens again', async () => (await command('inlet_valve_setpoint')) > 0);
  });

  test('leaves the valve alone while the level is not known', async () => {
    await client.measurements.simulate('tank1_level', 'd0', { quality: 0 });
    const bad = await state('level_controller', ({ status }) => /stays where it is/.test(status ?? ''));
    assert.equal(bad.status, 'the valve stays where it is: tank1_level is 0 (bad, simulated)');
    const before = (await client.commands.get('inlet_valve_setpoint')).vt;
    await client.commands.write('tank1_level_setpoint', 'd4.5');
    await plantGoesOn(1500); // some cycles
    assert.deepEqual((await client.commands.get('inlet_valve_setpoint')).vt, before);
    await client.measurements.stopSimulation('tank1_level');
    await state('level_controller', ({ status }) => /^level /.test(status ?? ''));
  });

  test('gives the valve back when it is stopped, and ends well', async () => {
    await client.functionModules.stop('level_controller');
    const { state: stopped, ...end } = await client.functionModules.get('level_controller');
    assert.deepEqual([stopped, end['exit-code'], end.pid], ['STOP', 0, null]);
    assert.equal(await command('inlet_valve_auto'), 1);
    assert.deepEqual(await client.functionModules.log('level_controller'), []);
  });

  test('may write what its properties list, and nothing else', async () => {
    const module = await client.configuration.get('function-modules', 'level_controller');
    const properties = { ...module.properties, writes: 'inlet_valve_auto' };
    await client.configuration.put('function-modules', module.name, { ...module, properties });
    await client.configuration.render();
    await client.functionModules.restart('level_controller');
    const lines = await until('it tells of it', async () => {
      const log = await client.functionModules.log('level_controller');
      return log.length > 0 && log;
    });
    assert.match(lines[0]?.text ?? '', /^inlet_valve_setpoint was not written with [\d.]+: .*writes/);
    await state('level_controller', runs);
    await client.functionModules.stop('level_controller');
  });
});

for (const [name, program, interpreter, total, source] of [
  ['totaliser', 'totaliser.sh', 'curl', 'inlet_totaliser', 'inlet_flow'],
  ['energy', 'energy.py', 'python3', 'site_energy', 'site_power'],
] as const) {
  test(`${program} adds up what is good, and goes on from there`, { skip: there(interpreter) }, async () => {
    await install(name, program);
    await state(name, runs);
    await until('it adds up', async () => (await command(total)) > 0);
    await client.measurements.simulate(source, 'd1000000', { quality: 0 });
    await until('it says that it adds nothing', async () =>
      (await client.functionModules.log(name)).some(({ text }) => /^nothing is added: the quality of/.test(text)),
    );
    const before = await command(total);
    assert.ok(before < 10, `${before}`);
    await client.functionModules.restart(name);
    await client.measurements.stopSimulation(source);
    const after = await until('it goes on', async () => {
      const now = await command(total);
      return now !== before && now;
    });
    assert.ok(after > before && after < before + 10, `${before} ${after}`);
    await client.functionModules.stop(name);
    assert.equal((await client.functionModules.get(name)).state, 'STOP');
  });
}
