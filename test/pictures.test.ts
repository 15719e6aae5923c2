// Process pictures and named trends of the real server: whatever way an SVG comes in it is harmless, what is rendered is read, and
// both are part of the configuration as every object is.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { type Download, TelltaleClient, TelltaleProblem } from '@telltale/client';
import type { Picture, Trend } from '@telltale/schema';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { waterworks } from '../stacks/waterworks/src/demo/index.ts';
import { runCli } from './cli-process.ts';
import { insertObject, makeDatabase, removeObjects } from './database-file.ts';
import { put } from './live-plant.ts';
import { type ServerProcess, startServer } from './server-process.ts';

const cleanup = suiteCleanup();
const folder = temporaryFolder(cleanup);
const data = join(folder, 'data');
let server: ServerProcess;
let client: TelltaleClient;

const drawn =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><script>alert(1)</script>' +
  '<rect style="fill:#d8d8d8" onclick="x()" data-tt-point="level" data-tt-level="up"/></svg>';
const clean =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">\n' +
  '<rect data-tt-point="level" data-tt-level="up" fill="#d8d8d8"/>\n</svg>';

before(async () => {
  server = await startServer(cleanup, { data });
  client = new TelltaleClient({ url: server.url });
});

const bytesOf = async (download: Promise<Download>) =>
  Buffer.from(await new Response((await download).stream).arrayBuffer());
const configured = async (name: string) => (await client.configuration.get('pictures', name)).svg;
const refusal = async (work: Promise<unknown>): Promise<TelltaleProblem> => {
  const error = await work.then(
    () => 'it is not refused',
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof TelltaleProblem, String(error));
  return error;
};

test('an SVG is cleaned, and what it loses is told, and nothing is stored', async () => {
  const before = await client.configuration.list('pictures');
  const { svg, removed } = await client.configuration.cleanPicture(drawn);
  assert.equal(svg, clean);
  assert.deepEqual(removed, [
    { name: 'script', count: 1 },
    { name: 'onclick=', count: 1 },
  ]);
  const wrong = await refusal(client.configuration.cleanPicture('<svg xmlns="http://www.w3.org/2000/svg"><g></svg>'));
  assert.deepEqual([wrong.status, wrong.errors?.[0]?.path], [400, '/svg']);
  assert.deepEqual(await client.configuration.list('pictures'), before);
});

describe('an SVG is harmless in the configuration', () => {
  test('when it is put', async () => {
    await client.configuration.put('pictures', 'one', { name: 'one', svg: drawn });
    assert.equal(await configured('one'), clean);
  });

  test('when it comes in a transaction', async () => {
    await client.configuration.transaction([put('pictures', 'two', { svg: drawn })]);
    assert.equal(await configured('two'), clean);
  });

  test('when it comes in a table', async () => {
    const table = `name,svg\nthree,"${drawn.replaceAll('"', '""')}"\n`;
    await client.configuration.putTable('pictures', Buffer.from(table));
    assert.equal(await configured('three'), clean);
  });

  test('when it comes in a database file, of this format or of before there were pictures', async () => {
    const copy = await bytesOf(client.configuration.downloadDatabase());
    const hostile = makeDatabase(join(folder, 'copy.sqlite'), copy, (sqlite) => {
      removeObjects(sqlite);
      insertObject(sqlite, { family: 'pictures', object: { name: 'four', svg: drawn } });
    });
    await client.configuration.uploadDatabase(Buffer.from(hostile));
    assert.deepEqual({ ...(await client.configuration.list('pictures')) }, { four: { name: 'four', svg: clean } });
    const older = makeDatabase(join(folder, 'copy.sqlite'), copy, (sqlite) => {
      sqlite.exec('DROP TABLE pictures; DROP TABLE trends; PRAGMA user_version = 9');
    });
    await client.configuration.uploadDatabase(Buffer.from(older));
    assert.deepEqual({ ...(await client.configuration.list('pictures')) }, {});
  });

  test('when it is generated of a type, which fills in its placeholders and those of pens', async () => {
    const type = {
      name: 'unit',
      parameters: { unit: {} },
      objects: {
        pictures: { '{unit}': { svg: drawn.replace('level', '{unit}_level') } },
        trends: { '{unit}': { pens: [{ kind: 'measurements', name: '{unit}_level', visible: true }], span: 60 } },
      },
    };
    await client.configuration.generate({ type, instances: [{ unit: 'p1' }] } as never);
    assert.equal(await configured('p1'), clean.replace('level', 'p1_level'));
    assert.deepEqual((await client.configuration.get('trends', 'p1')).pens, [
      { kind: 'measurements', name: 'p1_level', visible: true },
    ]);
  });

  test('when the command line puts the file as it is; what else the picture has stays', async () => {
    await client.configuration.put('pictures', 'one', { name: 'one', svg: '<svg/>', description: 'First' });
    const file = join(folder, 'one.svg');
    writeFileSync(file, drawn);
    const { code, stderr } = await runCli(['config', 'put', 'pictures', 'one', file], server);
    assert.deepEqual([code, stderr], [0, '']);
    assert.deepEqual(await client.configuration.get('pictures', 'one'), {
      name: 'one',
      description: 'First',
      svg: clean,
    });
  });

  test('or it is refused, with the place in it, and nothing changes', async () => {
    const wrong = await refusal(client.configuration.put('pictures', 'one', { name: 'one', svg: '<svg>\n <g></svg>' }));
    assert.deepEqual([wrong.status, wrong.problem], [400, 'invalid-body']);
    assert.deepEqual(wrong.errors, [{ path: '/svg', message: 'line 2, column 5: </svg> stands where </g> is due' }]);
    const inTable = await refusal(client.configuration.putTable('pictures', Buffer.from('name,svg\none,picture\n')));
    assert.match(inTable.errors?.[0]?.message ?? '', /line 1, column 1: has text outside/);
    assert.equal(await configured('one'), clean);
  });

  test('and no longer than an object may be', async () => {
    const long = `<svg>${`<path d="M0 0${' 1'.repeat(5000)}"/>`.repeat(105)}</svg>`;
    const tooLong = await refusal(client.configuration.put('pictures', 'long', { name: 'long', svg: long }));
    assert.equal(tooLong.problem, 'invalid-body');
    assert.match(tooLong.errors?.[0]?.message ?? '', /more than 1048576 characters when it is cleaned/);
  });
});

describe('what is rendered', () => {
  const overview: Picture = {
    name: 'overview',
    description: 'Overview',
    svg: clean,
    parameters: { unit: 'a' },
    area: 'works.tank1',
  };
  const tanks: Trend = {
    name: 'tanks',
    pens: [
      { kind: 'measurements', name: 'level', axis: 'm' },
      { kind: 'alarms', name: 'there_is_none' },
    ],
    axes: [{ name: 'm', lo: 0, hi: 5.5 }],
    span: 3600,
  };

  before(async () => {
    const objects = [put('measurements', 'level', { datatype: 'd' }), put('pictures', 'overview', { ...overview })];
    await client.configuration.transaction([...objects, put('trends', 'tanks', { ...tanks })], { render: true });
  });

  test('is read whole by its name; points that do not exist refuse no rendering', async () => {
    assert.deepEqual(await client.pictures.get('overview'), overview);
    assert.deepEqual(await client.trends.get('tanks'), tanks);
    assert.deepEqual({ ...(await client.trends.list({ names: ['tanks', 'nothing'] })) }, { tanks });
  });

  test('is listed without its SVG, unless that is asked for', async () => {
    const { svg, ...brief } = overview;
    const pictures = await client.pictures.list();
    assert.deepEqual(pictures.overview, brief);
    assert.deepEqual(Object.keys(pictures), ['one', 'overview', 'p1']);
    const asked = await client.pictures.list({ names: ['overview'], fields: ['svg'] });
    assert.deepEqual({ ...asked }, { overview: { svg } });
  });

  test('has a tag that stays until it changes, across restarts too', async () => {
    const get = (path: string, tag = '') => fetch(server.url + path, { headers: { 'if-none-match': tag } });
    const paths = ['/data/pictures/', '/data/pictures/overview', '/data/trends', '/data/trends/tanks'];
    const tags = new Map<string, string>();
    for (const path of paths) tags.set(path, (await get(path)).headers.get('etag') ?? '');
    assert.equal(new Set(tags.values()).size, paths.length);
    await server.end();
    server = await startServer(cleanup, { data });
    client = new TelltaleClient({ url: server.url });
    for (const path of paths) assert.equal((await get(path, tags.get(path))).status, 304, path);
    await client.configuration.put('pictures', 'overview', { ...overview, description: 'Another' });
    for (const path of paths) assert.equal((await get(path, tags.get(path))).status, 304, `${path} is not rendered`);
    await client.configuration.render();
    const now = await Promise.all(paths.map(async (path) => (await get(path, tags.get(path))).status));
    assert.deepEqual(now, [200, 200, 304, 304]);
    assert.equal((await client.pictures.get('overview')).description, 'Another');
  });

  test('is no more when its deletion is rendered, and comes back with its revision', async () => {
    const [newest] = await client.configuration.revisions();
    await client.configuration.transaction([{ operation: 'delete', family: 'pictures', name: 'overview' }], {
      render: true,
    });
    for (const name of ['overview', 'names', '__proto__']) {
      assert.equal((await refusal(client.pictures.get(name))).status, 404);
    }
    const options = { family: 'pictures', name: 'overview', render: true } as const;
    await client.configuration.restore(newest?.id ?? 0, options);
    assert.equal((await client.pictures.get('overview')).svg, clean);
  });

  test('tells who changed which field, a list as a whole', async () => {
    await client.configuration.put('trends', 'tanks', { ...tanks, pens: [], span: 60 });
    const changes = await client.configuration.diff();
    assert.deepEqual(
      changes.map(({ fields }) => fields?.map(({ field, before, after }) => [field, before, after])),
      [
        [
          ['pens', tanks.pens, []],
          ['span', 3600, 60],
        ],
      ],
    );
    const { fields } = await client.configuration.blame('trends', 'tanks');
    assert.deepEqual(
      fields.filter(({ revision }) => revision === undefined).map(({ field }) => field),
      ['pens', 'span'],
    );
    await client.configuration.discard();
  });

  test('follows points to other names', async () => {
    const svg = clean.replace('data-tt-level="up"', 'data-tt-opens="point:level"');
    const more = '<g data-tt-point="measurement:level"/><g data-tt-point="alarm:level"/><g data-tt-point="level2"/>';
    await client.configuration.put('pictures', 'overview', {
      ...overview,
      svg: svg.replace('</svg>', `${more}</svg>`),
    });
    await client.configuration.rename('measurements', 'level', 'basin', { render: true });
    const followed = (await client.pictures.get('overview')).svg.match(/data-tt-\w+="[^"]*"/g);
    assert.deepEqual(followed, [
      'data-tt-point="basin"',
      'data-tt-opens="point:basin"',
      'data-tt-point="measurement:basin"',
      'data-tt-point="alarm:level"',
      'data-tt-point="level2"',
    ]);
    assert.equal((await client.trends.get('tanks')).pens[0]?.name, 'basin');
  });

  test('is refused where an axis makes no sense', async () => {
    const axes = [{ name: 'm', lo: 5, hi: 5 }, { name: 'm' }];
    const wrong = await refusal(
      client.configuration.transaction([put('trends', 'tanks', { ...tanks, axes })], { render: true }),
    );
    assert.equal(wrong.problem, 'render-refused');
    assert.deepEqual(
      wrong.errors?.map(({ path }) => path),
      ['/trends/tanks/axes/0/hi', '/trends/tanks/axes/1/name'],
    );
  });

  test('goes through tables and back without a change', async () => {
    for (const family of ['pictures', 'trends'] as const) {
      for (const format of ['csv', 'xlsx'] as const) {
        const bytes = await bytesOf(client.configuration.table(family, { format }));
        const { rows, unchanged } = await client.configuration.putTable(family, bytes);
        assert.deepEqual([unchanged, rows > 0], [rows, true], `${family} ${format}`);
      }
    }
    const wrong = await refusal(client.configuration.putTable('trends', Buffer.from('name,pens\ntanks,level\n')));
    assert.match(wrong.errors?.[0]?.message ?? '', /must be a list as JSON/);
  });
});

test('symbols keep their shapes and bindings when they are copied, and so do the pictures of the demo plant', async (t) => {
  const sheet = readFileSync(new URL('../packages/web/src/look/symbols.svg', import.meta.url), 'utf8');
  const demo = await startServer(t, { data: temporaryFolder(t), args: ['--demo'] });
  const shown = new TelltaleClient({ url: demo.url });
  await shown.configuration.put('pictures', 'sheet', { name: 'sheet', svg: sheet });
  const drawn = new Map([['sheet', sheet]]);
  for (const { family, name, object } of waterworks) if (family === 'pictures') drawn.set(name, object.svg);
  assert.deepEqual([...drawn.keys()].sort(), ['pump', 'sheet', 'waterworks']);
  const count = (svg: string, form: RegExp) => svg.match(form)?.length ?? 0;
  for (const [name, svg] of drawn) {
    const { svg: cleaned } = await shown.configuration.get('pictures', name);
    for (const form of [/<\w+/g, /\bdata-tt-[\w-]+="/g, /\bclass="tt-/g, /\bhref="#/g]) {
      assert.equal(count(cleaned, form), count(svg, form), `${name} has other ${form}`);
    }
  }
  assert.deepEqual(Object.keys(await shown.pictures.list()), ['pump', 'waterworks']);
  assert.deepEqual(Object.keys(await shown.trends.list()), ['chlorine', 'tanks']);
});
