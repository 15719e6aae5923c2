// Simulation over HTTP: what can be forced, what is shown meanwhile, how it ends, and that a restart keeps it.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Collection, Explanation, LiveMeasurement, Simulation, type Vtq } from '@telltale/schema';
import fc from 'fast-check';
import { oddNames } from './live-plant.ts';
import { LiveServer } from './live-server.ts';
import { until } from './until.ts';

const live = new LiveServer();
const { data } = live;

const vtqOf = async (name: string): Promise<Vtq> =>
  (await live.read<LiveMeasurement>(`/measurements/${name}`, LiveMeasurement)).vtq;
const simulate = (name: string, value: string, more = '') =>
  data.done('PUT', `/measurements/${name}?value=${encodeURIComponent(value)}${more}`);
const stop = (name: string) => data.done('DELETE', `/measurements/${name}`);
const simulations = () => live.read<Record<string, Simulation>>('/simulations', Collection(Simulation));

const good = 0xc0;
const simulated = 0x8000;

describe('a simulated measurement', () => {
  test('shows the value at the time of the request, good and simulated, until it is stopped', async () => {
    const before = await vtqOf('level');
    await simulate('level', 'd42.5');
    const [value, [seconds], quality] = await vtqOf('level');
    assert.deepEqual([value, quality], ['d42.5', simulated | good]);
    assert.ok(Math.abs(seconds - Date.now() / 1000) < 60);
    await stop('level');
    assert.deepEqual(await vtqOf('level'), before);
  });

  test('has the quality that was asked for', async () => {
    for (const quality of [0, 1, 0x40, 0x56, 0xc0, 0xff, 0x100, 0x8000, 0xffff]) {
      await simulate('level', 'd1', `&quality=${quality}`);
      assert.equal((await vtqOf('level'))[2], quality | simulated);
    }
    for (const wrong of ['65536', '-1', '1.5', '0x8', 'good', '']) {
      await data.refused('invalid-query', 'PUT', `/measurements/level?value=d1&quality=${wrong}`);
    }
    assert.equal((await vtqOf('level'))[2], 0xffff);
    await stop('level');
  });

  test('ends by itself when its time is over', async () => {
    const before = await vtqOf('level');
    await simulate('level', 'd7', '&valid-for=0.05');
    assert.deepEqual(await until('the end', async () => (await vtqOf('level'))[0] !== 'd7' && vtqOf('level')), before);
    assert.deepEqual(await simulations(), {});
    for (const wrong of ['0', '-1', 'NaN', 'Infinity', '1e', 'soon', '']) {
      await data.refused('invalid-query', 'PUT', `/measurements/level?value=d1&valid-for=${wrong}`);
    }
  });

  test('is another one when it is simulated again, its end included', async () => {
    await simulate('level', 'd1', '&valid-for=0.1');
    await simulate('level', 'd2');
    const { level } = await simulations();
    assert.deepEqual([level?.value, level?.until], ['d2', null]);
    await simulate('zero_d', 'd3', '&valid-for=0.15');
    await until('the end of the later one', async () => (await vtqOf('zero_d'))[0] !== 'd3');
    assert.equal((await vtqOf('level'))[0], 'd2');
    await stop('level');
  });

  test('hides what its device says; when it ends, the newest of that is shown, with its own time and quality', async () => {
    const first = await until('a first count', async () => {
      const vtq = await vtqOf('counter');
      return vtq[2] === good && vtq;
    });
    await simulate('counter', 'i-5');
    await data.done('PUT', '/commands/set_text?value=shello');
    await until('scans to go on', async () => (await vtqOf('text'))[0] === 'shello');
    assert.equal((await vtqOf('counter'))[0], 'i-5');
    await stop('counter');
    const [value, time, quality] = await vtqOf('counter');
    assert.equal(quality, good);
    assert.ok(Number(value.slice(1)) >= Number(first[0].slice(1)), value);
    assert.ok(time[0] + time[1] / 1e6 >= first[1][0] + first[1][1] / 1e6);
  });

  test('bypasses scaling, deadband and ranges: it is shown as it is given', async () => {
    await simulate('scaled', 'd123456.789');
    assert.deepEqual((await vtqOf('scaled'))[0], 'd123456.789');
    await stop('scaled');
  });

  test('is listed: to what, since when, until when, by whom; and however it is called', async () => {
    for (const name of oddNames) await simulate(name, 'i1', '&valid-for=1000.5&quality=64');
    await simulate('text', 's');
    const found = await simulations();
    assert.deepEqual(Object.keys(found).sort(), [...oddNames, 'text'].sort());
    for (const name of oddNames) {
      const { since, until: end, ...rest } = new Map(Object.entries(found)).get(name) as Simulation;
      assert.deepEqual(rest, { name, value: 'i1', quality: 64 | simulated, by: 'local', reason: null });
      const us = ([seconds, micros]: readonly number[]) => BigInt(seconds ?? 0) * 1_000_000n + BigInt(micros ?? 0);
      assert.equal(us(end ?? []) - us(since), 1_000_500_000n);
    }
    for (const name of [...oddNames, 'text']) await stop(name);
    assert.deepEqual(await simulations(), {});
  });

  test('says why, after a restart too, and where it is explained', async () => {
    const why = 'pump 3 <is> open';
    await simulate('text', 's', `&reason=${encodeURIComponent(why)}`);
    assert.equal((await simulations()).text?.reason, why);
    await live.restart();
    assert.equal((await simulations()).text?.reason, why);
    const { summary, simulation } = await live.read<Explanation>('/measurements/text/explain', Explanation);
    assert.equal(simulation?.reason, why);
    assert.match(summary, /forced by local \(pump 3 <is> open\)/);
    await stop('text');
  });

  test('can be stopped though it is not simulated', async () => {
    await stop('level');
    await stop('level');
  });
});

describe('a simulation is refused', () => {
  test('where the value is not one of the datatype, and changes nothing', async () => {
    const before = await vtqOf('level');
    for (const value of [
      '',
      'd',
      'd5.',
      'd1e3',
      'dNaN',
      'dInf',
      'd--1',
      'i5',
      '5',
      's5',
      'd 5 ',
      'd0x1',
      'd1,5',
      'D5',
    ]) {
      const path = `/measurements/level?value=${encodeURIComponent(value)}`;
      assert.deepEqual(await data.faulty('invalid-value', 'PUT', path), ['value'], value);
    }
    for (const [datatype, values] of Object.entries({
      b: ['b2', 'b', 'btrue', 'b00'],
      q: ['q4', 'q-1', 'q10'],
      i: ['i2147483648', 'i-2147483649', 'i1.5', 'i'],
      l: ['l9223372036854775808', 'l-9223372036854775809', 'l1.0'],
      f: ['f1e10', `f${'9'.repeat(40)}`],
      d: [`d${'9'.repeat(400)}`],
    })) {
      for (const value of values) {
        await data.refused('invalid-value', 'PUT', `/measurements/zero_${datatype}?value=${value}`);
      }
    }
    assert.deepEqual(await vtqOf('level'), before);
  });

  test('without a value, or with parameters that there are not', async () => {
    await data.refused('invalid-query', 'PUT', '/measurements/level');
    await data.refused('invalid-query', 'PUT', '/measurements/level?value=d1&value=d2');
    await data.refused('invalid-query', 'PUT', '/measurements/level?value=d1&validfor=2');
    await data.refused('invalid-query', 'DELETE', '/measurements/level?value=d1');
  });

  test('of what does not exist, is not enabled, or is called impossibly', async () => {
    for (const method of ['PUT', 'DELETE']) {
      const query = method === 'PUT' ? '?value=d1' : '';
      for (const name of ['nobody', 'hidden', 'valueOf']) {
        await data.refused('unknown-object', method, `/measurements/${name}${query}`);
      }
      for (const name of ['a-b', '%00', 'x'.repeat(65), '%C3%A4', '..%2F..']) {
        await data.refused('invalid-name', method, `/measurements/${name}${query}`);
      }
    }
    await data.refused('reserved-name', 'PUT', '/measurements/names?value=d1');
  });
});

describe('a value', () => {
  test('may have a sign, though a plus in a query is a space', async () => {
    for (const [query, shown] of Object.entries({
      'd+5': 'd5',
      'd%2B5': 'd5',
      'd-0.5': 'd-0.5',
      'd.5': 'd0.5',
      'd+.5': 'd0.5',
      d007: 'd7',
    })) {
      await data.done('PUT', `/measurements/level?value=${query}`);
      assert.equal((await vtqOf('level'))[0], shown, query);
    }
    await data.done('PUT', '/measurements/zero_s?value=s%20a+b');
    assert.equal((await vtqOf('zero_s'))[0], 's a+b');
  });

  test('of any number comes back as the same number, in the shortest form, without an exponent', async () => {
    const plain = (number: number) => {
      const text = String(number);
      return /e/.test(text) ? BigInt(Math.trunc(number)).toString() : text;
    };
    const any = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }).filter((each) => Math.abs(each) >= 1e-6 || each === 0),
      fc.integer(),
    );
    const property = fc.asyncProperty(any, async (number) => {
      await simulate('level', `d${plain(number)}`);
      const [value] = await vtqOf('level');
      assert.match(value, /^d-?\d+(\.\d+)?$/);
      assert.ok(Object.is(Number(value.slice(1)) + 0, number + 0), `${number} ${value}`);
    });
    await fc.assert(property, { numRuns: 200 });
    await simulate('level', 'd0.0000001');
    assert.equal((await vtqOf('level'))[0], 'd0.0000001');
  });

  test('of 64 bits is exact over the whole range', async () => {
    const property = fc.asyncProperty(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), async (number) => {
      await simulate('zero_l', `l${number}`);
      assert.equal((await vtqOf('zero_l'))[0], `l${number}`);
    });
    await fc.assert(property, { numRuns: 100, examples: [[2n ** 63n - 1n], [-(2n ** 63n)], [2n ** 53n + 1n]] });
  });

  test('of text may be any text of at most 64 KiB', async () => {
    const property = fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 300 }), async (text) => {
      await simulate('zero_s', `s${text}`);
      assert.equal((await vtqOf('zero_s'))[0], `s${text}`);
    });
    await fc.assert(property, {
      numRuns: 200,
      examples: [['"\\\b\f\n\r\t\u2028\ufeff'], ['💧'.repeat(9)], ['\u0001\u007f']],
    });
    for (const whole of ['x'.repeat(65_536), 'é'.repeat(32_768), '💧'.repeat(16_384), '"'.repeat(65_536)]) {
      await simulate('zero_s', `s${whole}`);
      assert.equal((await vtqOf('zero_s'))[0], `s${whole}`);
      const { status } = await data.ask('PUT', `/measurements/zero_s?value=${encodeURIComponent(`s${whole}x`)}`);
      assert.equal(status, 400);
    }
    await stop('zero_s');
  });
});

test('simulations outlive a restart, with their times, and one whose time is over does not', async () => {
  await simulate('level', 'd33', '&quality=64');
  await simulate('zero_i', 'i3', '&valid-for=1000');
  await simulate('zero_b', 'b1', '&valid-for=0.01');
  const before = await simulations();
  const shown = [await vtqOf('level'), await vtqOf('zero_i')];
  await live.restart('SIGKILL');
  delete before.zero_b;
  assert.deepEqual(await simulations(), before);
  assert.deepEqual([await vtqOf('level'), await vtqOf('zero_i')], shown);
  assert.deepEqual(await vtqOf('zero_b'), ['b0', [0, 0], 0x08]);
});

test('everything that was answered here is in the reference', async () => {
  assert.deepEqual(await data.undocumented(), []);
});
