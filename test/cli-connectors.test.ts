// `telltale connectors|providers|explain|browse` against the real server: what people and scripts see.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import type { CommandExplanation, Explanation, LiveConnector, LiveProvider, Operation } from '@telltale/schema';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import type { Status } from '../packages/cli/src/commands/status.ts';
import { manyItems } from '../packages/server/test/stacks/rack.ts';
import { failed } from './cli-plant.ts';
import { type CliResult, noTerminal, runCli, runOnTerminal } from './cli-process.ts';
import { put } from './live-plant.ts';
import { rackArgs, rackPlant } from './rack-plant.ts';
import { type ServerProcess, startServer } from './server-process.ts';
import { until } from './until.ts';

const cleanup = suiteCleanup();
const folder = temporaryFolder(cleanup);
let server: ServerProcess;

before(async () => {
  server = await startServer(cleanup, { data: join(folder, 'data'), args: rackArgs });
  const operations = [...rackPlant, put('connectors', 'fresh', { stackName: 'rack' })];
  assert.equal((await server.send('POST', '/cfgdb/txn?render=1', { operations })).status, 204);
  await until('what the tests look at is there', async () => {
    const { rack, fresh, fatal } = await good<Record<string, LiveConnector>>('connectors');
    return rack?.devices.length === 2 && fresh?.state === 'up' && fatal?.state === 'failed';
  });
});

const cli = (...args: string[]): Promise<CliResult> => runCli(args, { url: server.url });

/** The JSON of what must succeed; with what was said besides. */
async function reported<Document>(...args: string[]): Promise<{ document: Document; stderr: string }> {
  const { code, stdout, stderr } = await cli(...args);
  assert.equal(code, 0, stderr);
  return { document: JSON.parse(stdout) as Document, stderr };
}

const good = async <Document>(...args: string[]) => (await reported<Document>(...args)).document;

/** As a person sees it, without colours. */
function shown(...args: string[]): string {
  const { code, stdout } = runOnTerminal([...args, '--no-color'], { url: server.url });
  assert.equal(code, 0, stdout);
  return stdout.replaceAll('\r', '');
}

test('connectors restart ends the link and connects again; a name that there is not is refused first', async () => {
  const connects = async () => (await good<Record<string, LiveConnector>>('connectors')).fresh?.counters.connects;
  const before = (await connects()) ?? 0;
  assert.deepEqual(await good('connectors', 'restart', 'fresh'), { restarted: ['fresh'] });
  await until('it has connected again', async () => ((await connects()) ?? 0) > before);
  const again = (await connects()) ?? 0;
  assert.match(failed(await cli('connectors', 'restart', 'fresh', 'frehs')).text, /no connector "frehs".*fresh/);
  assert.equal(await connects(), again);
  const [provider = ''] = Object.keys(await good<Record<string, LiveProvider>>('providers'));
  assert.deepEqual(await good('providers', 'restart', provider), { restarted: [provider] });
  assert.match(failed(await cli('providers', 'restart', 'nobody')).text, /no provider "nobody"/);
});

test('connectors and providers are disabled and enabled, and show who did it, when and why', async () => {
  const by = ['--reason', 'new pump', '--authority', 'anna'];
  assert.deepEqual(await good('connectors', 'disable', 'fresh', ...by), { disabled: ['fresh'] });
  const { state, disabled } = await good<LiveConnector>('connectors', 'fresh');
  assert.deepEqual([state, disabled?.by, disabled?.reason], ['disabled', 'anna', 'new pump']);
  assert.match(shown('connectors'), /^fresh +rack +disabled +\d{4}-.* by anna/m);
  assert.match(shown('connectors', 'fresh'), /^fresh +disabled since \d{4}-.*\nDisabled +by anna: new pump$/m);
  assert.match(
    failed(await cli('connectors', 'restart', 'fresh')).text,
    /Connector fresh was disabled by anna at .*: new pump\. Enable it/,
  );
  const refused = failed(await cli('connectors', 'disable', 'rack', 'frehs'));
  assert.match(refused.text, /no connector "frehs".*fresh/);
  assert.equal((await good<LiveConnector>('connectors', 'rack')).state, 'up');
  assert.match(shown('connectors', 'enable', 'fresh'), /^fresh is enabled$/m);
  await until('it is up', async () => (await good<LiveConnector>('connectors', 'fresh')).state === 'up');
  assert.deepEqual(await good('providers', 'disable', 'panel'), { disabled: ['panel'] });
  assert.match(shown('providers'), /^panel .* disabled .* by op/m);
  assert.deepEqual(await good('providers', 'enable', 'panel'), { enabled: ['panel'] });
});

describe('telltale connectors', () => {
  test('gives what the interface gives: all, some, one', async () => {
    const all = await good<Record<string, LiveConnector>>('connectors');
    assert.deepEqual(Object.keys(all), ['__proto__', 'fatal', 'fresh', 'rack', 'unreachable', 'watched']);
    const two = await good<Record<string, LiveConnector>>('connectors', 'rack', 'fatal');
    assert.deepEqual(Object.keys(two), ['fatal', 'rack']);
    assert.equal((await good<LiveConnector>('connectors', 'rack')).stack, 'rack');
    assert.equal((await good<LiveProvider>('providers', 'panel')).name, 'panel');
    assert.deepEqual(Object.keys(await good<object>('providers')), ['closed', 'panel']);
  });

  test('reports a name that there is not, and which one may have been meant', async () => {
    assert.match(failed(await cli('connectors', 'rac')).text, /There is no connector "rac"\. Did you mean rack\?/);
    assert.match(failed(await cli('providers', 'rack')).text, /There is no provider "rack"/);
    await server.send('PUT', '/connectors/idle', { name: 'idle', stackName: 'rack' });
    for (const command of ['connectors', 'browse']) {
      assert.match(failed(await cli(command, 'idle')).text, /is configured but not running: telltale config render/);
    }
    await server.send('DELETE', '/connectors/idle');
    const { code, stderr } = await cli('connectors', 'rack', 'nobody');
    assert.deepEqual([code, /"nobody"/.test(stderr)], [1, true]);
  });

  test('on a terminal is a table, and one is shown with its devices and scan groups', { skip: noTerminal }, () => {
    const table = shown('connectors');
    assert.match(
      table,
      /^NAME +STACK +STATE +SINCE +VALUES\/S +REQUESTS\/S +P50 +P99 +GOOD +UNCERTAIN +BAD +LAST ERROR$/m,
    );
    assert.match(table, /^rack +rack +up +\d{4}-/m);
    assert.match(table, /^fatal +rack +failed .*the lic/m);
    const one = shown('connectors', 'rack');
    assert.match(one, /^rack +up since /m);
    assert.match(one, /^Requests\/s +[\d.]+, answered in 1\.\d+ ms, the slow ones in 1\.\d+ ms$/m);
    assert.match(one, /^DEVICE +STATE +SINCE +LAST ERROR$/m);
    assert.match(one, /^u2 +up +/m);
    assert.match(one, /^20 ms +4 +2 +0\.5 ms +\d+ +1$/m);
    assert.match(shown('providers', 'panel'), /^Clients +3$/m);
  });
});

test('stacks lists them; of one it shows the variables and examples of addresses', { skip: noTerminal }, async () => {
  const all = await good<Record<string, { name: string }>>('stacks');
  assert.deepEqual(await good('stacks', 'modbus'), all.modbus);
  assert.match(shown('stacks'), /^modbus +Reads and writes devices/m);
  const modbus = shown('stacks', 'modbus');
  assert.match(modbus, /^port +502 +TCP port/m);
  assert.match(modbus, /^transport +tcp +Transport: tcp, rtu-tcp, serial$/m);
  assert.match(modbus, /^Addresses of commands, such as\nADDRESS +MEANING\nhr100 /m);
  assert.match(shown('stacks', 'opcua', '--providers'), /^OPC UA \(opcua\)$/m);
  assert.match(
    failed(await cli('stacks', 'modbuss')).text,
    /There is no connector stack "modbuss"\. Did you mean modbus\?/,
  );
});

describe('telltale status', () => {
  test('names what has failed, with its reason, first of all, and ends with 1', { skip: noTerminal }, async () => {
    const { code, stdout, stderr } = await cli('status');
    const { ok, wrong, findings } = JSON.parse(stdout) as Status;
    assert.deepEqual([code, ok], [1, false]);
    const named = new Map(findings.map(({ name, text }) => [name, text]));
    assert.match(named.get('fatal') ?? '', /^Connector fatal is failed since .*: .*the licence has ended/);
    assert.match(named.get('unreachable') ?? '', /^Connector unreachable is down since .*: .*nobody is there/);
    assert.equal(wrong, findings.filter(({ level }) => level === 'wrong').length);
    assert.match(stderr, /^telltale: \d+ things are wrong\. /);
    assert.equal((await cli('status', '--exit-zero')).code, 0);
    const text = shown('status', '--exit-zero');
    assert.match(text, /^\d+ things are wrong\.\n/);
    assert.match(text, /^wrong +Connector fatal is failed since .*the licence has ended/m);
    assert.match(text, /^Disk +the archive has .*; .* of .* are free$/m);
  });

  test('counts the objects that are edited and not rendered, and ends with 3 where nobody answers', async () => {
    const operations = [put('measurements', 'edited', { datatype: 'd' })];
    assert.equal((await server.send('POST', '/cfgdb/txn', { operations })).status, 204);
    const { pendingEdits } = await good<Status>('status', '--exit-zero');
    await server.send('DELETE', '/measurements/edited');
    assert.equal(pendingEdits, 1);
    assert.equal((await runCli(['status', '--exit-zero'], { url: 'http://127.0.0.1:55' })).code, 3);
  });
});

describe('telltale explain', () => {
  test('gives the explanation, and on a terminal the summary and each stage', { skip: noTerminal }, async () => {
    const { name, stages } = await good<Explanation>('explain', 'u1_scaled');
    assert.deepEqual([name, stages.length], ['u1_scaled', 7]);
    const text = shown('explain', 'u1_scaled');
    assert.match(text, /^u1_scaled = 0 {2}good {2}/m);
    assert.match(text, /^scaler +changed 0 to 10000 becomes 0 to 100: 0 became 0\.$/m);
    assert.match(text, /^Raw +<0>$/m);
    assert.match(text, /^Scan group +every 20 ms$/m);
    assert.match(text, /^Rendering +1, of /m);
    assert.match(
      shown('explain', 'hopeless'),
      /^Connector +fatal \(rack\) failed since .*; last error: .*the licence has ended/m,
    );
  });

  test('explains a command: who wrote it, and what the device said', { skip: noTerminal }, async () => {
    assert.equal((await cli('write', 'set_u1_level', '2.5')).code, 0);
    const { origin, by, 'last-write': last } = await good<CommandExplanation>('explain', 'set_u1_level');
    assert.deepEqual([origin, by, last?.outcome], ['written', 'local', 'accepted']);
    const text = shown('explain', 'set_u1_level');
    assert.match(text, /^set_u1_level = 2\.5 {2}command$/m);
    assert.match(text, /^2\.5 was written at .*, by local, and the device accepted it\.$/m);
    assert.match(text, /^Last write +2\.5 at .*, by local, accepted$/m);
    assert.match(text, /^Connector +rack \(rack\) up since /m);
    assert.match(shown('explain', 'set_u2_power'), /^It was never written/m);
  });

  test('explains both where a measurement and a command have the same name', { skip: noTerminal }, async () => {
    const operations = [put('commands', 'u2_level', { datatype: 'd' })];
    assert.equal((await server.send('POST', '/cfgdb/txn?render=1', { operations })).status, 204);
    const both = shown('explain', 'u2_level');
    assert.match(both, /^deadband /m);
    assert.match(both, /^u2_level = – {2}command$/m);
    assert.ok('stages' in (await good<object>('explain', 'u2_level')));
    assert.ok('origin' in (await good<object>('explain', 'u2_level', '--commands')));
    assert.doesNotMatch(shown('explain', 'u2_level', '--commands'), /^deadband /m);
  });

  test('reports a name that there is not', async () => {
    const { text } = failed(await cli('explain', 'u1_scale'));
    assert.match(text, /There is no measurement or command "u1_scale"\. Did you mean u1_scaled\?/);
    assert.match(failed(await cli('explain', 'set_u1_leve')).text, /Did you mean set_u1_level\?/);
    assert.match(failed(await cli('explain', '--commands', 'u1_scaled')).text, /There is no command "u1_scaled"/);
    assert.equal(failed(await cli('explain')).code, 2);
  });
});

describe('telltale browse', () => {
  test('gives a transaction that config import takes, with what is left out reported beside it', async () => {
    const { document, stderr } = await reported<{ operations: Operation[] }>('browse', 'fresh', 'u1');
    assert.deepEqual(
      document.operations.map(({ family, name }) => `${family}/${name}`),
      ['measurements/Fullstand_1', 'measurements/names_2', 'commands/names_2', 'commands/broken'],
    );
    assert.match(stderr, /^1 cannot be configured; telltale browse shows why\.$/m);
    const imported = await runCli(['config', 'import', '-', '--dry-run'], {
      url: server.url,
      input: JSON.stringify(document),
    });
    assert.equal(imported.code, 0, imported.stderr);
  });

  test('looks as deep as it is asked to, page by page, and gives no name twice', async () => {
    const { operations } = await good<{ operations: Operation[] }>('browse', 'fresh', 'many');
    assert.equal(operations.length, manyItems);
    assert.equal(new Set(operations.map(({ name }) => name)).size, manyItems);
    const whole = await reported<{ operations: Operation[] }>('browse', 'fresh');
    assert.equal(new Set(whole.document.operations.map(({ family, name }) => `${family}/${name}`)).size, manyItems + 5);
    assert.match(whole.stderr, /^1 nodes could not be browsed\.$/m);
    assert.deepEqual(await good('browse', 'fresh', '--depth', '1'), { operations: [] });
    for (const depth of ['0', '-1', '21', 'x']) {
      assert.equal(failed(await cli('browse', 'fresh', `--depth=${depth}`)).code, 2);
    }
  });

  test('puts what is offered, once', async () => {
    const { put: names } = await good<{ put: Record<string, string[]> }>('browse', 'fresh', 'u1', '--put');
    assert.deepEqual(names, { measurements: ['Fullstand_1', 'names_2'], commands: ['names_2', 'broken'], alarms: [] });
    const again = await reported<{ put: Record<string, string[]> }>('browse', 'fresh', 'u1', '--put');
    assert.deepEqual(again.document.put, { measurements: [], commands: [], alarms: [] });
    assert.match(again.stderr, /^4 are configured already\.$/m);
    assert.equal((await cli('config', 'render')).code, 0);
  });

  test('is a tree on a terminal', { skip: noTerminal }, () => {
    const tree = shown('browse', 'rack', 'u1');
    assert.match(tree, /^Füllstand\n {2}measurement is configured as u1_level$/m);
    assert.match(tree, /^Broken\n {2}measurement cannot be configured: the rack has units u1 and u2/m);
    assert.match(shown('browse', 'rack', '--depth', '1'), /^Unit u1 {2}u1$/m);
    assert.match(shown('browse', 'rack'), /^Unit locked {2}locked\n {2}Connector rack .*the cabinet is locked/m);
  });

  test('is refused with the reason', async () => {
    assert.match(failed(await cli('browse', 'rack', 'locked')).text, /the cabinet is locked/);
    assert.match(failed(await cli('browse', 'rac')).text, /Did you mean rack\?/);
    assert.match(failed(await cli('browse', '__proto__')).text, /has no browsing/);
  });
});

test('completion knows the names', async () => {
  const words = async (...line: string[]) => (await cli('completion', 'words', '--', ...line)).stdout.split('\n');
  assert.deepEqual(await words('connectors', 'ra'), ['rack', '']);
  assert.deepEqual(await words('providers', 'p'), ['panel', '']);
  assert.deepEqual(await words('explain', 'u1_s'), ['u1_scaled', '']);
  assert.deepEqual(await words('browse', 'ra'), ['rack', '']);
  assert.deepEqual(await words('browse', 'rack', '--p'), ['--put', '']);
});
