// What refusals and settings say to people: what to write, not which rule was broken.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checker, Measurement, parsePrefixedAs } from '@telltale/schema';
import { readInterval } from '../packages/server/src/operations/archive/interval.ts';
import { readSettings, unknownVariables } from '../packages/server/src/settings.ts';

describe('a refusal says what to write', () => {
  test('for a value without its prefix', () => {
    assert.throws(() => parsePrefixedAs('d', '33.5'), /write d33\.5$/);
    assert.throws(() => parsePrefixedAs('b', '1'), /write b1$/);
    assert.throws(() => parsePrefixedAs('d', 'i5'), /does not start with d, the datatype here/);
    assert.throws(() => parsePrefixedAs('s', 'open'), /does not start with s, the datatype here/);
  });

  test('for a field of another name, and for what is off its pattern', () => {
    const faults = (object: object) => checker(Measurement).faults({ name: 'a', datatype: 'd', ...object });
    assert.deepEqual(faults({ units: 'bar', archmode: 'none' }), [
      { path: '/units', message: 'is unknown; did you mean eu?' },
      { path: '/archmode', message: 'is unknown; did you mean archMode?' },
    ]);
    assert.match(faults({ colour: 'red' })[0]?.message ?? '', /^is unknown; known are name, address/);
    assert.deepEqual(faults({ name: 'a b' }), [
      { path: '/name', message: 'must be a name: 1 to 64 characters of 0-9, a-z, A-Z and _' },
    ]);
  });

  test('for times in milliseconds', () => {
    const nowUs = 1_794_000_000_000_000;
    assert.throws(() => readInterval('1794000000000', '0', nowUs), /looks like milliseconds; times are in seconds/);
    assert.throws(() => readInterval('1794000001', '1794000000', nowUs), /is after t_until, "1794000000"\.$/);
  });

  test('for a retention, a path or a user off its form', () => {
    assert.throws(() => readSettings(['--archive-retention', '90'], {}), /must be a duration such as 90d/);
    assert.throws(() => readSettings(['--data-path', 'data'], {}), /must be a path such as \/data/);
    assert.throws(() => readSettings(['--module-user', 'a b'], {}), /must be own, server, or the name/);
  });
});

describe('a setting', () => {
  test('in bytes takes K, M, G and T', () => {
    const size = (text: string) => readSettings(['--archive-max-size', text], {})['archive-max-size'];
    assert.deepEqual(['20971520', '20480K', '20M', '10G', '10GiB', '1t'].map(size), [
      20 << 20,
      20 << 20,
      20 << 20,
      10 * 2 ** 30,
      10 * 2 ** 30,
      2 ** 40,
    ]);
    for (const text of ['10X', 'G', '1.5G', '-1G']) assert.throws(() => size(text), /--archive-max-size/);
    assert.throws(() => readSettings(['--port', '8K'], {}), /--port "8K"/);
  });

  test('is not what TELLTALE_URL is, which belongs to the command line', () => {
    assert.deepEqual(unknownVariables({ TELLTALE_URL: 'http://plant', TELLTALE_COLOUR: 'red' }), ['TELLTALE_COLOUR']);
  });
});
