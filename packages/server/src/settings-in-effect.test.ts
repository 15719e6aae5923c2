// Promises of the settings as they are shown.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checker, SettingInEffect } from '@telltale/schema';
import { BadSetting, readSettings, readSources, settingLines } from './read-settings.ts';
import { Settings } from './settings.ts';
import { settingsInEffect } from './settings-in-effect.ts';

const shown = (args: string[], environment: NodeJS.ProcessEnv = {}) =>
  settingsInEffect(readSettings(args, environment), readSources(args, environment));

test('every setting is shown, with the value in effect and where it comes from', () => {
  const environment = { TELLTALE_PORT: '9000', TELLTALE_LOG_LEVEL: 'warn' };
  const all = shown(['--port', '9001', '--archive-commit', '2s'], environment);
  assert.deepEqual(Object.keys(all), Object.keys(Settings.properties));
  for (const each of Object.values(all)) assert.deepEqual(checker(SettingInEffect).faults(each), []);
  const brief = (name: string) => [all[name]?.value, all[name]?.source];
  assert.deepEqual(brief('port'), [9001, 'command-line']);
  assert.deepEqual(brief('log-level'), ['warn', 'environment']);
  assert.deepEqual(brief('archive-commit'), [2000, 'command-line']);
  assert.deepEqual(brief('host'), ['127.0.0.1', 'default']);
  assert.deepEqual(brief('archive-max-size'), [null, 'default']);
  assert.equal(all.port?.variable, 'TELLTALE_PORT');
  assert.match(all.port?.description ?? '', /Port/);
});

test('what follows from other settings, or from the machine, is shown as it is', () => {
  const all = shown(['--tls-cert=cert.pem', '--tls-key=key.pem']);
  assert.deepEqual([all.tls?.value, all.tls?.source], [true, 'default']);
  assert.equal(typeof all['time-zone']?.value, 'string');
});

test('no setting is a secret: keys come in files, and no address takes a password', () => {
  const named = settingLines().filter(({ name }) => /key|secret|password|token/.test(name));
  assert.deepEqual(
    named.map(({ name }) => name),
    ['tls-key', 'bus-key', 'lease-password-file', 'secret-key-file'],
  );
  for (const { name, description } of named) assert.match(description, /^File /, name);
  for (const address of [
    '--audit-syslog=tls://me:hush@log.example',
    '--public-url=https://me:hush@plant.example',
    '--store=postgresql://me:hush@db.example/plant',
    '--bus=nats://me:hush@bus.example',
    '--lease=etcd://me:hush@etcd.example/plant',
  ]) {
    assert.throws(() => readSettings([address], {}), BadSetting, address);
  }
});
