import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { after, before, beforeEach, describe, test } from 'node:test';
import { columnsType, csvType, ndjsonType } from '@telltale/schema';
import { ArchiveBench } from '../../../test/archive-bench.ts';

const bench = new ArchiveBench();
const { archive } = bench;
const level = { kind: 'measurements', name: 'level', datatype: 'd' } as const;
const gone = { kind: 'measurements', name: 'gone', datatype: 'i' } as const;

before(() => bench.open());
after(() => bench.close());
beforeEach(() => {
  archive.script = undefined;
  archive.requests.length = 0;
  archive.cancelled = 0;
  archive.pages = 0;
});

async function refused(path: string, status: number, problem: string, init?: RequestInit): Promise<void> {
  const response = await bench.fetch(path, init);
  const body = (await response.json()) as { type: string; detail: string };
  assert.deepEqual([response.status, body.type], [status, `/docs/#problem-${problem}`], body.detail);
}

async function read(path: string, accept?: string): Promise<string> {
  const response = await bench.fetch(path, accept === undefined ? {} : { headers: { accept } });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  assert.equal(response.headers.get('content-type')?.split(';')[0], accept ?? 'application/json');
  return text;
}

describe('the archive over HTTP', () => {
  before(() => {
    archive.add(level, 1_000_000, 'd21.5');
    archive.add(level, 2_000_000, 'd22', 24);
    archive.add(level, 3_000_000, 'd23');
    archive.add(gone, 2_000_000, 'i7');
    archive.add({ kind: 'commands', name: 'setpoint', datatype: 'd' }, 1_000_000, 'd5');
    const alarm = { state: 'ACT_UNACK', description: 'Too high', authority: 'trigger' };
    archive.add({ kind: 'alarms', name: 'high', datatype: 's' }, 1_000_000, JSON.stringify(alarm));
  });

  test('gives the records of the half-open interval', async () => {
    assert.equal(await read('/measurements/level/1/3'), '{"level":[["d21.5",[1,0],192],["d22",[2,0],24]]}');
    assert.equal(await read('/measurements//level/1/1.000001/'), '{"level":[["d21.5",[1,0],192]]}');
    assert.equal(await read('/commands/setpoint/1/2'), '{"setpoint":[["d5",[1,0]]]}');
    const alarms = JSON.parse(await read('/alarms/high/1/2'));
    assert.deepEqual(alarms.high, [{ t: [1, 0], state: 'ACT_UNACK', description: 'Too high', authority: 'trigger' }]);
  });

  test('has an empty list for what is configured and was never archived, whatever it is called', async () => {
    for (const name of ['of_s', '__proto__', 'constructor']) {
      assert.equal(await read(`/measurements/${name}/1/3`), `{"${name}":[]}`);
    }
  });

  test('knows what is no longer configured, and nothing else', async () => {
    assert.equal(await read('/measurements/gone/1/9'), '{"gone":[["i7",[2,0],192]]}');
    assert.equal(await read('/measurements/gone/5/9'), '{"gone":[]}');
    await refused('/measurements/other/1/3', 404, 'unknown-object');
    await refused('/measurements/setpoint/1/3', 404, 'unknown-object');
    await refused('/measurements/a-b/1/3', 404, 'unknown-object');
    await refused('/measurements/other/1/3', 404, 'unknown-object', { method: 'DELETE' });
  });

  test('counts times below zero back from now; zero is 1970 as the beginning, and now as the end', async () => {
    await read('/measurements/level/-3600.5/-0');
    const nowUs = bench.clock.now();
    const [{ sinceUs, untilUs } = assert.fail()] = archive.requests;
    assert.deepEqual([sinceUs, untilUs], [nowUs - 3_600_500_000, nowUs]);
    archive.requests.length = 0;
    await read('/measurements/level/0/0');
    assert.deepEqual([archive.requests[0]?.sinceUs, archive.requests[0]?.untilUs], [0, nowUs]);
  });

  test('refuses an impossible interval', async () => {
    for (const path of ['3/1', 'x/1', '1/', '1/1e', '1/%20', '-1/-2'].filter((each) => !each.endsWith('/'))) {
      await refused(`/measurements/level/${path}`, 400, 'invalid-interval');
      await refused(`/measurements/level/${path}`, 400, 'invalid-interval', { method: 'DELETE' });
    }
    await refused('/measurements?t_since=3&t_until=1', 400, 'invalid-interval');
  });

  test('says nothing of times to come, of which nothing is known', async () => {
    const nowS = bench.clock.now() / 1e6;
    const path = `/measurements/level/${nowS - 10}/${nowS + 1000}`;
    for (const options of ['?resample=1', '?resample=1&aggregate=count', '?resample=1&aggregate=max', '']) {
      await read(path + options);
    }
    const later = bench.clock.now() + 1e9;
    const now = bench.clock.now() + 1;
    assert.deepEqual(
      archive.requests.map(({ untilUs }) => untilUs),
      [now, now, now, later],
    );
  });

  test('hands the options on, and refuses those that do not go together', async () => {
    await read('/measurements/level/1/3?resample=0.25&aggregate=avg&warp_head=1&limit=2');
    await read('/alarms/high/active/1/3?max-points=2000');
    const [first, second] = archive.requests;
    assert.equal(first?.resampleUs, 250_000);
    assert.deepEqual([first?.aggregates, first?.warpHead, first?.limit, first?.activeOnly], [['avg'], true, 2, false]);
    assert.deepEqual([second?.kind, second?.activeOnly, second?.maxPoints], ['alarms', true, 2000]);
    for (const query of [
      'resample=1&max-points=9',
      'aggregate=avg',
      'resample=0',
      'resample=-1',
      'resample=0.0000001',
      'resample=x',
      'aggregate=median&resample=1',
      'aggregate=avg,median&resample=1',
      'aggregate=avg,avg&resample=1',
      'aggregate=&resample=1',
      'resample=2x',
      'resample=2d&tz=Europe/Vienna',
      'resample=1d&tz=Europe/Wien',
      'resample=1d&tz=__proto__',
      'resample=60&tz=Europe/Vienna',
      'tz=Europe/Vienna',
      'limit=0',
      'limit=1.5',
      'max-points=3',
      'warp_head=2',
      'more=1',
    ]) {
      await refused(`/measurements/level/1/3?${query}`, 400, 'invalid-query');
    }
    await refused('/alarms/high/1/3?resample=1&aggregate=avg', 400, 'invalid-query');
    await read('/measurements/level/1/3?resample=1d&tz=europe/vienna&aggregate=avg,percent-good');
    await read('/measurements/level/1/3?resample=15m');
    await read('/measurements/level/1/3?resample=1h30m');
    const [third, fourth, fifth] = archive.requests.slice(2);
    assert.deepEqual(third?.calendar, { step: '1d', zone: 'Europe/Vienna' });
    assert.deepEqual(third?.aggregates, ['avg', 'percent-good']);
    assert.deepEqual(fourth?.calendar, { step: '15m', zone: 'UTC' });
    assert.deepEqual([fifth?.calendar, fifth?.resampleUs], [undefined, 5400e6]);
  });

  test('gives several names in the order asked, or all, and leaves unknown ones out', async () => {
    const some = await read('/measurements/?names=gone,other,level,of_s,gone&t_since=2&t_until=3');
    assert.equal(some, '{"gone":[["i7",[2,0],192]],"level":[["d22",[2,0],24]],"of_s":[]}');
    const all = JSON.parse(await read('/measurements?t_since=2.000001'));
    assert.ok(Object.hasOwn(all, '__proto__'));
    assert.deepEqual([all.gone, all.level, all.of_b], [[], [['d23', [3, 0], 192]], []]);
    assert.equal(await read('/measurements?names=&t_since=1'), '{}');
    await refused('/measurements?names=level', 400, 'invalid-query');
    await refused('/measurements?names=a-b&t_since=1', 400, 'invalid-query');
  });

  test('lists the names that it has', async () => {
    assert.deepEqual(JSON.parse(await read('/measurements/names')), ['gone', 'level']);
    assert.deepEqual(JSON.parse(await read('/alarms/names/')), ['high']);
  });

  test('comes as JSON, as CSV or in columns, as the client wants it, and as nothing else', async () => {
    const csv = await read('/measurements/level/1/2', csvType);
    assert.equal(csv, 'name,time,value,quality\r\nlevel,1970-01-01T00:00:01.000000Z,21.5,192\r\n');
    assert.ok((await read('/measurements/level/1/2', columnsType)).startsWith('TTCF'));
    assert.deepEqual(
      archive.requests.map(({ form }) => form),
      ['csv', 'binary'],
    );
    await refused('/measurements/level/1/2', 406, 'not-acceptable', { headers: { accept: 'text/html' } });
    const { headers } = await bench.fetch('/measurements/level/1/2');
    assert.deepEqual([headers.get('vary'), headers.get('cache-control')], ['accept', 'no-store']);
  });

  test('says which methods apply where two paths meet', async () => {
    for (const [path, allow] of [
      ['/measurements/names', 'GET, POST, HEAD'],
      ['/measurements/level', 'POST'],
      ['/alarms/names', 'GET, HEAD'],
      ['/measurements/level/1/2', 'GET, DELETE, HEAD'],
    ] as const) {
      const { status, headers } = await bench.fetch(path, { method: 'PUT' });
      const allowed = headers.get('allow')?.split(', ').sort();
      assert.deepEqual([status, allowed], [405, allow.split(', ').sort()], path);
    }
  });

  test('erases the interval, of alarms by either path', async () => {
    archive.add({ ...level, name: 'of_d' }, 1_000_000, 'd1');
    archive.add({ ...level, name: 'of_d' }, 2_000_000, 'd2');
    const erase = async (path: string) => (await bench.fetch(path, { method: 'DELETE' })).status;
    assert.equal(await erase('/measurements/of_d/1/2'), 204);
    assert.deepEqual(
      archive.records('measurements', 'of_d').map(({ text }) => text),
      ['d2'],
    );
    assert.equal(await erase('/alarms/high/active/0.5/0.6'), 204);
    assert.equal(await erase('/commands/setpoint/-1/0'), 204);
  });

  test('reports its figures, with what is damaged', async () => {
    archive.damages = [{ file: 'block', name: 'level', firstUs: 1_500_000, lastUs: Number.NaN, reason: 'checksum' }];
    const stats = JSON.parse(await read('/stats'));
    assert.deepEqual([stats.first, stats['journal-bytes'], stats.bytes], [[1, 0], 1024, 4096]);
    assert.deepEqual([stats['astray-names'], stats['clock-jumps']], [[], []]);
    const room = [stats['max-bytes'], stats['disk-bytes'], stats['disk-free-bytes']];
    assert.deepEqual(room, [null, 1000, 400]);
    bench.clock.jump(-3_600_000);
    bench.clock.advance(1000);
    const at = [bench.clock.now() / 1e6, 0];
    assert.deepEqual(JSON.parse(await read('/stats'))['clock-jumps'], [{ at, seconds: -3600 }]);
    bench.clock.jump(3_600_000);
    assert.deepEqual(stats.damages, [{ file: 'block', name: 'level', first: [1, 500_000], reason: 'checksum' }]);
    const response = await bench.fetch('/check', { method: 'POST' });
    assert.equal(response.headers.get('content-type'), ndjsonType);
    const lines = (await response.text()).trimEnd().split('\n');
    assert.deepEqual(
      lines.map((line) => JSON.parse(line)),
      [
        { 'done-bytes': 0, 'total-bytes': 4096 },
        { 'done-bytes': 4096, 'total-bytes': 4096, done: true, damages: stats.damages },
      ],
    );
    archive.damages = [];
    const compacted = await bench.fetch('/compact', { method: 'POST' });
    assert.equal(JSON.parse(await compacted.text()).done, true);
  });
});

describe('a long answer', () => {
  const page = Buffer.alloc(1 << 16, ' ');

  async function* endless() {
    for (;;) yield page;
  }

  const get = async (path: string): Promise<IncomingMessage> => {
    const asking = request({ port: bench.port, host: '127.0.0.1', path: `/data/archive${path}` });
    asking.on('error', () => undefined);
    asking.end();
    const [response] = (await once(asking, 'response')) as [IncomingMessage];
    response.on('error', () => undefined);
    return response;
  };

  test('is not made faster than its client takes it, and ends with its client', async () => {
    archive.script = endless;
    const response = await get('/measurements/level/1/2');
    let before = -1;
    while (archive.pages !== before) {
      before = archive.pages;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    assert.ok(archive.pages < 500, `${archive.pages} pages wait`);
    assert.equal(archive.cancelled, 0);
    response.destroy();
    while (archive.cancelled === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  });

  test('that waits for its next page ends with its client as well', async () => {
    archive.script = async function* () {
      yield page;
      await new Promise(() => undefined);
    };
    const response = await get('/measurements/level/1/2');
    await once(response, 'readable');
    response.destroy();
    while (archive.cancelled === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  });

  test('is not made for HEAD', async () => {
    archive.script = endless;
    const { status } = await bench.fetch('/measurements/level/1/2', { method: 'HEAD' });
    assert.deepEqual([status, archive.cancelled, archive.pages], [200, 1, 0]);
  });

  test('that fails never looks whole, not even to a client of HTTP/1.0', async () => {
    archive.script = async function* () {
      yield Buffer.from('{"level":[');
      await new Promise((resolve) => setTimeout(resolve, 20));
      throw new Error('a block cannot be read');
    };
    const response = await bench.fetch('/measurements/level/1/2');
    await assert.rejects(response.text());
    const socket = connect(bench.port, '127.0.0.1');
    socket.write('GET /data/archive/measurements/level/1/2 HTTP/1.0\r\nHost: localhost\r\n\r\n');
    socket.resume();
    const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
    assert.equal(error.code, 'ECONNRESET');
  });
});
