// Revisions over HTTP: what is kept of each rendering, the difference to what runs, restoring, and a restart.
import assert from 'node:assert/strict';
import { before, beforeEach, describe, test } from 'node:test';
import {
  type Change,
  checker,
  Difference,
  familyNames,
  fromTimestamp,
  Revision,
  type RevisionSummary,
  Revisions,
} from '@telltale/schema';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { clearConfiguration } from './clear-configuration.ts';
import { ConfigClient } from './config-client.ts';
import { fullest, smallest } from './sample-objects.ts';
import { type ServerProcess, startServer } from './server-process.ts';

const cleanup = suiteCleanup();
const folder = temporaryFolder(cleanup);
let server: ServerProcess;
const client = new ConfigClient(() => server);

before(async () => {
  server = await startServer(cleanup, { data: folder });
});

beforeEach(async () => {
  await clearConfiguration(client);
  await client.done('POST', '/cfgdb/render');
});

interface Whole extends RevisionSummary {
  readonly changes: Change[];
  readonly configuration?: Record<string, Record<string, unknown>>;
}

const put = (name: string, severity: number) => client.put(`/alarms/${name}`, { name, severity });
const render = (query = '') => client.done('POST', `/cfgdb/render${query}`);
const nowUs = () => Date.now() * 1000;

async function changes(): Promise<Change[]> {
  const difference = await client.read<{ changes: Change[] }>('/cfgdb/diff');
  assert.deepEqual(checker(Difference).faults(difference), []);
  return difference.changes;
}

async function revisions(): Promise<RevisionSummary[]> {
  const list = await client.read<RevisionSummary[]>('/cfgdb/revisions');
  assert.deepEqual(checker(Revisions).faults(list), []);
  return list;
}

async function revision(id: number | undefined, query = ''): Promise<Whole> {
  const whole = await client.read<Whole>(`/cfgdb/revisions/${id}${query}`);
  assert.deepEqual(checker(Revision).faults(whole), []);
  return whole;
}

const newestId = async () => (await revisions())[0]?.id;

/** Without time and author, which other tests are about. */
const bare = (list: Change[]) => list.map(({ time: _time, author: _author, ...rest }) => rest);

describe('GET /cfgdb/diff', () => {
  test('is the database against what runs, by object and field', async () => {
    await put('kept', 1);
    await put('gone', 2);
    await client.put('/alarms/edited', { name: 'edited', severity: 3, description: 'old', properties: { a: '1' } });
    await render();
    assert.deepEqual(await changes(), []);
    await client.done('DELETE', '/alarms/gone');
    await client.put('/alarms/edited', { name: 'edited', severity: 3, enabled: false, properties: { a: '1', b: '' } });
    await client.put('/measurements/fresh', { name: 'fresh', datatype: 'd' });
    assert.deepEqual(bare(await changes()), [
      {
        family: 'alarms',
        name: 'edited',
        change: 'changed',
        fields: [
          { field: 'description', before: 'old' },
          { field: 'properties', before: { a: '1' }, after: { a: '1', b: '' } },
          { field: 'enabled', after: false },
        ],
      },
      { family: 'alarms', name: 'gone', change: 'removed' },
      { family: 'measurements', name: 'fresh', change: 'added' },
    ]);
  });

  test('says of each change when it was made and by whom', async () => {
    await put('b', 1);
    await put('c', 1);
    await render();
    const started = nowUs();
    await put('a', 1);
    const between = nowUs() + 1000;
    while (nowUs() < between) await put('spare', 1);
    await put('b', 2);
    await client.done('DELETE', '/alarms/c');
    const ended = nowUs();
    const [a, b, c] = (await changes()).map(({ time, author }) => ({ time: fromTimestamp(time), author }));
    assert.ok(a && b && c);
    assert.ok(started <= a.time && a.time < between && between <= b.time && b.time <= c.time && c.time <= ended);
    assert.deepEqual([a.author, b.author, c.author], ['local', 'local', 'local']);
  });

  test('shows nothing of what was undone, and nothing after a rendering', async () => {
    await put('a', 1);
    await client.done('DELETE', '/alarms/a');
    assert.deepEqual(await changes(), []);
    await put('a', 1);
    assert.equal((await changes()).length, 1);
    await render();
    assert.deepEqual(await changes(), []);
  });

  test('is empty exactly when the configuration is up to date', async () => {
    for (const severity of [1, 2, 1, 3]) {
      await put('a', severity);
      const { up_to_date } = await client.read<{ up_to_date: boolean }>('/cfgdb/render');
      assert.equal((await changes()).length === 0, up_to_date);
      if (severity === 1) await render();
    }
  });
});

describe('GET /cfgdb/revisions', () => {
  test('lists the newest first, with time, author, counts and what runs', async () => {
    const earlier = await newestId();
    const started = nowUs();
    for (const family of familyNames) await client.put(`/${family}/x`, { ...smallest(family, 'x'), ...stack(family) });
    await render();
    await put('x', 5);
    await put('y', 1);
    await client.done('DELETE', '/measurements/x');
    await render();
    const [second, first] = await revisions();
    assert.ok(first && second);
    const objects = Object.fromEntries(familyNames.map((family) => [family, 1]));
    const { time: firstTime, ...ofFirst } = first;
    const id = (earlier ?? 0) + 1;
    assert.deepEqual(ofFirst, {
      id,
      author: 'local',
      running: false,
      objects,
      added: familyNames.length,
      changed: 0,
      removed: 0,
    });
    const { time: secondTime, ...ofSecond } = second;
    const counts = { objects: { ...objects, alarms: 2, measurements: 0 }, added: 1, changed: 1, removed: 1 };
    assert.deepEqual(ofSecond, { id: id + 1, author: 'local', running: true, ...counts });
    const times = [started, fromTimestamp(firstTime), fromTimestamp(secondTime), nowUs()];
    assert.deepEqual(
      times,
      times.toSorted((a, b) => a - b),
    );
  });

  test('keeps the last 50, and their numbers only rise', async () => {
    const [{ id = 0 } = {}] = await revisions();
    for (let count = 0; count < 55; count++) await render('?force=1');
    const ids = (await revisions()).map((stored) => stored.id);
    assert.deepEqual(
      ids,
      Array.from({ length: 50 }, (_, at) => id + 55 - at),
    );
    await client.refused('unknown-revision', 'GET', `/cfgdb/revisions/${id + 5}`);
    assert.equal((await revision(id + 6)).id, id + 6);
  });
});

describe('GET /cfgdb/revisions/:id', () => {
  test('has the changes against the one before, as the difference was before the rendering', async () => {
    await put('a', 1);
    await render();
    await put('a', 2);
    await put('b', 1);
    const pending = await changes();
    await render();
    const [newest] = await revisions();
    const whole = await revision(newest?.id);
    assert.deepEqual(whole, { ...newest, changes: pending });
    await render('?force=1');
    assert.deepEqual((await revision(await newestId())).changes, []);
  });

  test('has the whole configuration where it is asked for, and it never changes', async () => {
    await client.put('/measurements/__proto__', fullestReady('__proto__'));
    await put('a', 1);
    await render();
    const id = await newestId();
    const { configuration, ...rest } = await revision(id, '?configuration=1');
    assert.deepEqual(Object.keys(configuration ?? {}), familyNames);
    assert.deepEqual(configuration?.alarms, { a: { name: 'a', severity: 1 } });
    assert.deepEqual(Object.keys(configuration?.measurements ?? {}), ['__proto__']);
    assert.deepEqual(await revision(id), rest);
    await put('a', 2);
    await client.done('DELETE', '/measurements/__proto__');
    await render();
    assert.deepEqual(await revision(id, '?configuration=1'), { configuration, ...rest, running: false });
    assert.deepEqual(await client.faulty('invalid-query', 'GET', `/cfgdb/revisions/${id}?configuration=2`), [
      'configuration',
    ]);
  });

  test('is 404 for a number that no revision has, and for what is no number', async () => {
    for (const id of ['0', '999999', '-1', '1.5', 'x', '__proto__', '1e0', '9'.repeat(30), '%20']) {
      await client.refused('unknown-revision', 'GET', `/cfgdb/revisions/${id}`);
      await client.refused('unknown-revision', 'POST', `/cfgdb/revisions/${id}/restore`);
    }
  });
});

describe('POST /cfgdb/revisions/:id/restore', () => {
  test('makes the database what the revision was, and leaves what runs until it is rendered', async () => {
    await put('a', 1);
    await put('b', 1);
    await render();
    const id = await newestId();
    await put('a', 2);
    await client.done('DELETE', '/alarms/b');
    await put('c', 1);
    await render();
    await put('d', 1);
    const rendered = await revisions();
    await client.done('POST', `/cfgdb/revisions/${id}/restore`);
    assert.deepEqual(await client.read('/alarms'), { a: { name: 'a', severity: 1 }, b: { name: 'b', severity: 1 } });
    assert.deepEqual(await revisions(), rendered);
    assert.deepEqual(
      bare(await changes()).map(({ name, change }) => `${name} ${change}`),
      ['a changed', 'b added', 'c removed'],
    );
  });

  test('renders where it is asked to', async () => {
    await put('a', 1);
    await render();
    const id = await newestId();
    await put('a', 2);
    await render();
    await client.done('POST', `/cfgdb/revisions/${id}/restore?render=1`);
    assert.deepEqual(await client.read('/alarms'), { a: { name: 'a', severity: 1 } });
    assert.deepEqual(await client.read('/cfgdb/render'), { up_to_date: true });
    const { id: newest, running, changed } = (await revisions())[0] ?? {};
    assert.deepEqual([newest, running, changed], [(id ?? 0) + 2, true, 1]);
    assert.deepEqual(await client.faulty('invalid-query', 'POST', `/cfgdb/revisions/${id}/restore?render=x`), [
      'render',
    ]);
  });

  test('of what runs drops every edit', async () => {
    await put('a', 1);
    await render();
    await put('a', 2);
    await put('b', 2);
    await client.done('POST', `/cfgdb/revisions/${await newestId()}/restore`);
    assert.deepEqual(await client.read('/cfgdb/render'), { up_to_date: true });
    assert.deepEqual(await client.read('/alarms/names'), ['a']);
  });

  test('answers other methods by 405', async () => {
    for (const [path, allow] of [
      ['/cfgdb/revisions/1/restore', 'POST'],
      ['/cfgdb/revisions/1', 'GET, HEAD'],
      ['/cfgdb/revisions', 'GET, HEAD'],
      ['/cfgdb/diff', 'GET, HEAD'],
    ] as const) {
      const { status, headers } = await client.ask('DELETE', path);
      assert.deepEqual([status, headers.get('allow')], [405, allow]);
    }
  });
});

for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
  test(`after ${signal} and a new start everything is there, and the newest rendering runs`, async () => {
    for (const family of familyNames) await client.put(`/${family}/x`, { ...smallest(family, 'x'), ...stack(family) });
    await client.put('/measurements/__proto__', fullestReady('__proto__'));
    await render();
    await put('x', 7);
    await put('edited', 1);
    await client.done('DELETE', '/commands/x');
    const paths = [
      ...familyNames.flatMap((family) => [`/${family}`, `/${family}/names`]),
      ...['/cfgdb/render', '/cfgdb/diff', '/cfgdb/revisions'],
      `/cfgdb/revisions/${await newestId()}?configuration=1`,
    ];
    const readAll = async () => {
      const texts = [];
      for (const path of paths) texts.push((await client.ask('GET', path)).text);
      return texts;
    };
    const earlier = await readAll();
    await server.end(signal);
    server = await startServer(cleanup, { data: folder });
    assert.deepEqual(await readAll(), earlier);
    assert.equal((await revisions())[0]?.running, true);
    assert.deepEqual(await client.read('/cfgdb/render'), { up_to_date: false });
  });
}

/** What an object of the family needs beyond its required fields in order to be rendered. */
function stack(family: string): object {
  return family === 'connectors' || family === 'providers' ? { stackName: 'simulator' } : {};
}

/** Every field that can be rendered without other objects. */
function fullestReady(name: string): object {
  const { connectorName: _1, leader: _2, providerAddresses: _3, ...rest } = fullest('measurements', name);
  return rest;
}

test('every answer given here is in the reference of the service', async () => {
  assert.deepEqual(await client.undocumented(), []);
});
