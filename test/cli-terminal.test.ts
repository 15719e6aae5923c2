// `telltale` on a terminal: tables, colours, bars, and texts from the plant that do no harm there.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CliPlant } from './cli-plant.ts';
import { noTerminal, runOnTerminal } from './cli-process.ts';

const plant = new CliPlant();

describe('on a terminal', { skip: noTerminal }, () => {
  const strip = (text: string) => text.replaceAll(/\x1b\[[0-9;]*m/g, '').replaceAll('\r', '');

  test('there are tables with qualities in words and local times, in colour unless that is not wanted', () => {
    const { code, stdout } = runOnTerminal(['read', 'waterworks_link', 'tank1_level'], { url: plant.url });
    assert.equal(code, 0);
    assert.match(stdout, /\x1b\[32mgood\x1b\[0m/);
    const lines = strip(stdout).split('\n');
    assert.match(lines[0] ?? '', /^NAME +VALUE +QUALITY +TIME +DESCRIPTION$/);
    assert.match(strip(stdout), /^tank1_level +[\d.]+ m +good +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} +Tank 1, level$/m);
    const column = lines[0]?.indexOf('QUALITY');
    for (const line of lines.slice(1, 3)) assert.equal(line.indexOf('good'), column, line);
    for (const options of [{ url: plant.url, env: { NO_COLOR: '1' } }, { url: plant.url }]) {
      const args = options.env === undefined ? ['read', '--no-color'] : ['read'];
      assert.doesNotMatch(runOnTerminal(args, options).stdout, /\x1b/);
    }
  });

  test('no line is longer than the terminal', () => {
    const { stdout } = runOnTerminal(['config', 'get', 'measurements'], { url: plant.url });
    const lines = strip(stdout).split('\n');
    assert.ok(lines.length > 50);
    assert.ok(lines.some((line) => line.endsWith('…')));
    assert.deepEqual(
      lines.filter((line) => [...line].length > 100),
      [],
    );
  });

  test('a text from the plant cannot move the cursor', async () => {
    await plant.server.send('PUT', '/measurements/evil', {
      name: 'evil',
      datatype: 's',
      description: 'a\u001b[2Jb\u0007',
    });
    const { stdout } = runOnTerminal(['config', 'get', 'measurements', 'evil', '--no-color'], { url: plant.url });
    assert.doesNotMatch(stdout.replaceAll(/\r?\n/g, ''), /[\x00-\x1f]/);
    assert.match(stdout, /a\\u001b\[2Jb\\u0007/);
    await plant.server.send('DELETE', '/measurements/evil');
  });

  test('--json gives JSON there too', () => {
    const { stdout } = runOnTerminal(['read', 'tank1_level', '--json'], { url: plant.url });
    assert.deepEqual(Object.keys(JSON.parse(stdout)), ['tank1_level']);
  });

  test('long work shows a bar that is gone at the end', () => {
    const { code, stdout } = runOnTerminal(['config', 'export', '--database', 'bar.sqlite'], {
      url: plant.url,
      cwd: plant.folder,
    });
    assert.equal(code, 0);
    assert.match(stdout, /downloading \[[#.]{24}\] /);
    assert.ok(stdout.endsWith('\r\x1b[K'));
  });
});
