// A client that does not read, at the real server: what it is sent when it reads again.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CheckedChannel } from './checked-channel.ts';
import { put } from './live-plant.ts';
import { LiveServer } from './live-server.ts';
import { until } from './until.ts';

const live = new LiveServer();
const { data } = live;

test('a client that was passed over gets the newest values, how many it missed, every alarm, and every removal', async () => {
  const texts = Array.from({ length: 20 }, (_, at) => `big${at}`);
  await live.apply(texts.map((name) => put('measurements', name, { datatype: 's' })));
  const [slow, source] = [await CheckedChannel.open(live.process.url), await CheckedChannel.open(live.process.url)];
  await slow.done('WatchMeasurements', { measurements: 'all' });
  await slow.done('WatchAlarms', { alarms: ['manual'] });
  slow.socket.pause();
  // Twice of what the sockets of both sides hold and of what may wait.
  const rounds = 60;
  for (let round = 1; round <= rounds; round++) {
    const value = `s${String(round).padEnd(50_000, 'x')}`;
    await source.done('SimulateMeasurements', { simulations: texts.map((name) => ({ name, value })) });
  }
  for (const operation of ['activate', 'acknowledge', 'deactivate']) {
    await data.done('POST', `/alarms/manual/${operation}`);
  }
  await live.apply([{ operation: 'delete', family: 'measurements', name: 'big0' }]);
  slow.socket.resume();
  const reported = () => slow.reported<{ state: string }>('AlarmStateChangeNotification', 'manual');
  await until('the newest values', async () => slow.values('big1').at(-1)?.startsWith(`s${rounds}x`));
  await until('the alarms', async () => reported().length === 4);
  assert.deepEqual(
    reported().map(({ state }) => state),
    ['INACT_ACK', 'ACT_UNACK', 'ACT_ACK', 'INACT_ACK'],
  );
  const last = () => slow.reported<{ removed?: true }>('MeasurementUpdateNotification', 'big0').at(-1);
  await until('the removal', async () => last()?.removed);
  const missed = slow.messages.reduce((sum, each) => sum + Number('skipped' in each ? each.skipped : 0), 0);
  assert.ok(missed > 0);
  await slow.close();
  await source.close();
});

test('a client that was passed over learns nothing more of what it has unwatched', async () => {
  const texts = Array.from({ length: 20 }, (_, at) => `other${at}`);
  await live.apply(texts.map((name) => put('measurements', name, { datatype: 's' })));
  const [slow, source] = [await CheckedChannel.open(live.process.url), await CheckedChannel.open(live.process.url)];
  await slow.done('WatchMeasurements', { measurements: texts });
  slow.socket.pause();
  const rounds = 60;
  for (let round = 1; round <= rounds; round++) {
    const value = `s${String(round).padEnd(50_000, 'x')}`;
    await source.done('SimulateMeasurements', { simulations: texts.map((name) => ({ name, value })) });
  }
  slow.send({ request: 'UnwatchMeasurements', id: 7, measurements: ['other0'] });
  await until('it watches one less', async () => {
    const metrics = await (await fetch(`${live.process.url}/metrics`)).text();
    return metrics.includes(`\ntelltale_channel_watches ${texts.length - 1}\n`);
  });
  slow.socket.resume();
  await until('the newest values', async () => slow.values('other1').at(-1)?.startsWith(`s${rounds}x`));
  const answer = slow.messages.findIndex((each) => 'request_id' in each && each.request_id === 7);
  const after = JSON.stringify(slow.messages.slice(answer).map((each) => ('updates' in each ? each.updates : [])));
  assert.ok(answer >= 0 && after.includes('"other1"'));
  assert.ok(!after.includes('"other0"'));
  await slow.close();
  await source.close();
});
