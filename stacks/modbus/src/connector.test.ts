import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { type Datatype, quality } from '@telltale/schema';
import { NotConnected } from '@telltale/stack-kit';
import { until } from '@telltale/stack-kit/testing';
import { registersScript, type Script, ScriptedDevice } from '../test/scripted-device.ts';
import { TestLink } from '../test/test-link.ts';
import { exceptionCodes } from './pdu.ts';

const started: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of started.splice(0).reverse()) await each.stop();
});

type Points = Record<string, readonly [string, Datatype]>;

async function setUp(
  script: Script,
  points: Points,
  given: Readonly<Record<string, string | number | boolean>> = {},
): Promise<{ device: ScriptedDevice; link: TestLink }> {
  const device = await ScriptedDevice.start(script, given.transport === 'rtu-tcp' ? 'rtu' : 'tcp');
  started.push(device);
  const link = new TestLink({ host: '127.0.0.1', port: device.port, scanPeriodMs: 20, timeoutMs: 100, ...given });
  started.push(link);
  link.setPoints(points);
  await link.start();
  return { device, link };
}

/** So many registers from 0. */
const registers = (count: number): Points =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`r${at}`, [`hr${at}`, 'i']]));

const allRead = (link: TestLink, count: number) => until('all are read', () => link.readings.size === count);

describe('neighbours share a request', () => {
  const points: Points = { a: ['hr0', 'i'], b: ['hr4:float32', 'd'], c: ['hr20', 'i'], d: ['hr9:string(6)', 's'] };

  for (const [given, expected] of [
    [{ maxGap: 4 }, ['1/030000000c', '1/0300140001']],
    [{ maxGap: 16 }, ['1/0300000015']],
    [{ maxGap: 0 }, ['1/0300000001', '1/0300040002', '1/0300090003', '1/0300140001']],
    [{ maxGap: 16, maxRegisters: 8 }, ['1/0300000006', '1/0300090003', '1/0300140001']],
  ] as const) {
    test(`as ${JSON.stringify(given)} says`, async () => {
      const { device, link } = await setUp(
        registersScript(() => undefined),
        points,
        given,
      );
      await allRead(link, 4);
      // The first one only asks whether somebody is there.
      assert.deepEqual([...new Set(device.asked.slice(1))].sort(), [...expected].sort());
    });
  }

  test('and what is longer than a request may be is bad, configuration error', async () => {
    const { link } = await setUp(
      registersScript(() => undefined),
      { a: ['hr0', 'i'], d: ['hr9:string(6)', 's'] },
      { maxRegisters: 2 },
    );
    await allRead(link, 2);
    assert.equal(link.readings.get('d')?.quality, quality.bad.configurationError);
    assert.equal(link.values().a, 0);
  });
});

describe('an exception of the device', () => {
  /** All but r7, however often a busy machine was too late for an answer. */
  const othersRead = (link: TestLink) =>
    until('the others are read', () => {
      const values = link.values();
      return Array.from({ length: 40 }, (_, at) => at === 7 || values[`r${at}`] === at).every(Boolean);
    });

  for (const code of [
    exceptionCodes.illegalFunction,
    exceptionCodes.illegalDataAddress,
    exceptionCodes.illegalDataValue,
  ]) {
    test(`${code} at one register: that one is a configuration error, the others are read`, async () => {
      const { link } = await setUp(
        registersScript((at) => (at === 7 ? code : undefined)),
        registers(40),
      );
      await allRead(link, 40);
      assert.equal(link.readings.get('r7')?.quality, quality.bad.configurationError);
      await othersRead(link);
    });
  }

  test('4 at one register: that one is a device failure, the others are read, and it comes back by itself', async () => {
    const { device, link } = await setUp(
      registersScript((at) => (at === 7 ? 4 : undefined)),
      registers(40),
    );
    await allRead(link, 40);
    assert.equal(link.readings.get('r7')?.quality, quality.bad.deviceFailure);
    await othersRead(link);
    device.script = registersScript(() => undefined);
    await until('it is read again', () => link.readings.get('r7')?.quality === quality.good);
  });

  test('4 everywhere: all are device failures, with few requests a scan', async () => {
    const { device, link } = await setUp(
      registersScript(() => 4),
      registers(100),
    );
    await allRead(link, 100);
    for (const { quality: each } of link.readings.values()) assert.equal(each, quality.bad.deviceFailure);
    const before = device.asked.length;
    const scans = () => link.detail().scanGroups?.[0]?.scans ?? 0;
    const from = scans();
    await until('it has been scanned', () => scans() >= from + 5);
    assert.ok(device.asked.length - before <= 20 * (scans() - from + 2));
  });

  for (const code of [
    exceptionCodes.serverDeviceBusy,
    exceptionCodes.gatewayPathUnavailable,
    exceptionCodes.gatewayTargetSilent,
  ]) {
    test(`${code}: the unit counts as silent, and the others go on`, async () => {
      const good = registersScript(() => undefined);
      const { link } = await setUp(
        (unit, request) => (unit === 2 ? `83${code.toString(16).padStart(2, '0')}` : good(unit, request)),
        { dead: ['2/hr3', 'i'], alive: ['1/hr5', 'i'] },
      );
      await until('it is bad', () => link.readings.get('dead')?.quality === quality.bad.communicationFailure);
      await until('the other is read', () => link.values().alive === 5);
      const texts = [link.detail().devices?.find(({ name }) => name === '2')?.lastError, link.explain('dead')?.error];
      for (const text of [...texts, link.warnings.join()]) {
        assert.match(text ?? '', new RegExp(`exception ${code}, `));
        assert.doesNotMatch(text ?? '', /not answer|no answer/);
      }
    });
  }
});

test('with the frames of serial lines over TCP, a register that is answered late leaves the others of its unit alone', async () => {
  const timeoutMs = 400;
  const good = registersScript(() => undefined);
  const { device, link } = await setUp(
    (unit, request) => {
      const answer = good(unit, request);
      return request === '0300070001' && typeof answer === 'string' ? pause(1.5 * timeoutMs, answer) : answer;
    },
    { prompt: ['hr100', 'i'], late: ['hr7', 'i'], other: ['hr200', 'i'] },
    { transport: 'rtu-tcp', timeoutMs, maxGap: 0 },
  );
  const qualities = new Set<number | undefined>();
  await until('the late one is bad, and the others have been read for long', () => {
    for (const name of ['prompt', 'other']) qualities.add(link.readings.get(name)?.quality ?? quality.good);
    const asked = (request: string) => device.asked.filter((each) => each === request).length;
    return (
      link.readings.get('late')?.quality === quality.bad.communicationFailure &&
      asked('1/0300640001') > 20 &&
      asked('1/0300c80001') > 20
    );
  });
  assert.deepEqual([...qualities], [quality.good]);
  assert.deepEqual({ prompt: link.values().prompt, other: link.values().other }, { prompt: 100, other: 200 });
  assert.equal(device.connections, 1);
  assert.match(link.explain('late')?.error ?? '', /did not answer within 400 ms/);
});

describe('a write', () => {
  const answering =
    (write: string | undefined): Script =>
    (unit, request) =>
      request.startsWith('03') ? registersScript(() => undefined)(unit, request) : write;

  for (const [code, kind] of [
    [1, 'refused'],
    [2, 'refused'],
    [3, 'refused'],
    [4, 'unknown'],
    [5, 'unknown'],
    [6, 'refused'],
    [8, 'unknown'],
    [10, 'refused'],
    [11, 'unknown'],
    [77, 'unknown'],
  ] as const) {
    test(`answered with exception ${code} ${kind === 'refused' ? 'is refused' : 'may have been taken'}`, async () => {
      const { link } = await setUp(answering(`86${code.toString(16).padStart(2, '0')}`), {});
      await assert.rejects(link.write('hr5', 'i', 1), { name: kind, message: /exception/ });
    });
  }

  test('that is not answered may have been taken, and is sent once', async () => {
    const { device, link } = await setUp(answering(undefined), {});
    await assert.rejects(link.write('hr5', 'i', 1), { name: 'unknown' });
    assert.deepEqual(device.asked, ['1/0600050001']);
  });

  test('without a link is not sent', async () => {
    const { device, link } = await setUp(answering(undefined), {});
    await device.stop();
    started.splice(0, 1);
    await until('the link is lost', () => link.lost !== undefined);
    assert.ok(link.lost instanceof NotConnected);
    await assert.rejects(link.write('hr5', 'i', 1), { name: 'notSent' });
  });

  test('that is read back is refused where the device has something else, and not known where it does not say', async () => {
    const { device, link } = await setUp(answering('0600060001'), {}, { readBack: true });
    await assert.rejects(link.write('hr6', 'i', 1), { name: 'refused', message: /hr6 is 6 after/ });
    device.script = answering('0600060006');
    await link.write('hr6', 'i', 6);
    device.script = (_, request) => (request.startsWith('03') ? undefined : '0600060006');
    await assert.rejects(link.write('hr6', 'i', 6), { name: 'unknown', message: /written but could not/ });
  });

  test('is read back in the same request where that is set, and what cannot be is read back on its own', async () => {
    const set = { readBack: true, readWrite: true };
    const { device, link } = await setUp((_, request) => (request.startsWith('17') ? '17020007' : '1700'), {}, set);
    await link.write('hr6', 'i', 7);
    await assert.rejects(link.write('hr6', 'i', 8), /hr6 is 7 after the write/);
    device.script = () => '17043fc00000';
    await link.write('hr8:float32', 'f', 1.5);
    assert.deepEqual(device.asked, [
      '1/170006000100060001020007',
      '1/170006000100060001020008',
      '1/170008000200080002043fc00000',
    ]);
    device.script = () => '9701';
    await assert.rejects(link.write('hr6', 'i', 7), /exception 1, illegal function/);
    device.script = (_, request) => (request.startsWith('05') ? '050003ff00' : '010101');
    device.asked.length = 0;
    await link.write('co3', 'b', true);
    assert.deepEqual(device.asked, ['1/050003ff00', '1/0100030001']);
    device.script = () => undefined;
    await assert.rejects(link.write('hr6', 'i', 7), /did not answer within/);
  });

  test('of a text that the device fills up in its own way is read back as the same', async () => {
    const filled = (text: string): Script => {
      return (_, request) => (request.startsWith('03') ? `0304${Buffer.from(text).toString('hex')}` : '1000060002');
    };
    const { device, link } = await setUp(filled('ab  '), {}, { readBack: true });
    await link.write('hr6:string(4)', 's', 'ab');
    device.script = filled('ac\0\0');
    await assert.rejects(link.write('hr6:string(4)', 's', 'ab'), { name: 'refused', message: /hr6 is ac after/ });
  });

  test('of a bit by reading first sends nothing where it cannot be read', async () => {
    const { device, link } = await setUp(() => '8302', {}, { bitWrites: 'read-modify-write' });
    await assert.rejects(link.write('hr6.1', 'b', true), { name: 'refused' });
    device.script = () => undefined;
    await assert.rejects(link.write('hr6.1', 'b', true), { name: 'notSent' });
    const nobodyWaits = new AbortController();
    const given = link.write('hr6.1', 'b', true, nobodyWaits.signal);
    nobodyWaits.abort(new Error('nobody waits'));
    await assert.rejects(given, { name: 'notSent' });
    assert.deepEqual([...new Set(device.asked)], ['1/0300060001']);
  });

  test('of a value that does not fit is refused before anything is sent', async () => {
    const { device, link } = await setUp(answering(undefined), {});
    await assert.rejects(link.write('co5', 'i', 2), { name: 'refused', message: /0 or 1/ });
    await assert.rejects(link.write('hr5:bcd16', 'i', 10_000), { name: 'refused' });
    assert.deepEqual(device.asked, []);
  });
});

test('values that are none are bad, and do not hide the others', async () => {
  const data = '7fc00000ffffffffffffffffaaaaff000005';
  const script: Script = (_, request) => {
    const [start, count] = [Number.parseInt(request.slice(2, 6), 16), Number.parseInt(request.slice(6, 10), 16)];
    return `03${(2 * count).toString(16).padStart(2, '0')}${data.slice(4 * start, 4 * (start + count))}`;
  };
  const { link } = await setUp(script, {
    nan: ['hr0:float32', 'f'],
    huge: ['hr2:uint64', 'l'],
    digits: ['hr6:bcd16', 'l'],
    text: ['hr7:string(2)', 's'],
    fine: ['hr8', 'q'],
  });
  await allRead(link, 5);
  for (const name of ['huge', 'digits', 'text']) {
    assert.deepEqual(link.readings.get(name), { value: undefined, quality: quality.bad.sensorFailure }, name);
  }
  // What is not finite, or beyond q, the server judges.
  assert.ok(Number.isNaN(link.values().nan));
  assert.equal(link.values().fine, 5);
});
