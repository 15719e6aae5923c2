// `telltale` against the real server with the demo plant: what people and scripts see of it.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { LiveAlarm, LiveCommand, LiveMeasurement, Simulation } from '@telltale/schema';
import type { DiskStatus } from '../packages/cli/src/commands/status-facts.ts';
import type { Finding } from '../packages/cli/src/commands/status-findings.ts';
import { CliPlant, failed } from './cli-plant.ts';
import { mainFile, runCli } from './cli-process.ts';

const noBash = spawnSync('bash', ['--version']).status === 0 ? false : 'there is no bash on this machine';

describe('telltale', () => {
  const plant = new CliPlant();
  const { cli, good } = plant;

  test('read gives what the interface gives: all measurements, those that are named, the fields that are asked for', async () => {
    const all = await good<Record<string, LiveMeasurement>>('read');
    assert.ok(Object.keys(all).length > 50);
    const two = await good<Record<string, LiveMeasurement>>('read', 'tank1_level', 'pump1_state');
    assert.deepEqual(Object.keys(two).sort(), ['pump1_state', 'tank1_level']);
    assert.match(two.tank1_level?.vtq[0] ?? '', /^d/);
    const few = await good<Record<string, unknown>>('read', 'tank1_level', '--fields=datatype,description');
    assert.deepEqual(few, { tank1_level: { datatype: 'd', description: 'Tank 1, level' } });
    const commands = await good<Record<string, LiveCommand>>('read', '--commands', 'pump1_start');
    assert.match(commands.pump1_start?.vt[0] ?? '', /^b[01]$/);
  });

  test('write reads a value by the datatype, and by its prefix where that is asked for', async () => {
    const written = await good('write', 'pump3_auto', '0', 'pump3_speed_setpoint', '62.50');
    assert.deepEqual(written, {
      results: [
        { name: 'pump3_auto', value: 'b0', result: true },
        { name: 'pump3_speed_setpoint', value: 'd62.5', result: true },
      ],
    });
    await good('write', '--raw', 'pump3_speed_setpoint', 'd40');
    const { pump3_speed_setpoint: setpoint } = await good<Record<string, LiveCommand>>('read', '--commands');
    assert.equal(setpoint?.vt[0], 'd40');
  });

  test('write writes nothing where any name or value is wrong, and stops at the first that is refused', async () => {
    await good('write', 'pump3_speed_setpoint', '11');
    assert.equal(failed(await cli('write', 'pump3_speed_setpoint', '12', 'pump3_auto', 'yes')).code, 2);
    assert.equal(failed(await cli('write', 'pump3_speed_setpoint', '12', 'pump3_aut', '1')).code, 1);
    assert.equal(failed(await cli('write', 'pump3_speed_setpoint')).code, 2);
    const refused = await cli('write', 'pump3_speed_setpoint', '-5', 'pump3_auto', '1');
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /^Not written: pump3_auto\.\ntelltale: /);
    assert.equal(JSON.parse(refused.stdout).results[0].result, false);
    const { pump3_speed_setpoint: setpoint } = await good<Record<string, LiveCommand>>('read', '--commands');
    assert.equal(setpoint?.vt[0], 'd11');
  });

  test('simulate forces a measurement, lists what is forced, and gives it back', async () => {
    await good('simulate', 'tank2_level', '1.25', '--for', '600', '--quality', 'uncertain');
    const forced = await good<Record<string, Simulation>>('simulate');
    assert.equal(forced.tank2_level?.value, 'd1.25');
    const { tank2_level: level } = await good<Record<string, LiveMeasurement>>('read', 'tank2_level');
    assert.deepEqual([level?.vtq[0], level?.vtq[2]], ['d1.25', 0x8040]);
    await good('simulate', '--stop', 'tank2_level');
    assert.deepEqual(await good('simulate'), {});
    for (const wrong of [
      ['x'],
      ['tank2_level', '1', '--for', '0'],
      ['tank2_level', '1', '--quality', '70000'],
      ['--stop'],
    ]) {
      assert.equal(failed(await cli('simulate', ...wrong)).code, 2, wrong.join(' '));
    }
  });

  test('alarms are listed, activated, acknowledged and deactivated, by whom it says', async () => {
    await good('alarms', 'activate', 'fire', '--authority', 'shift 2');
    const active = await good<Record<string, LiveAlarm>>('alarms', '--active');
    assert.deepEqual([active.fire?.state, active.fire?.authority], ['ACT_UNACK', 'shift 2']);
    await good('alarms', 'ack', 'fire');
    await good('alarms', 'deactivate', 'fire');
    const { fire: quiet } = await good<Record<string, LiveAlarm>>('alarms', 'fire');
    assert.equal(quiet?.state, 'INACT_ACK');
  });

  test('config puts, shows, compares, renders, restores and deletes objects', async () => {
    const put = await runCli(['config', 'put', 'measurements', 'rain', '-'], {
      url: plant.url,
      input: '{"datatype": "d", "eu": "mm"}',
    });
    assert.equal(put.code, 0, put.stderr);
    assert.deepEqual(await good('config', 'get', 'measurements', 'rain'), { name: 'rain', datatype: 'd', eu: 'mm' });
    const { changes } = await good<{ changes: { name: string; change: string }[] }>('config', 'diff');
    assert.deepEqual(
      changes.map(({ name, change }) => [name, change]),
      [['rain', 'added']],
    );
    await good('config', 'render');
    assert.deepEqual(await good('config', 'diff'), { changes: [] });
    const [newest, before] = await good<{ id: number; running: boolean }[]>('config', 'revisions');
    assert.equal(newest?.running, true);
    await good('config', 'delete', 'measurements', 'rain');
    assert.deepEqual(await good('config', 'restore', String(before?.id), '--render'), {
      restored: before?.id,
      'dry-run': false,
      rendered: true,
    });
    assert.equal(failed(await cli('config', 'get', 'measurements', 'rain')).code, 1);
  });

  test('what is exported is imported again: as JSON, as a database, by a file and by a pipe', async (t) => {
    const cwd = mkdtempSync(join(plant.folder, 'export-'));
    const file = (name: string) => join(cwd, name);
    assert.equal((await cli('config', 'export', file('plant.json'))).code, 0);
    assert.equal((await cli('config', 'export', '--database', file('plant.sqlite'))).code, 0);
    const text = readFileSync(file('plant.json'), 'utf8');
    assert.equal((await cli('config', 'export')).stdout, text);
    const { operations } = JSON.parse(text) as { operations: unknown[] };

    await good('config', 'delete', 'alarms', 'chlorine_low', 'chlorine_high');
    await runCli(['config', 'put', 'alarms', 'extra', '-'], { url: plant.url, input: '{"severity": 1}' });
    const tried = await cli('config', 'import', file('plant.json'), '--dry-run', '--replace');
    assert.deepEqual(JSON.parse(tried.stdout), {
      'dry-run': true,
      puts: operations.length,
      deletes: 1,
      rendered: false,
    });
    assert.notEqual((await cli('config', 'export')).stdout, text);
    assert.equal((await cli('config', 'import', file('plant.json'), '--replace', '--render')).code, 0);
    assert.equal((await cli('config', 'export')).stdout, text);

    await good('config', 'delete', 'alarms', 'chlorine_low');
    assert.equal((await runCli(['config', 'import', '-'], { url: plant.url, input: text })).code, 0);
    assert.equal((await cli('config', 'export')).stdout, text);

    await good('config', 'delete', 'alarms', 'chlorine_low');
    assert.equal(failed(await cli('config', 'import', file('plant.sqlite'))).code, 2);
    assert.equal((await cli('config', 'import', file('plant.sqlite'), '--replace')).code, 0);
    assert.equal((await cli('config', 'export')).stdout, text);
    const bytes = readFileSync(file('plant.sqlite'));
    const piped = await runCli(['config', 'import', '-', '--replace', '--render'], { url: plant.url, input: bytes });
    assert.equal(piped.code, 0, piped.stderr);

    for (const content of ['', 'null', '[]', '{"operations": 5}', '{"operations": [null]}', 'SQLite format 3', '{']) {
      writeFileSync(file('wrong'), content);
      assert.equal(failed(await cli('config', 'import', file('wrong'))).code, 2, content);
    }
    assert.equal(failed(await cli('config', 'import', file('nowhere'))).code, 1);
    assert.equal(failed(await cli('config', 'export', file('no/such/folder'))).code, 1);
    assert.equal(existsSync(file('plant.json.part')), false);
    t.diagnostic(`${operations.length} objects`);
  });

  test('status reports how the service and its plant are', async () => {
    await good('simulate', 'tank1_level', '2');
    await good('alarms', 'activate', 'fire');
    const status = await good<Record<string, unknown>>('status');
    const strict = await cli('status', '--strict');
    assert.equal((await cli('status', '--strict', '--exit-zero')).code, 0);
    await good('simulate', '--stop', 'tank1_level');
    await good('alarms', 'deactivate', 'fire');
    assert.deepEqual([status.url, status.notReady, status.upToDate], [`${plant.url}/`, null, true]);
    assert.deepEqual([status.ok, status.wrong, status.pendingEdits], [true, 0, 0]);
    const kinds = (status.findings as Finding[]).map(({ level, kind }) => `${level} ${kind}`);
    assert.deepEqual(kinds, ['note simulations', 'note alarms']);
    assert.equal(strict.code, 1);
    assert.match(
      strict.stderr,
      /^telltale: 2 things are wrong\. 1 measurement is simulated: tank1_level = 2 since .* by local/,
    );
    const { freeBytes, archiveBytes, archiveMaxBytes } = status.disk as DiskStatus;
    assert.ok((freeBytes ?? 0) > 0 && archiveBytes > 0 && archiveMaxBytes === null);
    assert.deepEqual(status.archiveDamaged, []);
    assert.ok(((status.objects as Record<string, number>).measurements ?? 0) > 50);
    assert.ok((status.activeAlarms as LiveAlarm[]).some(({ name }) => name === 'fire'));
    assert.deepEqual(
      (status.simulated as Simulation[]).map(({ name }) => name),
      ['tank1_level'],
    );
  });

  test('a problem is one line that says what is wrong and what to do, and ends with 1', async () => {
    assert.deepEqual(failed(await cli('config', 'get', 'alarms', 'chlorine_lo')), {
      code: 1,
      text: 'There is no alarm "chlorine_lo". Did you mean chlorine_low?',
    });
    assert.deepEqual(
      failed(await cli('read', 'tank1_levle')).text,
      'There is no measurement "tank1_levle". Did you mean tank1_level?',
    );
    const [measured, raised] = [await cli('write', 'tank1_level', '3'), await cli('explain', 'tank1_level_high')];
    assert.match(failed(measured).text, /^tank1_level is a measurement, .*: telltale simulate tank1_level VALUE$/);
    assert.equal(failed(raised).text, 'tank1_level_high is an alarm: telltale alarms tank1_level_high');
    assert.match(failed(await cli('read', 'pump1_start')).text, /is a command: telltale read --commands pump1_start$/);
    assert.match(
      failed(await cli('config', 'restore', '9999')).text,
      /no revision 9999\. .*: telltale config revisions$/,
    );
    assert.match(
      failed(await cli('config', 'blame', 'alarms', 'x')).text,
      /no alarm "x" in the configuration\. .*: telltale config get FAMILY$/,
    );
    const { code, stderr } = await runCli(['config', 'put', 'alarms', 'x', '-'], {
      url: plant.url,
      input: '{"severty": 1}',
    });
    assert.equal(code, 1);
    assert.match(
      stderr,
      /^telltale: The body does not fit its schema\. [^\n]*\n {2}\/severty is unknown; [^\n]*\n {2}\/severity is required\n$/,
    );
  });

  test('wrong usage ends with 2, and says what would be right', async () => {
    const usages: [string[], RegExp][] = [
      [['raed'], /Did you mean read\?/],
      [['config', 'exprt'], /Did you mean export\?/],
      [['config'], /one of get, put/],
      [['read', '--feilds', 'vtq'], /Did you mean --fields\?/],
      [['read', '--fields', 'value'], /There are name, vtq/],
      [['read', '--fields'], /needs FIELD/],
      [['read', '--force'], /does not go with read/],
      [['write', 'pump1_speed_setpoint', '62,5'], /"62,5" is not a decimal number: .*: write 62\.5\.$/],
      [['config', 'delete', 'alarms', 'tank1_*'], /the whole name .*, no pattern such as "tank1_\*"/],
      [
        ['certificates', 'trust', '--of', 'press'],
        /--of is connector\/NAME or provider\/NAME, such as connector\/press/,
      ],
      [['write', 'pump1_auto', 'yes'], /"yes" is not a boolean: write true, on or 1, or false, off or 0\.$/],
      [['config', 'get', 'alarm'], /Did you mean alarms\?/],
      [['status', 'now'], /too many/],
      [['config', 'restore', 'last'], /ID is a number/],
      [['watch'], /watch NAME…, or --all/],
      [['--timeout', '0', 'status'], /--timeout is seconds, or a duration/],
      [['--url', 'plant', 'status'], /is not an address/],
      [['help', 'raed'], /Did you mean read\?/],
    ];
    for (const [args, expected] of usages) {
      const { code, text } = failed(await cli(...args));
      assert.equal(code, 2, args.join(' '));
      assert.match(text, expected);
    }
  });

  test('where nobody answers it ends with 3, and says what to do', async () => {
    const { code, text } = failed(await runCli(['status'], { url: 'http://127.0.0.1:55' }));
    assert.equal(code, 3);
    assert.match(text, /cannot be reached at http:\/\/127\.0\.0\.1:55\/ .*TELLTALE_URL/);
  });

  test('names are data: what looks like an option or belongs to every object is an unknown name', async () => {
    for (const name of ['--help', '-x', '__proto__', 'constructor', '../config', 'a,b', '']) {
      const { code, text } = failed(await cli('config', 'get', 'measurements', '--', name));
      assert.deepEqual([code, text.startsWith(`There is no measurement ${JSON.stringify(name)}.`)], [1, true], text);
    }
    const odd = await runCli(['config', 'put', 'measurements', '__proto__', '-'], {
      url: plant.url,
      input: '{"datatype": "b"}',
    });
    assert.equal(odd.code, 0, odd.stderr);
    assert.deepEqual(await good('config', 'get', 'measurements', '__proto__'), { name: '__proto__', datatype: 'b' });
    await good('config', 'delete', 'measurements', '__proto__');
  });

  test('help, the version and completion are there without a server', async () => {
    const nobody = { url: 'http://127.0.0.1:55' };
    const help = await runCli(['help'], nobody);
    assert.equal(help.code, 0);
    assert.match(help.stdout, /config import FILE .*all or nothing/);
    assert.match(
      (await runCli(['write', '--help'], nobody)).stdout,
      /^telltale write NAME VALUE \[NAME VALUE…\] \[--raw\] \[--reason TEXT\]/,
    );
    assert.match((await runCli(['--version'], nobody)).stdout, /^\d+\.\d+\.\d+\n$/);
    for (const shell of ['bash', 'zsh', 'fish']) {
      assert.match((await runCli(['completion', shell], nobody)).stdout, /telltale completion words --/);
    }
    assert.match((await runCli(['completion', 'powershell'], nobody)).stdout, /Register-ArgumentCompleter -Native/);
    const words = async (...line: string[]) => (await runCli(['completion', 'words', '--', ...line], nobody)).stdout;
    assert.equal(await words('conf'), 'config\n');
    assert.equal(await words('config', 're'), 'rename\nrender\nrevisions\nrestore\n');
    assert.equal(await words('config', 'get', 'm'), 'measurements\n');
    assert.equal(await words('simulate', '--q'), '--quality\n');
    assert.equal(await words('read', 'tank1_le'), '');
  });

  test('the script for bash completes what the command reports', { skip: noBash }, async () => {
    const { stdout: script } = await cli('completion', 'bash');
    const line = 'COMP_WORDS=(telltale read tank1_le); COMP_CWORD=2; _telltale; echo "$COMPREPLY"';
    const shim = `telltale() { '${process.execPath}' '${mainFile}' "$@"; }`;
    const env = { ...process.env, TELLTALE_URL: plant.url };
    const { stdout } = spawnSync('bash', ['-c', `${shim}\n${script}\n${line}`], { encoding: 'utf8', env });
    assert.equal(stdout, 'tank1_level\n');
  });

  test('completion knows the names of the plant', async () => {
    const words = async (...line: string[]) => (await cli('completion', 'words', '--', ...line)).stdout;
    assert.equal(await words('read', 'tank1_le'), 'tank1_level\n');
    assert.equal(await words('write', 'pump1_st'), 'pump1_start\n');
    assert.equal(await words('write', 'pump1_start', ''), '');
    assert.equal(await words('write', 'pump1_start', '1', 'pump1_a'), 'pump1_auto\n');
    assert.equal(await words('alarms', 'ack', 'chlorine_l'), 'chlorine_low\n');
    assert.equal(await words('config', 'get', 'connectors', 'water'), 'waterworks\n');
  });
});
