// `telltale` with selectors: patterns, areas, qualities and words in read, alarms, history and export.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { AreaCounts } from '@telltale/schema';
import { CliPlant, failed } from './cli-plant.ts';
import { RunningCli } from './cli-process.ts';

describe('telltale with selectors', () => {
  const plant = new CliPlant();
  const { cli, good } = plant;
  const names = async (...args: string[]) => Object.keys(await good<object>(...args)).sort();

  before(async () => {
    const area = 'plant.skids';
    await plant.server.send('PUT', '/measurements/skid_1', { name: 'skid_1', datatype: 'd', area, archMode: 'change' });
    await plant.server.send('PUT', '/measurements/skid_2', { name: 'skid_2', datatype: 'b', description: 'Second' });
    await plant.server.send('PUT', '/commands/skid_start', { name: 'skid_start', datatype: 'b', area });
    for (const name of ['skid_high', 'skid_low']) {
      await plant.server.send('PUT', `/alarms/${name}`, { name, severity: 1, area });
    }
    await plant.server.send('POST', '/cfgdb/render');
    await good('simulate', 'skid_1', '1.5');
  });

  test('read takes patterns, and says so where nothing matches', async () => {
    assert.deepEqual(await names('read', 'skid_*'), ['skid_1', 'skid_2']);
    assert.deepEqual(await names('read', '*_1', 'skid_2', '--datatype', 'b,d', '--search', 'skid'), [
      'skid_1',
      'skid_2',
    ]);
    assert.deepEqual(await names('read', '--commands', '--area', 'plant'), ['skid_start']);
    const nothing = await cli('read', 'nobody*');
    assert.deepEqual([nothing.code, JSON.parse(nothing.stdout), nothing.stderr], [0, {}, 'Nothing matches.\n']);
    assert.match(failed(await cli('read', 'skid_7')).text, /There is no measurement "skid_7"/);
    assert.equal((await cli('read', 'skid_*', 'skid_7')).code, 1);
  });

  test('read shows what is bad, uncertain or simulated', async () => {
    assert.deepEqual(await names('read', '--forced'), ['skid_1']);
    assert.deepEqual(await names('read', '--bad', 'skid*'), ['skid_2']);
    assert.deepEqual(await names('read', '--bad', '--forced', 'skid*'), ['skid_1', 'skid_2']);
    assert.match(failed(await cli('read', '--commands', '--bad')).text, /Commands have no quality/);
    assert.equal(failed(await cli('read', '--datatype', 'x')).code, 2);
  });

  test('alarms are listed and acknowledged by area, and nothing to acknowledge is no error', async () => {
    assert.deepEqual(await names('alarms', '--area', 'plant'), ['skid_high', 'skid_low']);
    await good('alarms', 'activate', 'skid_high', 'fire');
    assert.deepEqual(await good('alarms', 'ack', '--all', '--area', 'plant.skids'), {
      operation: 'acknowledge',
      alarms: ['skid_high'],
    });
    const states = await good<Record<string, { state: string }>>('alarms', 'skid_high', 'fire');
    assert.deepEqual([states.skid_high?.state, states.fire?.state], ['ACT_ACK', 'ACT_UNACK']);
    assert.deepEqual(await good('alarms', 'ack', 'skid*'), { operation: 'acknowledge', alarms: [] });
    assert.deepEqual(await good('alarms', '--area', 'elsewhere'), {});
    // The whole word is the same command.
    await good('alarms', 'deactivate', 'skid_high');
    await good('alarms', 'activate', 'skid_high', 'skid_low');
    assert.deepEqual(await good('alarms', 'acknowledge', 'skid_low', '--authority', 'shift 1'), {
      operation: 'acknowledge',
      alarms: ['skid_low'],
    });
    assert.deepEqual(await good('alarms', 'acknowledge', '--all', '--area', 'plant', '--search', 'skid'), {
      operation: 'acknowledge',
      alarms: ['skid_high'],
    });
    const low = (await good<Record<string, { state: string; authority: string }>>('alarms', 'skid_low')).skid_low;
    assert.deepEqual([low?.state, low?.authority], ['ACT_ACK', 'shift 1']);
    assert.match(failed(await cli('alarms', 'acknowledge', 'nobody')).text, /There is no alarm "nobody"/);
    assert.equal(failed(await cli('alarms', 'ack')).code, 2);
    assert.equal(failed(await cli('alarms', 'ack', '--all', 'fire')).code, 2);
    await good('alarms', 'ack', 'fire');
  });

  test('history and export take what is selected', async () => {
    assert.deepEqual(await names('history', 'skid_*'), ['skid_1', 'skid_2']);
    assert.deepEqual(await names('history', '--area', 'plant'), ['skid_1']);
    const nothing = await cli('history', 'nobody*');
    assert.deepEqual([nothing.code, JSON.parse(nothing.stdout), nothing.stderr], [0, {}, 'Nothing matches.\n']);
    assert.equal(failed(await cli('history')).code, 2);
    const { code, stdout } = await cli('archive', 'export', '--area', 'plant');
    assert.equal(code, 0);
    const rows = stdout.trim().split('\n').slice(1);
    assert.ok(
      rows.every((row) => row.startsWith('skid_1,')),
      stdout.slice(0, 500),
    );
  });

  test('areas shows the tree with its counts', async () => {
    const tree = await good<Record<string, AreaCounts>>('areas');
    assert.deepEqual(tree['plant.skids']?.measurements, { good: 1, uncertain: 0, bad: 0, simulated: 1 });
    assert.deepEqual(tree.plant?.areas, ['plant.skids']);
  });

  test('watch shows what is selected as it comes, changes, and matches no longer', async (t) => {
    const watch = new RunningCli(t, ['watch', 'skid_*', 'skid_late', '--forced'], { url: plant.url });
    const shown = async () => {
      const { name, left } = JSON.parse(await watch.line(() => true)) as { name: string; left?: true };
      return `${name}${left ? ' left' : ''}`;
    };
    assert.equal(await shown(), 'skid_1');
    await good('simulate', 'skid_2', '1');
    assert.equal(await shown(), 'skid_2');
    await good('simulate', '--stop', 'skid_2');
    assert.equal(await shown(), 'skid_2 left');
    await plant.server.send('PUT', '/measurements/skid_late', { name: 'skid_late', datatype: 'd' });
    await plant.server.send('POST', '/cfgdb/render');
    await good('simulate', 'skid_late', '1');
    assert.equal(await shown(), 'skid_late');
    assert.equal(await watch.end('SIGINT'), 0);
  });

  test('watch of a pattern says which names there are not, and waits for them', async (t) => {
    const watch = new RunningCli(t, ['watch', 'nobody*', 'nobody'], { url: plant.url });
    assert.deepEqual(JSON.parse(await watch.line(() => true)), { name: 'nobody', unknown: true });
    await plant.server.send('PUT', '/measurements/nobody', { name: 'nobody', datatype: 'd' });
    await plant.server.send('POST', '/cfgdb/render');
    assert.equal((JSON.parse(await watch.line(() => true)) as { name: string }).name, 'nobody');
    assert.equal(await watch.end('SIGINT'), 0);
  });

  test('watch takes commands and alarms by area, and refuses what cannot be', async (t) => {
    const commands = new RunningCli(t, ['watch', '--commands', '--area', 'plant'], { url: plant.url });
    assert.equal((JSON.parse(await commands.line(() => true)) as { name: string }).name, 'skid_start');
    assert.equal(await commands.end('SIGINT'), 0);
    const alarms = new RunningCli(t, ['alarms', 'watch', '--area', 'plant.skids'], { url: plant.url });
    await alarms.line(() => true);
    assert.equal((JSON.parse(await alarms.line(() => true)) as { name: string }).name, 'skid_low');
    assert.equal(await alarms.end('SIGINT'), 0);
    for (const wrong of [['--all', '--bad'], ['--all', 'skid_*'], ['--commands', '--bad'], []]) {
      assert.equal(failed(await cli('watch', ...wrong)).code, 2, wrong.join(' '));
    }
  });

  test('simulate takes what is selected once it is confirmed, and stops what of it is simulated', async () => {
    const simulated = () => names('simulate');
    const refused = failed(await cli('simulate', 'skid_*', '1'));
    assert.deepEqual([refused.code, await simulated()], [1, ['skid_1', 'skid_late']]);
    assert.match(refused.text, /This simulates 3 measurements: skid_1, skid_2, skid_late\. Add --yes to do it\./);
    assert.deepEqual(await good('simulate', 'skid_*', '1', '--for', '600', '--datatype', 'b,d', '--yes'), {
      simulated: [
        { name: 'skid_1', value: 'd1', 'valid-for': 600 },
        { name: 'skid_2', value: 'b1', 'valid-for': 600 },
        { name: 'skid_late', value: 'd1', 'valid-for': 600 },
      ],
    });
    assert.deepEqual(await names('simulate', '--area', 'plant'), ['skid_1']);
    await good('simulate', '--stop', '*');
    // One value that does not fit, and nothing is simulated.
    assert.equal(failed(await cli('simulate', 'skid_*', '7', '--yes')).code, 2);
    assert.match(failed(await cli('simulate', 'nowhere*', '7', '--yes')).text, /Nothing matches; nothing is simulated/);
    assert.deepEqual(await simulated(), []);
    await good('simulate', 'skid_1', '2');
    assert.deepEqual(await good('simulate', '--stop', '--area', 'plant'), { stopped: ['skid_1'] });
    assert.deepEqual(await good('simulate', '--stop', 'skid_*'), { stopped: [] });
    assert.equal(failed(await cli('simulate', '--stop')).code, 2);
  });
});
