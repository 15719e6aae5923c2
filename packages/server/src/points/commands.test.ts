import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Command, formatPrefixed, ProblemError, toTimestamp, unstored, type Value } from '@telltale/schema';
import { ManualClock } from '@telltale/schema/testing';
import { PlainDisk } from '../../test/plain-disk.ts';
import { problemOf } from '../../test/points-bench.ts';
import { allHeard } from '../../test/slow-disk.ts';
import { Commands } from './commands.ts';

/** Commands, a disk, and devices that answer when the test says so. */
class CommandBench {
  readonly clock = new ManualClock(1_000_000_000_000);
  readonly disk = new PlainDisk();
  /** What the devices were sent. */
  readonly sent: [connector: string, handle: number, raw: Value][] = [];
  readonly heard: unknown[] = [];
  answer: () => Promise<void> = async () => undefined;
  commands: Commands;

  constructor() {
    this.commands = this.#create();
  }

  #create(): Commands {
    const { clock, disk: store } = this;
    const commands = new Commands({
      clock,
      store,
      writeToDevice: (...write) => {
        this.sent.push(write);
        return this.answer();
      },
    });
    commands.onChange((handle) => this.heard.push([commands.nameOf(handle), ...this.vt(commands.nameOf(handle))]));
    commands.onRemoval((handle) => this.heard.push([commands.nameOf(handle), 'removed', this.vt('x', handle)[0]]));
    return commands;
  }

  restart(...points: Command[]): void {
    this.commands = this.#create();
    this.commands.restore(this.disk.commands.values());
    for (const point of points) this.commands.put(point);
    this.heard.length = 0;
  }

  vt(name: string, handle = this.commands.find(name)): [string, number] {
    const { commands } = this;
    const datatype = commands.datatypeOf(handle);
    const value = formatPrefixed(datatype, unstored(datatype, commands.valueOf(handle)));
    const { vt } = JSON.parse(commands.wire.object(handle).toString()) as { vt: unknown };
    assert.deepEqual(vt, [value, toTimestamp(commands.timeOf(handle))]);
    return [value, commands.timeOf(handle)];
  }
}

const valve: Command = { name: 'valve', datatype: 'd', connectorName: 'c', address: 'v' };
const own: Command = { name: 'own', datatype: 'd' };

function setUp(...points: Command[]): CommandBench {
  const bench = new CommandBench();
  for (const point of points) bench.commands.put(point);
  bench.heard.length = 0;
  return bench;
}

describe('a command', () => {
  test('CO-1: goes to the device once, scaled, whatever comes of it', async () => {
    const bench = setUp({ ...valve, rawRangeLo: '0', rawRangeHi: '10', euRangeLo: '0', euRangeHi: '100' });
    await bench.commands.write('valve', 'd50');
    bench.answer = () => Promise.reject(new ProblemError('write-timeout', 'No answer.'));
    await problemOf(bench.commands.write('valve', 'd60'));
    bench.answer = async () => undefined;
    bench.disk.isFull = true;
    await problemOf(bench.commands.write('valve', 'd70'));
    bench.clock.advance(1_000_000);
    await allHeard();
    assert.deepEqual(
      bench.sent.map(([connector, , raw]) => [connector, raw]),
      [5, 6, 7].map((raw) => ['c', raw]),
    );
  });

  test('CO-1: that the chain refuses, or that nobody knows, never reaches the device', async () => {
    const bench = setUp({ ...valve, euRangeHi: '10' });
    assert.equal(await problemOf(bench.commands.write('valve', 'd11')), 'out-of-range');
    assert.equal(await problemOf(bench.commands.write('valve', 'i1')), 'invalid-value');
    for (const name of ['nobody', '__proto__', '']) {
      assert.equal(await problemOf(bench.commands.write(name, 'd1')), 'unknown-object');
    }
    assert.deepEqual([bench.sent, bench.heard, bench.disk.commands.size], [[], [], 0]);
  });

  test('CO-2: is shown when the device and the disk have it, and not before', async () => {
    const bench = setUp(valve);
    const device = Promise.withResolvers<void>();
    bench.answer = () => device.promise;
    const release = bench.disk.stall();
    const done = bench.commands.write('valve', 'd1');
    await allHeard();
    assert.deepEqual(bench.vt('valve'), ['d0', 0]);
    bench.clock.advance(10);
    device.resolve();
    await allHeard();
    const accepted = bench.clock.now();
    bench.clock.advance(10);
    assert.deepEqual([bench.vt('valve'), bench.heard], [['d0', 0], []]);
    release();
    await done;
    assert.deepEqual(bench.heard, [['valve', 'd1', accepted]]);
    assert.deepEqual(bench.disk.commands.get('valve'), { name: 'valve', value: 'd1', timeUs: accepted });
  });

  test('CO-2: written twice at once shows what the device accepted last, on disk as well', async () => {
    const bench = setUp(valve);
    const devices = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    bench.answer = () => (devices[bench.sent.length - 1] as PromiseWithResolvers<void>).promise;
    const both = [bench.commands.write('valve', 'd1'), bench.commands.write('valve', 'd2')];
    devices[1]?.resolve();
    await allHeard();
    devices[0]?.resolve();
    await Promise.all(both);
    assert.deepEqual([bench.vt('valve')[0], bench.disk.commands.get('valve')?.value], ['d1', 'd1']);
  });

  test('CO-2: has a time of its own, though others came in the same millisecond', async () => {
    const bench = setUp(valve, own);
    const times: number[] = [];
    bench.commands.onChange((handle) => times.push(bench.commands.timeOf(handle)));
    await Promise.all([1, 2, 3].map((value) => bench.commands.write('valve', `d${value}`)));
    bench.clock.advance(-60_000);
    await bench.commands.write('valve', 'd4');
    const nowUs = 1_000_000_000_000;
    assert.deepEqual(times, [nowUs, nowUs + 1, nowUs + 2, nowUs - 60_000_000]);
  });

  test('CO-3: that the device refuses, misses or does not answer has changed nothing', async () => {
    const bench = setUp(valve);
    await bench.commands.write('valve', 'd1');
    const before = bench.vt('valve');
    bench.heard.length = 0;
    for (const problem of ['write-refused', 'connector-down', 'write-timeout'] as const) {
      bench.answer = () => Promise.reject(new ProblemError(problem, 'The reason.'));
      assert.equal(await problemOf(bench.commands.write('valve', 'd2')), problem);
    }
    assert.deepEqual([bench.vt('valve'), bench.heard, bench.disk.commands.get('valve')?.value], [before, [], 'd1']);
  });

  test('CO-4: that the device has and the disk refuses is shown, and answered by that', async () => {
    const bench = setUp(valve);
    bench.disk.isFull = true;
    assert.equal(await problemOf(bench.commands.write('valve', 'd2')), 'storage-failed');
    assert.deepEqual([bench.vt('valve')[0], bench.heard.length], ['d2', 1]);
  });

  test('CO-5: without a connector is a value of the service', async () => {
    const bench = setUp(own);
    await bench.commands.write('own', 'd1');
    bench.disk.isFull = true;
    assert.equal(await problemOf(bench.commands.write('own', 'd2')), 'storage-failed');
    assert.deepEqual([bench.vt('own'), bench.sent], [['d1', bench.clock.now()], []]);
    assert.equal(bench.heard.length, 1);
  });

  test('CO-6: outlives a restart, with its time', async () => {
    const bench = setUp(valve, own, { ...own, name: '__proto__', datatype: 's' });
    await bench.commands.write('valve', 'd1');
    await bench.commands.write('__proto__', 's"\n');
    const written = bench.clock.now();
    bench.clock.advance(1000);
    bench.restart({ ...valve, initialValue: '9' }, own, { ...own, name: '__proto__', datatype: 's' });
    assert.deepEqual(
      ['valve', 'own', '__proto__'].map((name) => bench.vt(name)),
      [
        ['d1', written],
        ['d0', 0],
        ['s"\n', written],
      ],
    );
    bench.commands.put(valve);
    assert.deepEqual(bench.vt('valve'), ['d1', written]);
  });

  test('CO-6: that is removed while the disk refuses is forgotten as soon as it does not, and does not come back', async () => {
    const bench = setUp(valve, own);
    for (const name of ['valve', 'own']) await bench.commands.write(name, 'd1');
    bench.disk.isFull = true;
    bench.commands.remove('valve');
    bench.commands.put({ ...own, datatype: 'i' });
    await allHeard();
    assert.deepEqual([bench.disk.commands.size, bench.commands.unsaved], [2, 2]);
    bench.disk.isFull = false;
    bench.clock.advance(1000);
    await allHeard();
    assert.deepEqual([bench.disk.commands.size, bench.commands.unsaved, bench.clock.pending], [0, 0, 0]);
    bench.restart(valve, own);
    assert.deepEqual([bench.vt('valve')[0], bench.vt('own')[0]], ['d0', 'd0']);
  });

  test('CO-9: writes of one command reach disk and reads in their order, and a removal comes behind them', async () => {
    const bench = setUp(own);
    const release = bench.disk.stall();
    const writes = ['d1', 'd2', 'd3'].map((value) => bench.commands.write('own', value));
    release();
    await Promise.all(writes);
    assert.deepEqual([bench.vt('own')[0], bench.disk.commands.get('own')?.value], ['d3', 'd3']);
    const releaseAgain = bench.disk.stall();
    const late = bench.commands.write('own', 'd4');
    bench.commands.remove('own');
    bench.commands.put(own);
    releaseAgain();
    await late;
    await allHeard();
    assert.deepEqual([bench.vt('own')[0], bench.disk.commands.size], ['d0', 0]);
  });

  test('CO-6: is forgotten on disk when its command changes its datatype while its first value is on its way there', async () => {
    const bench = setUp(own);
    const release = bench.disk.stall();
    const late = bench.commands.write('own', 'd4');
    await allHeard();
    bench.commands.put({ ...own, datatype: 'i' });
    release();
    await late;
    await allHeard();
    assert.deepEqual([bench.vt('own')[0], bench.disk.commands.size], ['i0', 0]);
  });

  test('CO-6: is forgotten on disk when it is removed, changes its datatype, or is not configured at a start', async () => {
    const bench = setUp(valve, own, { ...own, name: 'third' });
    for (const name of ['valve', 'own', 'third']) await bench.commands.write(name, 'd1');
    bench.commands.remove('valve');
    bench.commands.put({ ...own, datatype: 'i' });
    await allHeard();
    assert.deepEqual([...bench.disk.commands.keys()], ['third']);
    bench.restart(valve);
    bench.commands.deleteOrphans();
    await allHeard();
    assert.equal(bench.disk.commands.size, 0);
    bench.commands.put({ ...own, name: 'third' });
    assert.deepEqual(
      [bench.vt('third'), bench.vt('valve')],
      [
        ['d0', 0],
        ['d0', 0],
      ],
    );
  });

  test('CO-6: that is removed while its device thinks leaves nothing behind', async () => {
    const bench = setUp(valve);
    const device = Promise.withResolvers<void>();
    bench.answer = () => device.promise;
    const done = bench.commands.write('valve', 'd1');
    bench.commands.remove('valve');
    bench.commands.put(valve);
    device.resolve();
    await done;
    await allHeard();
    assert.deepEqual([bench.vt('valve'), bench.disk.commands.size], [['d0', 0], 0]);
  });

  test('CO-6: that is removed while its device thinks for long is not taken for the one that comes in its place', async () => {
    const bench = setUp(valve);
    const { promise: answer, resolve } = Promise.withResolvers<void>();
    bench.answer = () => answer;
    const write = bench.commands.write('valve', 'd5');
    const handle = bench.commands.find('valve');
    bench.commands.remove('valve');
    bench.clock.advance(60_000);
    bench.commands.put({ ...valve, name: 'other' });
    assert.equal(bench.commands.find('other'), handle);
    resolve();
    await write;
    assert.deepEqual([bench.vt('other')[0], bench.disk.commands.size], ['d0', 0]);
  });

  test('CO-7: has its initial value before the first write, and nothing is sent', () => {
    const bench = setUp({ ...valve, initialValue: '5' }, { ...own, datatype: 's' });
    assert.deepEqual(bench.vt('valve'), ['d5', bench.clock.now()]);
    assert.deepEqual(bench.vt('own'), ['s', 0]);
    assert.deepEqual([bench.sent, bench.disk.commands.size], [[], 0]);
  });

  test('CO-8: reports the stack what was written last, as the device has it', async () => {
    const bench = setUp({ ...valve, datatype: 'b' }, own, { ...own, name: 'initial', initialValue: '3' });
    const last = (name: string) => bench.commands.lastRawOf(bench.commands.find(name));
    assert.deepEqual(['valve', 'own', 'initial'].map(last), [undefined, undefined, 3]);
    await bench.commands.write('valve', 'b1');
    await bench.commands.write('own', 'd50');
    assert.deepEqual(['valve', 'own'].map(last), [true, 50]);
    bench.commands.put({ ...own, rawRangeLo: '0', rawRangeHi: '1', euRangeLo: '0', euRangeHi: '100' });
    assert.equal(last('own'), 0.5);
    bench.commands.put({ ...own, rawRangeHi: '1' });
    assert.equal(last('own'), undefined);
  });

  test('CO-11: is what another server has published, and nothing of it goes to a device or to the disk', async () => {
    const bench = setUp(valve);
    const handle = bench.commands.find('valve');
    bench.commands.adopt(handle, { value: 5, timeUs: 77, hasValue: true });
    assert.deepEqual([bench.vt('valve'), bench.commands.hasValue(handle)], [['d5', 77], true]);
    bench.commands.adopt(handle, { value: 'text', timeUs: 78, hasValue: true });
    bench.commands.adopt(1000, { value: 1, timeUs: 78, hasValue: true });
    assert.deepEqual(bench.vt('valve'), ['d5', 77]);
    await allHeard();
    assert.deepEqual([bench.sent, bench.disk.commands.size], [[], 0]);
  });

  test('CO-12: goes on with what another node of the site has written, now or when it comes, and stores nothing of it', async () => {
    const bench = setUp({ ...valve, initialValue: '1' });
    const { commands } = bench;
    const written = { name: 'valve', value: 'd5', timeUs: 9_000_000_000_000, by: 'anna' };
    commands.storedElsewhere('valve', written);
    commands.storedElsewhere('later', { ...written, name: 'later' });
    commands.put({ ...own, name: 'later' });
    assert.deepEqual([bench.vt('valve')[0], bench.vt('later')[0], [...commands.stored()].length], ['d5', 'd5', 2]);
    await allHeard();
    assert.deepEqual([bench.sent, bench.disk.commands.size], [[], 0]);
    commands.storedElsewhere('valve', undefined);
    assert.deepEqual([bench.vt('valve')[0], [...commands.stored()].length], ['d1', 1]);
    commands.storedElsewhere('valve', { ...written, value: 's no number' });
    assert.equal(bench.vt('valve')[0], 'd1');
    await allHeard();
    assert.deepEqual(bench.sent, []);
  });

  test('CO-10: says who wrote it, also after a restart and under another name; written before that was stored: nobody', async () => {
    const bench = setUp(valve);
    const view = (name: string) => bench.commands.viewOf(bench.commands.find(name));
    assert.deepEqual([view('valve').origin, view('valve').by, view('valve').attempt], ['never', undefined, undefined]);
    await bench.commands.write('valve', 'd1', 'anna');
    assert.deepEqual([view('valve').origin, view('valve').by, view('valve').raw], ['written', 'anna', 'd1']);
    bench.restart(valve);
    assert.deepEqual([view('valve').origin, view('valve').by, view('valve').attempt], ['written', 'anna', undefined]);
    bench.commands.inherit('valve', 'gate');
    bench.commands.remove('valve');
    bench.commands.put({ ...valve, name: 'gate' });
    assert.equal(view('gate').by, 'anna');
    await allHeard();
    assert.equal(bench.disk.commands.get('gate')?.by, 'anna');
    bench.disk.commands.set('gate', { name: 'gate', value: 'd2', timeUs: 5 });
    bench.restart({ ...valve, name: 'gate' });
    assert.deepEqual([view('gate').origin, view('gate').by], ['written', undefined]);
  });

  test('CO-10: remembers what became of the newest write, over a rendering too', async () => {
    const bench = setUp({ ...valve, euRangeHi: '10' }, own);
    const attempt = (name = 'valve') => {
      const { outcome, value, by, error } = bench.commands.viewOf(bench.commands.find(name)).attempt ?? assert.fail();
      return [outcome, value, by, error];
    };
    const device = Promise.withResolvers<void>();
    bench.answer = () => device.promise;
    const done = bench.commands.write('valve', 'd1', 'anna');
    assert.deepEqual(attempt(), ['underway', 'd1', 'anna', undefined]);
    device.resolve();
    await done;
    assert.deepEqual(attempt(), ['accepted', 'd1', 'anna', undefined]);
    await problemOf(bench.commands.write('valve', 'd11', 'bert'));
    assert.deepEqual(attempt().slice(0, 3), ['refused', 'd11', 'bert']);
    for (const [problem, outcome] of [
      ['write-refused', 'refused'],
      ['connector-down', 'refused'],
      ['write-timeout', 'unknown'],
    ] as const) {
      bench.answer = () => Promise.reject(new ProblemError(problem, 'The reason.'));
      await problemOf(bench.commands.write('valve', 'd2', 'anna'));
      assert.deepEqual(attempt(), [outcome, 'd2', 'anna', 'The reason.']);
    }
    bench.commands.put({ ...valve, description: 'new' });
    assert.deepEqual(attempt(), ['unknown', 'd2', 'anna', 'The reason.']);
    bench.answer = async () => undefined;
    bench.disk.isFull = true;
    await problemOf(bench.commands.write('valve', 'd3'));
    await problemOf(bench.commands.write('own', 'd3'));
    assert.deepEqual([attempt()[0], attempt('own')[0]], ['accepted', 'refused']);
    await problemOf(bench.commands.write('own', `s${'x'.repeat(70_000)}`));
    assert.equal(attempt('own')[1]?.length, 201);
  });

  test('DE-4: that is removed is reported while it can be read', async () => {
    const bench = setUp(own);
    await bench.commands.write('own', 'd1');
    bench.commands.remove('own');
    assert.deepEqual(bench.heard.slice(1), [['own', 'removed', 'd1']]);
    assert.deepEqual([bench.commands.find('own'), bench.commands.size], [-1, 0]);
  });

  test('DE-5: keeps what was written while its datatype stays, and an initial value while it is the same', async () => {
    const bench = setUp({ ...valve, initialValue: '5' });
    const begun = bench.clock.now();
    bench.clock.advance(1000);
    bench.commands.put({ ...valve, initialValue: '5.0', description: 'new' });
    assert.deepEqual([bench.vt('valve'), bench.heard], [['d5', begun], []]);
    bench.commands.put({ ...valve, initialValue: '6' });
    assert.deepEqual(bench.vt('valve'), ['d6', bench.clock.now()]);
    await bench.commands.write('valve', 'd1');
    const written = bench.vt('valve');
    bench.clock.advance(1000);
    bench.commands.put({ ...valve, initialValue: '7', connectorName: 'elsewhere' });
    assert.deepEqual(bench.vt('valve'), written);
    bench.commands.put({ ...valve, datatype: 'i' });
    assert.deepEqual(bench.vt('valve'), ['i0', 0]);
    assert.deepEqual(bench.heard.length, 3);
  });

  test('DE-5: that was written and changes its datatype meanwhile shows nothing of the old one', async () => {
    const bench = setUp(valve);
    const device = Promise.withResolvers<void>();
    bench.answer = () => device.promise;
    const done = bench.commands.write('valve', 'd1');
    bench.commands.put({ ...valve, datatype: 's' });
    device.resolve();
    await done;
    assert.deepEqual([bench.vt('valve'), bench.disk.commands.size], [['s', 0], 0]);
  });
});
