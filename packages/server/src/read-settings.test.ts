// Promises of the settings: where they come from, which wins, what is refused and how that is reported.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { BadSetting, environmentName, helpText, readSettings, readSources, settingLines } from './read-settings.ts';
import { Settings } from './settings.ts';

const MiB = 1 << 20;
const names = Object.keys(Settings.properties);

function refusal(args: string[], environment: NodeJS.ProcessEnv = {}): string {
  try {
    readSettings(args, environment);
  } catch (error) {
    if (error instanceof BadSetting) return error.message;
    throw error;
  }
  return assert.fail(`${args.join(' ')} was taken`);
}

test('without arguments and environment everything has its default', () => {
  const settings = readSettings([], {});
  const { data, host, port, demo } = settings;
  assert.deepEqual({ data, host, port, demo }, { data: './data', host: '127.0.0.1', port: 8080, demo: undefined });
  assert.equal(settings['config-path'], '/config/v2');
  assert.equal(settings['log-level'], 'info');
  assert.equal(settings['max-executable-size'], 256 * MiB);
  const modules = [settings['module-user'], settings['module-uploads'], settings['module-memory']];
  assert.deepEqual(modules, ['own', true, undefined]);
});

describe('what an enrolment has left in the data folder', () => {
  const enrolled = (t: TestContext, text: string) => {
    const data = temporaryFolder(t);
    writeFileSync(join(data, 'bus.json'), text);
    return data;
  };

  test('counts where neither the command line nor the environment says anything; its files are in the folder', (t) => {
    const data = enrolled(
      t,
      '{"bus":"tls://bus.example","bus-role":"site","bus-ca":"bus/member/authority.pem","site":"North"}',
    );
    const settings = readSettings([`--data=${data}`], { TELLTALE_SITE: 'West' });
    assert.deepEqual([settings.bus, settings['bus-role'], settings.site], ['tls://bus.example', 'site', 'West']);
    assert.equal(settings['bus-ca'], join(data, 'bus/member/authority.pem'));
    assert.equal(readSettings(['--bus=tls://other'], { TELLTALE_DATA: data }).bus, 'tls://other');
    assert.deepEqual(
      [...readSources(['--bus=tls://other'], { TELLTALE_DATA: data })],
      [
        ['bus', 'command-line'],
        ['bus-role', 'enrolment'],
        ['bus-ca', 'enrolment'],
        ['site', 'enrolment'],
        ['data', 'environment'],
      ],
    );
  });

  test('is refused where it is not as it was written: it says nothing else', (t) => {
    for (const text of ['', '{', '[1]', '{"port":"1"}', '{"bus":1}', '{"data":"/"}']) {
      assert.match(
        refusal([`--data=${enrolled(t, text)}`]),
        /bus\.json is not as telltale site enrol writes it: enrol again/,
      );
    }
  });
});

describe('a setting', () => {
  test('comes from an argument, as two words or with =', () => {
    assert.equal(readSettings(['--port', '80'], {}).port, 80);
    assert.equal(readSettings(['--port=81', '--data=a=b c'], {}).port, 81);
    assert.equal(readSettings(['--data=a=b c'], {}).data, 'a=b c');
    assert.equal(readSettings(['--data', '--strange'], {}).data, '--strange');
    assert.equal(readSettings(['--port', '1', '--port', '2'], {}).port, 2);
  });

  test('comes from the environment, under its name in capitals', () => {
    assert.equal(environmentName('max-json-size'), 'TELLTALE_MAX_JSON_SIZE');
    const environment = { TELLTALE_PORT: '82', TELLTALE_MAX_JSON_SIZE: '1000', TELLTALE_DEMO: '0', PORT: '1' };
    const settings = readSettings([], environment);
    assert.deepEqual([settings.port, settings['max-json-size'], settings.demo], [82, 1000, false]);
  });

  test('says who function modules run as by name or by numbers', () => {
    for (const user of ['own', 'server', 'www-data', '1000', '1000:100']) {
      assert.equal(readSettings(['--module-user', user], {})['module-user'], user);
    }
  });

  test('on the command line wins over the environment, and that over the default', () => {
    const environment = { TELLTALE_PORT: '82', TELLTALE_HOST: '::1', TELLTALE_DEMO: 'true' };
    const settings = readSettings(['--port', '83', '--no-demo'], environment);
    assert.deepEqual([settings.port, settings.host, settings.demo], [83, '::1', false]);
    assert.equal(readSettings(['--port', '83'], { TELLTALE_PORT: 'bad' }).port, 83);
  });

  test('that is a flag is switched on and off', () => {
    assert.equal(readSettings(['--demo'], {}).demo, true);
    assert.equal(readSettings(['--no-demo'], {}).demo, false);
    assert.equal(readSettings(['--no-module-uploads'], {})['module-uploads'], false);
    assert.equal(readSettings([], { TELLTALE_MODULE_UPLOADS: '0' })['module-uploads'], false);
    for (const word of ['1', 'true']) assert.equal(readSettings([`--demo=${word}`], {}).demo, true);
    for (const word of ['0', 'false']) assert.equal(readSettings([`--demo=${word}`], {}).demo, false);
    assert.equal(readSettings(['--demo', '--port', '5'], {}).port, 5);
  });
});

describe('a bad setting is refused in one line that names it', () => {
  const cases: [string[], RegExp][] = [
    [['--port', 'eighty'], /^--port "eighty" must be an integer; --help/],
    [['--port', '65536'], /^--port "65536" must be <= 65535/],
    [['--port=-1'], /^--port "-1" must be >= 0/],
    [['--port', '80.5'], /^--port "80.5" must be an integer/],
    [['--port='], /^--port "" must be an integer/],
    [['--port', ' 80'], /^--port " 80" must be an integer/],
    [['--port', '0x50'], /^--port "0x50" must be an integer/],
    [['--port', 'true'], /^--port "true" must be an integer/],
    [['--max-json-size', '1e6'], /^--max-json-size "1e6" must be a number of bytes, or such as 64M/],
    [['--max-json-size', '0'], /^--max-json-size "0" must be >= 1/],
    [['--data='], /^--data "" /],
    [['--log-level', 'loud'], /^--log-level "loud" must be one of fatal, error, warn, info, debug, trace/],
    [['--config-path', 'config'], /^--config-path "config" must be /],
    [['--config-path', '/'], /^--config-path "\/" must be /],
    [['--config-path', '/a b'], /^--config-path "\/a b" must be /],
    [['--public-url', 'http://plant'], /^--public-url "http:\/\/plant" must be an address of https without a path/],
    [['--public-url', 'https://plant/x'], /^--public-url "https:\/\/plant\/x" must be /],
    [['--public-url', 'https://a:99999'], /^--public-url "https:\/\/a:99999" must be /],
    [['--tls-cert', 'c.pem'], /^--tls-cert needs --tls-key as well; --help/],
    [['--tls-key', 'k.pem'], /^--tls-key needs --tls-cert as well/],
    [['--tls', '--tls-client-crl', 'r.pem'], /^--tls-client-crl needs --tls-client-ca as well/],
    [['--tls-client-ca', 'a.pem'], /^--tls-client-ca has no effect without TLS/],
    [['--no-tls', '--tls-cert', 'c', '--tls-key', 'k'], /^--tls-cert has no effect without TLS/],
    [['--module-user='], /^--module-user "" must be /],
    [['--module-user', '1000:'], /^--module-user "1000:" must be /],
    [['--module-user', 'a b'], /^--module-user "a b" must be /],
    [['--module-memory', '1000'], /^--module-memory "1000" must be >= 1048576/],
    [['--demo=maybe'], /^--demo "maybe" must be true, on or 1, or false, off or 0/],
    [['--no-demo=true'], /^--no-demo takes no value/],
    [['--no-demo=0'], /^--no-demo takes no value/],
    [['--no-port'], /^--no-port does not exist; --port takes a value/],
    [['--port'], /^--port needs a value after it/],
    [['--prot', '80'], /^"--prot" is not a setting; --help/],
    [['-p', '80'], /^"-p" is not a setting/],
    [['start'], /^"start" is not a setting/],
    [['--'], /^"--" is not a setting/],
    [[''], /^"" is not a setting/],
    [['--constructor=1'], /^"--constructor=1" is not a setting/],
    [['--PORT=1'], /^"--PORT=1" is not a setting/],
    [['--demo', 'yes'], /^"yes" is not a setting/],
    [['--no-demo', '1'], /^"1" is not a setting/],
  ];
  for (const [args, message] of cases) {
    test(args.join(' ') || 'an empty argument', () => {
      const reported = refusal(args);
      assert.match(reported, message);
      assert.doesNotMatch(reported, /\n/);
    });
  }

  test('with the variable where it comes from the environment', () => {
    assert.match(refusal([], { TELLTALE_PORT: 'x' }), /^TELLTALE_PORT "x" must be an integer; --help/);
    assert.match(refusal([], { TELLTALE_PORT: '' }), /^TELLTALE_PORT "" must be an integer/);
    assert.match(
      refusal([], { TELLTALE_DEMO: 'yes' }),
      /^TELLTALE_DEMO "yes" must be true, on or 1, or false, off or 0/,
    );
    assert.match(refusal(['--port', 'y'], { TELLTALE_PORT: 'x' }), /^--port "y" /);
  });

  test('an address of a store is refused with a reason that does not show it, since it may have a password', () => {
    const secret = refusal(['--store', 'postgresql://me:geheim@db.example/plant']);
    assert.match(secret, /^--store has a password, .* name it by \?passfile=; --help/);
    const wrong = refusal([], { TELLTALE_STORE: 'mysql://me:geheim@db.example/plant' });
    assert.match(wrong, /^TELLTALE_STORE is none: /);
    const bus = refusal(['--bus', 'nats://me:geheim@bus.example']);
    assert.match(bus, /^--bus must be an address such as nats:/);
    for (const text of [secret, wrong, bus]) assert.doesNotMatch(text, /geheim/);
  });

  test('also where its text has line breaks', () => {
    assert.doesNotMatch(refusal(['--host=a\nb', '--port=x\ny']), /\n/);
    assert.doesNotMatch(refusal(['--x\ny']), /\n/);
  });
});

describe('--help', () => {
  test('lists every setting with its variable, its default and what it is', () => {
    const help = helpText();
    assert.deepEqual(
      settingLines().map(({ name }) => name),
      names,
    );
    for (const { name, option, variable, default: preset, description } of settingLines()) {
      assert.ok(help.includes(`  ${option}\n`), name);
      assert.ok(help.includes(`(${variable})`), name);
      assert.ok(description.endsWith('.') && help.includes(description), name);
      if (name !== 'demo') assert.ok(help.includes(`Default: ${preset}.`), name);
    }
    assert.match(help, /--demo, --no-demo\n/);
    assert.match(help, /--log-level fatal\|error\|warn\|info\|debug\|trace\n/);
    assert.match(help, /--port N\n/);
  });
});
