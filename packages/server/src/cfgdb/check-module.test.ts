// Promises of the check before a rendering about function modules: when they run, their properties, their environment.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checker, Fault } from '@telltale/schema';
import { checkConfiguration } from './check.ts';
import { emptyContent } from './content.ts';

const fault = checker(Fault);

/** `path: message` of each fault, below the module. */
function reported(fields: object): string[] {
  const content = emptyContent();
  content['function-modules'].set('f', JSON.stringify({ name: 'f', termToKill: 1, queryTimeout: 1, ...fields }));
  return checkConfiguration(content, new Map()).map((found) => {
    assert.deepEqual(fault.faults(found), []);
    const { path, family, name, field, message } = found;
    const before = '/function-modules/f/';
    assert.deepEqual([family, name, path.startsWith(`${before}${field}`)], ['function-modules', 'f', true]);
    return `${path.slice(before.length)}: ${message}`;
  });
}

/** Kept as it is by JSON.parse, as by the database. */
const odd = (key: string, value: string) => JSON.parse(`{${JSON.stringify(key)}: ${JSON.stringify(value)}}`);

test('a module that says when it runs, what bounds it and what its environment is, is rendered', () => {
  for (const runMode of ['service', 'once', 'cron */5 * * * *', 'cron @daily', 'cron 0 0 29 2 *']) {
    assert.deepEqual(reported({ runMode }), []);
  }
  const properties = {
    writes: 'level, pump_*',
    memoryLimit: '256M',
    cpuLimit: '0.5',
    maxProcesses: '8',
    colour: '=\0',
  };
  assert.deepEqual(
    reported({ properties, env: { PATH: '/bin', LANG: 'C', EMPTY: '', 'a b/~': 'x=y', telltale_x: '1' } }),
    [],
  );
  assert.deepEqual(reported({ env: odd('__proto__', 'x') }), []);
});

test('a bad runMode is refused, with what would be right', () => {
  assert.deepEqual(reported({ runMode: 'always' }), [
    'runMode: must be service, once, or cron and times, such as cron 0 6 * * mon-fri',
  ]);
  assert.deepEqual(reported({ runMode: 'cron 0 25 * * *' }), ['runMode: hour: "25" is not a number from 0 to 23']);
  assert.deepEqual(reported({ runMode: 'cron 0 0 30 2 *' }), [
    'runMode: never comes: none of its months has such a day',
  ]);
});

test('bad properties are refused, each where it stands', () => {
  assert.deepEqual(reported({ properties: { writes: 'a.b', memoryLimit: '512', cpuLimit: '50%', sha256: 'x' } }), [
    'properties/writes: "a.b" is no name: write names, or beginnings of names with an asterisk, such as level, pump_*',
    'properties/sha256: must be 64 hexadecimal digits, as sha256sum prints them',
    'properties/memoryLimit: must be bytes, of at least 1M: a whole number, with K, M, G or T, such as 256M',
    'properties/cpuLimit: must be cores, from 0.01 to 1024, such as 0.5',
  ]);
});

describe('a variable of the environment', () => {
  test('is not one that the service sets', () => {
    const reserved = 'names that begin with TELLTALE_ are set by the service: take another name';
    assert.deepEqual(reported({ env: { TELLTALE_TOKEN: 'x', TELLTALE_: 'y', MY_TELLTALE_: 'z' } }), [
      `env/TELLTALE_TOKEN: ${reserved}`,
      `env/TELLTALE_: ${reserved}`,
    ]);
  });

  test('has a name and a value that the system can hold', () => {
    assert.deepEqual(reported({ env: { 'A=B/C': '1', 'N\0': '2', V: 'a\0b' } }), [
      'env/A=B~1C: the name of a variable has no =: what follows it belongs into the value',
      'env/N\0: the name of a variable has no NUL character',
      'env/V: the value of a variable has no NUL character',
    ]);
    assert.deepEqual(reported({ env: { A: 'x'.repeat(131_069) } }), []);
    assert.deepEqual(reported({ env: { A: 'x'.repeat(131_070) } }), [
      'env/A: the system takes no variable of more than 131072 bytes: put it into a file',
    ]);
  });
});
