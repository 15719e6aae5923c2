import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCron } from './cron.ts';
import { parseRunMode } from './run-mode.ts';

test('a module is a service, unless it says otherwise', () => {
  assert.deepEqual(parseRunMode(undefined), { runMode: { kind: 'service' } });
  assert.deepEqual(parseRunMode('service'), { runMode: { kind: 'service' } });
  assert.deepEqual(parseRunMode(' once '), { runMode: { kind: 'once' } });
});

test('times follow the word cron', () => {
  for (const times of ['0 6 * * mon-fri', '@daily', ' \t*/5 * * * * ']) {
    const read = parseCron(times);
    assert.ok('schedule' in read);
    assert.deepEqual(parseRunMode(`cron ${times}`), { runMode: { kind: 'cron', schedule: read.schedule } });
  }
});

test('what is neither says what would be right', () => {
  const forms = { fault: 'must be service, once, or cron and times, such as cron 0 6 * * mon-fri' };
  for (const text of ['', ' ', 'Service', 'services', 'always', 'cron*/5 * * * *', '0 6 * * *', '__proto__']) {
    assert.deepEqual(parseRunMode(text), forms, text);
  }
  assert.deepEqual(parseRunMode('cron 61 * * * *'), { fault: 'minute: "61" is not a number from 0 to 59' });
  for (const text of ['cron', 'cron ', 'cron 0 6', 'cron daily']) {
    const read = parseRunMode(text);
    assert.ok('fault' in read && read.fault.startsWith('needs five fields: '), text);
  }
});
