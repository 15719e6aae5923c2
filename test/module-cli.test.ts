// `telltale module` against the real server: what people and scripts see of function modules.
import assert from 'node:assert/strict';
import { chmodSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import type { FunctionModule, LiveFunctionModule, LogLine } from '@telltale/schema';
import { CliPlant, failed } from './cli-plant.ts';
import { noTerminal, RunningCli, runOnTerminal } from './cli-process.ts';
import { until } from './until.ts';

const plant = new CliPlant();
const { cli, good } = plant;
before(() => chmodSync(plant.folder, 0o755)); // a module that has a user of its own passes here

const fileOf = (name: string) => join(plant.folder, name);
const stateOf = async (name: string) => (await good<LiveFunctionModule>('module', 'status', name)).state;
const linesOf = async (name: string, ...options: string[]) => {
  const { code, stdout, stderr } = await cli('module', 'log', name, ...options);
  assert.deepEqual([code, stderr], [0, '']);
  const texts = stdout.split('\n').filter((line) => line !== '');
  return texts.map((line) => (JSON.parse(line) as LogLine).text);
};

const talker = `#!/bin/sh
echo "one: $TELLTALE_MODULE"
echo two >&2
trap 'echo bye; exit 0' TERM
while :; do sleep 0.1; done
`;

describe('telltale module', () => {
  test('upload refuses a module that there is not, and says how it is made', async () => {
    writeFileSync(fileOf('talker.sh'), talker);
    assert.match(
      failed(await cli('module', 'upload', 'talker', fileOf('talker.sh'))).text,
      /^There is no function module "talker"\. To create it, add --create, with --writes NAMES/,
    );
    assert.match(failed(await cli('module', 'upload', 'x', fileOf('none.sh'), '--create')).text, /cannot be read/);
    assert.equal(failed(await cli('module', 'upload', 'x', fileOf('talker.sh'), '--writes', 'a')).code, 2);
  });

  test('upload --create --render makes it and runs it', async () => {
    const options = ['--create', '--writes', 'pump1_*, fire', '--render'];
    const { uploaded } = await good<{ uploaded: { sha256: string; size: number; created: boolean } }>(
      ...['module', 'upload', 'talker', fileOf('talker.sh'), ...options],
    );
    assert.deepEqual([uploaded.size, uploaded.created, uploaded.sha256.length], [talker.length, true, 64]);
    assert.deepEqual(await good<FunctionModule>('config', 'get', 'function-modules', 'talker'), {
      name: 'talker',
      executable: 'talker.sh',
      respawn: true,
      termToKill: 5000,
      queryTimeout: 0,
      properties: { writes: 'pump1_*, fire' },
    });
    await until('it runs', async () => (await stateOf('talker')) === 'RUN');
  });

  test('upload of what cannot be started says why, and that it failed; the next one that can be is started', async () => {
    writeFileSync(fileOf('broken.sh'), '#!/no/such/interpreter\n');
    const upload = (...options: string[]) => cli('module', 'upload', 'broken', fileOf('broken.sh'), ...options);
    for (const options of [['--create', '--render'], []]) {
      const { code, stdout, stderr } = await upload(...options);
      assert.deepEqual([code, 'uploaded' in JSON.parse(stdout)], [1, true], 'it is on disk all the same');
      assert.match(stderr, /^telltale: broken could not be started: .*\/no\/such\/interpreter/);
      assert.equal(await stateOf('broken'), 'FAIL');
      await good('module', 'upload', 'broken', fileOf('talker.sh'));
      assert.equal(await stateOf('broken'), 'RUN');
    }
    await good('module', 'stop', 'broken');
    await good('module', 'upload', 'broken', fileOf('talker.sh'));
    assert.equal(await stateOf('broken'), 'STOP', 'what somebody stopped stays so');
    await good('config', 'delete', 'function-modules', 'broken');
    await good('config', 'render');
  });

  test('upload --create --writes of one that is there refuses to pass over what it should write', async () => {
    const upload = (writes: string) =>
      cli('module', 'upload', 'listed', fileOf('talker.sh'), '--create', '--writes', writes);
    assert.equal((await upload('pump1_*, fire')).code, 0);
    assert.match(failed(await upload('fire')).text, /^listed exists already.*properties\.writes/);
    assert.equal((await upload('pump1_*, fire')).code, 0);
    await good('config', 'delete', 'function-modules', 'listed');
  });

  test('log shows what it printed, both streams or one, as many lines as asked for', async () => {
    await until('it has printed', async () => (await linesOf('talker')).length === 2);
    assert.deepEqual((await linesOf('talker')).sort(), ['one: talker', 'two']);
    assert.deepEqual(await linesOf('talker', '--stream', 'err'), ['two']);
    assert.deepEqual((await linesOf('talker', '--lines', '1')).length, 1);
    for (const lines of ['-1', 'x', '10001']) {
      assert.equal(failed(await cli('module', 'log', 'talker', `--lines=${lines}`)).code, 2);
    }
  });

  test('log --follow joins what was printed and what is printed: no line is missing, none comes twice', async (t) => {
    writeFileSync(fileOf('counter.sh'), '#!/bin/sh\nwhile :; do n=$((n + 1)); echo $n; sleep 0.003; done\n');
    await good('module', 'upload', 'counter', fileOf('counter.sh'), '--create', '--render');
    await until('it counts', async () => (await linesOf('counter')).length > 10);
    const follow = new RunningCli(t, ['module', 'log', 'counter', '--follow', '--lines', '1'], { url: plant.url });
    const next = async () => Number((JSON.parse(await follow.line(() => true)) as LogLine).text);
    const first = await next();
    for (let count = 1; count < 200; count++) assert.equal(await next(), first + count);
    assert.equal(await follow.end(), 0);
    await good('module', 'stop', 'counter');
  });

  test('log --follow goes on with every line as it comes, until Ctrl-C', async (t) => {
    const follow = new RunningCli(t, ['module', 'log', 'talker', '--follow', '--stream', 'out'], { url: plant.url });
    const next = async () => (JSON.parse(await follow.line(() => true)) as LogLine).text;
    assert.equal(await next(), 'one: talker');
    await good('module', 'restart', 'talker');
    assert.deepEqual([await next(), await next()], ['bye', 'one: talker']);
    assert.equal(await follow.end(), 0);
    assert.equal(follow.stderr, '');
  });

  test('stop, start and restart have happened when they end', async () => {
    assert.deepEqual(await good('module', 'stop', 'talker', 'talker'), { operation: 'stop', names: ['talker'] });
    const stopped = await good<LiveFunctionModule>('module', 'status', 'talker');
    assert.deepEqual([stopped.state, stopped.pid, stopped['exit-code']], ['STOP', null, 0]);
    await good('module', 'start', 'talker');
    const { pid } = await good<LiveFunctionModule>('module', 'status', 'talker');
    assert.ok(pid !== null);
    await good('module', 'restart', 'talker');
    assert.notEqual((await good<LiveFunctionModule>('module', 'status', 'talker')).pid, pid);
  });

  test('status reports a name that there is not, and of one that was not rendered', async () => {
    assert.match(
      failed(await cli('module', 'status', 'talkre')).text,
      /There is no function module "talkre".*talker\?/,
    );
    await good('module', 'upload', 'idle', fileOf('talker.sh'), '--create');
    for (const verb of ['status', 'log', 'start']) {
      assert.match(
        failed(await cli('module', verb, 'idle')).text,
        /is configured but not running: telltale config render/,
      );
    }
    await good('config', 'delete', 'function-modules', 'idle');
  });

  test('a file that another sum is pinned for is reported of', async () => {
    const object = await good<FunctionModule>('config', 'get', 'function-modules', 'talker');
    const pinned = { ...object, properties: { ...object.properties, sha256: '0'.repeat(64) } };
    await plant.server.send('PUT', '/function-modules/talker', pinned);
    const { code, stderr } = await cli('module', 'upload', 'talker', fileOf('talker.sh'));
    assert.deepEqual([code, /requires another file: the module will not start with this one/.test(stderr)], [0, true]);
    await plant.server.send('PUT', '/function-modules/talker', object);
  });

  test('pack makes a file that can be run, with its sum', async () => {
    const [source, output] = [fileOf('hello.ts'), fileOf('hello')];
    writeFileSync(source, "const who: string = 'plant'; console.log('hello', who);");
    const { packed } = await good<{ packed: { files: string[]; sha256: string } }>('module', 'pack', source, output);
    assert.deepEqual(packed.files, ['hello.ts']);
    assert.match(readFileSync(output, 'utf8'), /^#!\/bin\/sh\n/);
    assert.match(failed(await cli('module', 'pack', fileOf('none.ts'), output)).text, /none\.ts cannot be read/);
    assert.equal(existsSync(output), true);
  });

  test('pack never writes over a source of the program', async () => {
    writeFileSync(fileOf('part.ts'), 'export const part = 1;');
    writeFileSync(fileOf('whole.ts'), "import { part } from './part.ts'; console.log(part);");
    symlinkSync('whole.ts', fileOf('link.js'));
    const before = ['whole.ts', 'part.ts'].map((name) => readFileSync(fileOf(name), 'utf8'));
    for (const output of ['whole.ts', 'part.ts', 'link.js']) {
      const { code, text } = failed(await cli('module', 'pack', fileOf('whole.ts'), fileOf(output)));
      assert.equal(code, 2);
      assert.match(text, /is a source of the program: name another OUTPUT/);
    }
    assert.deepEqual(
      ['whole.ts', 'part.ts'].map((name) => readFileSync(fileOf(name), 'utf8')),
      before,
    );
  });

  test('on a terminal status is a table, and one is shown in detail', { skip: noTerminal }, async () => {
    await until('it runs', async () => (await stateOf('talker')) === 'RUN');
    const shown = (...args: string[]) =>
      runOnTerminal(['module', ...args, '--no-color'], { url: plant.url }).stdout.replaceAll('\r', '');
    const table = shown('status');
    assert.match(table, /^NAME +STATE +SINCE +PID +RESTARTS +CPU +MEMORY +STATUS$/m);
    assert.match(table, /^talker +RUN +\d{4}-/m);
    assert.match(shown('status', 'talker'), /^talker +RUN since \d{4}-[\s\S]*^Runs +service$/m);
    assert.match(shown('log', 'talker'), /^\d{4}-.* {2}one: talker$/m);
    assert.match(shown('restart', 'talker'), /^Restarted talker\.$/m);
  });

  test('completion knows commands, options and names', async () => {
    const words = async (...line: string[]) => (await cli('completion', 'words', '--', ...line)).stdout.split('\n');
    assert.deepEqual(await words('module', 'st'), ['status', 'start', 'stop', '']);
    assert.deepEqual(await words('module', 'log', 'tal'), ['talker', '']);
    assert.deepEqual(await words('module', 'log', 'talker', '--f'), ['--follow', '']);
    assert.deepEqual(await words('module', 'new', 'x', '--language', ''), ['ts', 'python', 'shell', '']);
  });
});
