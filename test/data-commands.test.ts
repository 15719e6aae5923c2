// Commands over HTTP: what may be written, what reaches the device, and what each way of failing is answered by.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LiveCommand, type LiveMeasurement, type ProblemName } from '@telltale/schema';
import fc from 'fast-check';
import { put } from './live-plant.ts';
import { LiveServer } from './live-server.ts';
import { until } from './until.ts';

const live = new LiveServer();
const { data } = live;

const pathOf = (name: string, value: string) => `/commands/${name}?value=${encodeURIComponent(value)}`;
const write = (name: string, value: string) => data.done('PUT', pathOf(name, value));
const vtOf = async (name: string) => (await live.read<LiveCommand>(`/commands/${name}`, LiveCommand)).vt;
const measured = async (name: string) => (await data.read<LiveMeasurement>(`/measurements/${name}`)).vtq;

/** The write is refused in this way, and the command shows what it showed before. */
async function refused(problem: ProblemName, name: string, value: string): Promise<string> {
  const before = await vtOf(name);
  const { detail } = await data.refused(problem, 'PUT', pathOf(name, value));
  assert.deepEqual(await vtOf(name), before);
  return detail;
}

/** The device has exactly this raw value. */
const reaches = (raw: string) => until(`${raw} at the device`, async () => (await measured('unscaled'))[0] === raw);

describe('a command without a connector', () => {
  test('is a value of the service: stored, and shown with the time of the write', async () => {
    await write('local', 'd1.5');
    const [value, [seconds]] = await vtOf('local');
    assert.equal(value, 'd1.5');
    assert.ok(Math.abs(seconds - Date.now() / 1000) < 60);
    await data.done('PUT', '/commands/local?value=d+2');
    assert.equal((await vtOf('local'))[0], 'd2');
  });

  test('takes the values of its datatype and no others', async () => {
    for (const [datatype, values] of Object.entries({
      b: ['b1', 'b0'],
      q: ['q3', 'q0'],
      i: ['i-2147483648', 'i2147483647'],
      l: ['l-9223372036854775808', 'l9223372036854775807', 'l9007199254740993'],
      f: ['f0.1', 'f-16777216'],
      d: ['d0.1', 'd-0.0000001'],
      s: ['s', 's"\\\n\u2028💧', `s${'x'.repeat(65_536)}`],
    })) {
      for (const value of values) {
        await write(`own_${datatype}`, value);
        assert.equal((await vtOf(`own_${datatype}`))[0], value);
      }
    }
    for (const [datatype, values] of Object.entries({
      b: ['b2', 'i1', ''],
      q: ['q4'],
      i: ['i2147483648', 'd1'],
      l: ['l9223372036854775808', 'i1'],
      f: ['f1e3', `f${'9'.repeat(40)}`],
      d: ['d5.', 'dNaN', 'd'],
      s: ['i1', 'x'],
    })) {
      for (const value of values) await refused('invalid-value', `own_${datatype}`, value);
    }
  });

  test('keeps any text and any 64-bit integer across a restart', async () => {
    await write('own_l', 'l-9223372036854775807');
    await write('own_s', 's\u0001"💧\u2028');
    const before = [await vtOf('own_l'), await vtOf('own_s'), await vtOf('initial')];
    await live.restart('SIGKILL');
    assert.deepEqual([await vtOf('own_l'), await vtOf('own_s')], before.slice(0, 2));
    assert.equal((await vtOf('initial'))[0], 'd5.5');
  });
});

describe('a command of a device', () => {
  test('is scaled, and 204 means that the device has it', async () => {
    const property = fc.asyncProperty(fc.integer({ min: 0, max: 10_000 }), async (raw) => {
      await write('set_scaled', `d${raw / 100}`);
      assert.equal((await vtOf('set_scaled'))[0], `d${raw / 100}`);
      await reaches(`i${raw}`);
    });
    await fc.assert(property, { numRuns: 10, examples: [[0], [10_000], [1]] });
  });

  test('comes back through the measurement that reads it, scaled back, good', async () => {
    await write('set_scaled', 'd12.34');
    await until('the echo', async () => (await measured('scaled'))[0] === 'd12.34');
    assert.equal((await measured('scaled'))[2], 0xc0);
  });

  test('carries 64-bit integers exactly, and any text', async () => {
    for (const value of ['l9223372036854775807', 'l-9223372036854775808', 'l9007199254740993']) {
      await write('set_long', value);
      await until('the echo', async () => (await measured('long'))[0] === value);
    }
    for (const value of ['s💧 "\\\u2028', 's', `s${'é'.repeat(32_768)}`]) {
      await write('set_text', value);
      await until('the echo', async () => (await measured('text'))[0] === value);
    }
  });

  test('outside its eu-range is refused, never clamped', async () => {
    await write('set_scaled', 'd100');
    for (const value of ['d100.0001', 'd-0.0001', 'd1000000']) {
      assert.match(await refused('out-of-range', 'set_scaled', value), /eu-range.* d0 .*d100/);
    }
    assert.match(await refused('out-of-range', 'set_narrow', 'd9.5'), /d9/);
  });

  test('outside its raw range is refused', async () => {
    assert.match(await refused('out-of-range', 'set_narrow', 'd8'), /raw-range/);
    await write('set_narrow', 'd7');
  });

  test('passes the stages that stackUmask leaves on', async () => {
    assert.match(await refused('out-of-range', 'set_unlimited', 'd101'), /raw-range/);
    await write('set_unlimited', 'd50');
    await reaches('i5000');
    await write('set_without_limits', 'd101');
    await reaches('i10100');
    await write('set_unscaled', 'd42');
    await reaches('i42');
  });

  test('that the device refuses is 502 with its reason', async () => {
    await write('refuse', 'b1');
    try {
      assert.match(await refused('write-refused', 'set_scaled', 'd1'), /interlock open/);
    } finally {
      await write('refuse', 'b0');
    }
    await write('set_scaled', 'd2');
  });

  test('that the device does not answer in time is 504, and says whether it was sent', async () => {
    await write('slow', 'b1');
    try {
      assert.match(await refused('write-timeout', 'set_scaled', 'd3'), /may have taken/);
    } finally {
      await write('slow', 'b0');
    }
    await write('set_scaled', 'd4');
  });

  test('whose link is down is 503, and its measurements are bad; when it is back, so are they', async () => {
    await write('set_weak', 'd1');
    await until('the echo', async () => (await measured('weak_value'))[0] === 'd1');
    assert.deepEqual(
      (await measured('weak_link')).filter((_, at) => at !== 1),
      ['b1', 0xc0],
    );
    await write('drop', 'd1000');
    await until('the loss', async () => (await measured('weak_value'))[2] === 0x18);
    assert.equal((await measured('weak_value'))[0], 'd1');
    assert.deepEqual(
      (await measured('weak_link')).filter((_, at) => at !== 1),
      ['b0', 0xc0],
    );
    assert.match(await refused('connector-down', 'set_weak', 'd2'), /weak/);
    assert.match(await refused('connector-down', 'drop', 'd0'), /weak/);
    assert.equal((await measured('counter'))[2], 0xc0, 'another connector is as it was');
    // The fault ends with its command.
    await live.apply([{ operation: 'delete', family: 'commands', name: 'drop' }]);
    await live.apply([put('connectors', 'weak', { stackName: 'simulator', wdtMeasurement: 'weak_link' })]);
    await until('the link', async () => (await measured('weak_link'))[0] === 'b1');
    await until('a good value', async () => (await measured('weak_value'))[2] === 0xc0);
    await write('set_weak', 'd3');
    await until('the echo', async () => (await measured('weak_value'))[0] === 'd3');
  });
});

describe('a write', () => {
  test('of what does not exist, is not enabled, or is called impossibly, is refused', async () => {
    for (const name of ['nobody', 'hidden', 'valueOf']) await data.refused('unknown-object', 'PUT', pathOf(name, 'd1'));
    for (const name of ['a-b', '%00', 'x'.repeat(65), '%C3%A4', 'a%2Fb']) {
      await data.refused('invalid-name', 'PUT', `/commands/${name}?value=d1`);
    }
    await data.refused('reserved-name', 'PUT', pathOf('names', 'd1'));
  });

  test('without a value, or with parameters that there are not, is refused', async () => {
    for (const query of ['', '?value', '?value=d1&value=d2', '?value=d1&valid-for=2', '?Value=d1', '?value[]=d1']) {
      const { status } = await data.ask('PUT', `/commands/local${query}`);
      assert.equal(status, 400, query);
    }
  });

  test('to any name is like to any other', async () => {
    for (const name of ['__proto__', 'constructor', 'toString']) {
      await write(name, 'i77');
      assert.equal((await vtOf(name))[0], 'i77');
    }
  });

  test('may come with a body, which nobody reads', async () => {
    await data.done('PUT', pathOf('local', 'd8'), { body: { value: 'd9' } });
    assert.equal((await vtOf('local'))[0], 'd8');
  });
});

test('everything that was answered here is in the reference', async () => {
  assert.deepEqual(await data.undocumented(), []);
});
