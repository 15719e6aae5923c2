// What refusals and settings say to people: what to write, not which rule was broken.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checker, Measurement, parsePrefixedAs } from '@telltale/schema';
import { checkConfiguration } from '../packages/server/src/cfgdb/check.ts';
import { emptyContent } from '../packages/server/src/cfgdb/content.ts';
import { readInterval } from '../packages/server/src/operations/archive/interval.ts';
import { readSettings, unknownVariables } from '../packages/server/src/read-settings.ts';

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

  test('for a number in the place of a text, and a text in the place of a number or a boolean', () => {
    const faults = (object: object) =>
      checker(Measurement)
        .faults({ name: 'a', datatype: 'd', ...object })
        .map(({ path, message }) => `${path} ${message}`);
    assert.deepEqual(faults({ euRangeHi: 12, deadband: 0.5, eu: true }), [
      '/euRangeHi must be a string: write "12"',
      '/eu must be a string: write "true"',
      '/deadband must be a string: write "0.5"',
    ]);
    assert.deepEqual(faults({ properties: { scanPeriod: 250 } }), [
      '/properties/scanPeriod must be a string: write "250"',
    ]);
    assert.deepEqual(faults({ archPeriod: '1m' }), ['/archPeriod must be an integer, milliseconds: write 60000']);
    assert.deepEqual(faults({ archTimeDeadband: '1h30m' }), [
      '/archTimeDeadband must be an integer, milliseconds: write 5400000',
    ]);
    assert.deepEqual(faults({ archPeriod: '500', stackUmask: ' 8 ' }), [
      '/archPeriod must be an integer: write 500, without quotes',
      '/stackUmask must be an integer: write 8, without quotes',
    ]);
    assert.deepEqual(faults({ enabled: 'on', archPeriod: 'soon' }), [
      '/archPeriod must be an integer',
      '/enabled must be a boolean: write true, without quotes',
    ]);
    // Nothing is proposed that would be refused, or that is too long to be read.
    assert.deepEqual(faults({ archPeriod: '-5', stackUmask: '1.5', area: 1.5e300, eu: [] }), [
      '/archPeriod must be an integer',
      '/stackUmask must be an integer',
      '/eu must be a string',
      '/area must be a string',
    ]);
  });

  test('for a deadband or a range that is nearly a number', () => {
    const faults = (object: object) => {
      const content = emptyContent();
      const point = { name: 'a', datatype: 'd', euRangeLo: '0', euRangeHi: '10', ...object };
      content.measurements.set('a', JSON.stringify(point));
      return checkConfiguration(content, new Map()).map(({ path, message }) => `${path.slice(16)} ${message}`);
    };
    assert.deepEqual(faults({ deadband: '5 %' }), ['deadband "5 %": write 5%']);
    assert.deepEqual(faults({ deadband: '0,5%' }), ['deadband "0,5%": write 0.5%']);
    assert.match(faults({ deadband: '0,5' })[0] ?? '', /^deadband "0,5" is not a decimal number.*: write 0\.5$/);
    assert.match(faults({ euRangeHi: '12 bar' })[0] ?? '', /is not a decimal number.*: write 12$/);
    assert.match(faults({ euRangeHi: '1e3' })[0] ?? '', /: write 1000$/);
    assert.doesNotMatch(faults({ euRangeHi: 'high' })[0] ?? '', /write/);
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
  test('in milliseconds takes a duration, and one that is on or off takes these words', () => {
    const timeout = (text: string) => readSettings(['--write-timeout', text], {})['write-timeout'];
    assert.deepEqual(['5000', '5s', '1m30s', '250ms'].map(timeout), [5000, 5000, 90_000, 250]);
    for (const text of ['5 s', '1.5s', '0s', '']) {
      assert.throws(() => timeout(text), /must be a number of milliseconds, or whole numbers with .* such as 90s/);
    }
    assert.throws(() => timeout('60d'), /must be <= 2147483647/);
    const uploads = (text: string) => readSettings([], { TELLTALE_MODULE_UPLOADS: text })['module-uploads'];
    assert.deepEqual(['on', 'true', '1', 'off', 'false', '0'].map(uploads), [true, true, true, false, false, false]);
    assert.deepEqual(
      ['on', 'off', '0'].map((text) => readSettings(['--demo', text], {}).demo),
      [true, false, false],
    );
    const retention = (text: string) => readSettings(['--archive-retention', text], {})['archive-retention'];
    assert.equal(retention('1y6w'), '1y6w');
    for (const text of ['0d', '1d1y', '999999999999y']) assert.throws(() => retention(text), /must be a duration/);
  });

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
