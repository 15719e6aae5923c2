// Why a measurement is what it is: every stage, for measurements in every condition.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Explanation, type InstanceState, type LiveMeasurement, stageNames } from '@telltale/schema';
import { put } from './live-plant.ts';
import { LiveServer } from './live-server.ts';
import { rackArgs, rackPlant } from './rack-plant.ts';
import { until } from './until.ts';

const live = new LiveServer({
  args: rackArgs,
  begin: async () => {
    await live.apply(rackPlant);
    // A thread that still loads a stack answers nobody in the short time that writes have here.
    await until('every connector was tried', async () => {
      const connectors = await data.read<Record<string, InstanceState>>('/connectors/');
      return Object.values(connectors).every(({ state, 'last-error': error }) => state === 'up' || error !== null);
    });
  },
});
const { data } = live;

const write = (command: string, value: string) => data.done('PUT', `/commands/${command}?value=${value}`);
const explain = (name: string) => live.read<Explanation>(`/measurements/${name}/explain`, Explanation);

const stageOf = ({ stages }: Explanation, name: (typeof stageNames)[number]) =>
  stages.find(({ stage }) => stage === name) ?? assert.fail(name);

const effects = ({ stages }: Explanation) => stages.map(({ effect }) => effect).join(' ');

/** As soon as it is so. */
const once = (name: string, isSo: (found: Explanation) => boolean) =>
  until(`${name} is so`, async () => {
    const found = await explain(name);
    return isSo(found) && found;
  });

/** As soon as this was read, and shows. */
const reads = (name: string, value: string, shown = value) =>
  once(name, ({ reading, vtq }) => reading?.value === value && vtq[0] === shown && vtq[2] === 192);

describe('a measurement is explained', () => {
  test('with its reading, each stage, its connector and what runs', async () => {
    await write('set_u1_raw', 'i5000');
    const found = await reads('u1_scaled', 'i5000', 'd50');
    const { reading, connector, rendering } = found;
    assert.ok(reading !== null && connector !== null && rendering !== null);
    const { t, ...read } = reading;
    assert.deepEqual(read, {
      request: 'read raw of u1',
      raw: '<5000>',
      value: 'i5000',
      error: null,
      device: 'u1',
      'scan-period': 20,
    });
    assert.ok(Math.abs(Date.now() / 1000 - t[0]) < 60);
    assert.deepEqual(
      [connector.name, connector.stack, connector.state, found.address],
      ['rack', 'rack', 'up', 'u1.raw'],
    );
    assert.deepEqual(
      found.stages.map(({ stage }) => stage),
      stageNames,
    );
    assert.match(stageOf(found, 'reading').text, /device u1: read raw of u1 gave <5000>, read as 5000\.$/);
    assert.deepEqual([stageOf(found, 'scaler').effect, stageOf(found, 'scaler').value], ['changed', 'd50']);
    assert.equal(stageOf(found, 'scaler').text, '0 to 10000 becomes 0 to 100: 5000 became 50.');
    assert.deepEqual([stageOf(found, 'live').value, found.vtq[0], found.device.vtq[0]], ['d50', 'd50', 'd50']);
    assert.deepEqual([found.quality, found.summary, found.simulation], ['good', 'It is good.', null]);
    const [newest] = await live.config.read<{ id: number }[]>('/cfgdb/revisions');
    assert.equal(rendering.revision, newest?.id);
    const { vtq } = await data.read<LiveMeasurement>('/measurements/u1_scaled');
    assert.deepEqual(found.vtq, vtq);
  });

  test('that a reading which repeats the last one, or moves within the deadband, is stopped, and where', async () => {
    await write('set_u1_raw', 'i5000');
    const same = await once('u1_scaled', (each) => stageOf(each, 'deduplicator').effect === 'stopped');
    assert.match(stageOf(same, 'deduplicator').text, /^It repeats what there is/);
    await write('set_u1_raw', 'i5050');
    const near = await once('u1_scaled', (each) => stageOf(each, 'deadband').effect === 'stopped');
    assert.match(
      stageOf(near, 'deadband').text,
      /less than 1 since .* 50, are no change: 50\.5 is nearer than that\.$/,
    );
    assert.deepEqual([near.vtq[0], stageOf(near, 'deduplicator').effect], ['d50', 'passed']);
  });

  test('as uncertain outside the raw range, with the side', async () => {
    await write('set_u1_raw', 'i10500');
    const found = await once('u1_scaled', ({ vtq }) => vtq[2] === 0x56);
    assert.match(
      found.summary,
      /^It is uncertain, engineering units exceeded, high limited: .* outside the raw range\.$/,
    );
    assert.match(stageOf(found, 'scaler').text, /10500 became 105\. It lies outside the raw range/);
    await write('set_u1_raw', 'i5000');
  });

  test('as bad where the device of several does not answer, in the words of the connector', async () => {
    await write('set_u2_power', 'i0');
    const found = await once('u2_level', ({ vtq }) => vtq[2] === 0x18);
    assert.equal(found.summary, 'It is bad, communication failure: u2 does not answer.');
    assert.deepEqual(
      [found.reading?.error, found.reading?.value, found.reading?.raw],
      ['u2 does not answer', null, null],
    );
    assert.equal(stageOf(found, 'reading').effect, 'stopped');
    assert.equal(found.connector?.state, 'up');
    await write('set_u2_power', 'i1');
    await once('u2_level', ({ summary }) => summary === 'It is good.');
  });

  test('as bad where what the device said is no value', async () => {
    await write('set_u1_garbage', 'i1');
    const found = await once('u1_level', ({ vtq }) => vtq[2] === 0x10);
    assert.equal(found.summary, 'It is bad, sensor failure: the device said NaN, which does not fit.');
    assert.deepEqual([found.reading?.value, stageOf(found, 'reading').effect], ['NaN', 'stopped']);
    await write('set_u1_garbage', 'i0');
    await once('u1_level', ({ summary }) => summary === 'It is good.');
  });

  test('where its connector is down, and where it will not come up by itself', async () => {
    const down = await once('lost', ({ connector }) => connector?.['last-error'] != null);
    assert.match(
      down.summary,
      /^Connector unreachable is (down|connecting) since .*nobody is there\. It is tried again by itself\.$/,
    );
    assert.equal(stageOf(down, 'watchdog').effect, 'changed');
    const failed = await once('hopeless', ({ connector }) => connector?.state === 'failed');
    assert.match(failed.summary, /the licence has ended\. It is not tried again before the configuration changes\.$/);
    for (const each of [down, failed]) assert.deepEqual([each.reading, each.quality], [null, 'bad, not connected']);
  });

  test('where the watchdog does not believe the device, with what is kept back', async () => {
    await data.done('PUT', '/measurements/alive?value=b1'); // a simulated watchdog counts as such
    await write('set_watched_level', 'd7');
    const good = await reads('watched_level', 'd7');
    assert.equal(stageOf(good, 'watchdog').text, 'The watchdog alive says that all is well.');
    await data.done('PUT', '/measurements/alive?value=b0');
    const held = await once('watched_level', ({ vtq }) => vtq[2] === 0x18);
    assert.match(held.summary, /^The watchdog alive of connector watched is false or bad/);
    assert.equal(stageOf(held, 'watchdog').effect, 'stopped');
    const stored = await once('watched_level', (each) =>
      /the newest is 7, good, of /.test(stageOf(each, 'watchdog').text),
    );
    assert.equal(stored.vtq[0], 'd7');
    await data.done('DELETE', '/measurements/alive');
  });

  test('with what stands behind a simulation', async () => {
    await write('set_u1_level', 'd3');
    await reads('u1_level', 'd3');
    await data.done('PUT', '/measurements/u1_level?value=d99&quality=64&valid-for=600');
    const found = await explain('u1_level');
    assert.deepEqual([found.vtq[0], found.device.vtq[0], found.quality], ['d99', 'd3', 'uncertain, simulated']);
    assert.match(found.summary, /^It is forced by local; behind it is 3, good, of /);
    const { value, until: end, by } = found.simulation ?? assert.fail();
    assert.deepEqual([value, by, end !== null], ['d99', 'local', true]);
    assert.match(stageOf(found, 'simulation').text, /^local has forced it to 99 at .*, until .*Z; /);
    await data.done('DELETE', '/measurements/u1_level');
    assert.equal((await explain('u1_level')).simulation, null);
  });

  test('where nothing reads it, or the service itself does', async () => {
    const alone = await explain('zero_s');
    assert.deepEqual([alone.connector, alone.address, alone.reading], [null, null, null]);
    assert.deepEqual(alone.vtq, ['s', [0, 0], 8]);
    assert.match(alone.summary, /^No connector reads it/);
    assert.equal(effects(alone), 'off off off off off off passed');
    const driven = await explain('weak_link');
    assert.equal(driven.summary, 'The service sets it: 1 while the link of connector weak is up, 0 while it is down.');
  });

  test('where stages are switched off', async () => {
    const found = await once('unlinked', ({ reading }) => reading !== null);
    assert.deepEqual(
      [stageOf(found, 'watchdog').effect, stageOf(found, 'deduplicator').effect, stageOf(found, 'deadband').effect],
      ['off', 'off', 'off'],
    );
  });

  test('by the simulator, and by a stack that does not know', async () => {
    const counter = await once('counter', ({ reading }) => reading !== null);
    assert.equal(counter.reading?.request, 'compute counter(period=0.02)');
    assert.match(counter.reading?.value ?? '', /^i\d+$/);
    assert.equal(counter.reading?.['scan-period'], 20);
    await live.apply([put('measurements', 'c1', { datatype: 'i', connectorName: '__proto__', address: 'c1' })]);
    const mute = await once('c1', ({ vtq }) => vtq[2] === 192);
    assert.deepEqual([mute.reading, stageOf(mute, 'reading').effect, mute.summary], [null, 'unknown', 'It is good.']);
    await live.apply([{ operation: 'delete', family: 'measurements', name: 'c1' }]);
  });

  test('by every name that there is, and no other', async () => {
    for (const name of Object.keys(await data.read<object>('/measurements/'))) await explain(name);
    for (const name of ['nobody', 'hidden', 'valueOf', 'a-b']) {
      await data.refused('unknown-object', 'GET', `/measurements/${name}/explain`);
    }
    await data.refused('invalid-query', 'GET', '/measurements/level/explain?x=1');
    assert.deepEqual(await data.undocumented(), []);
  });
});
