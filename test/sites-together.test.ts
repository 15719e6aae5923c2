// A centre with users, and two sites: what they have is read together, and by whoever may, as far as they may. A site that somebody may
// not view is as if it were not there.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import type {
  AuditRecord,
  CentreSite,
  Explanation,
  Operation,
  SitesAlarms,
  SitesPoints,
  SitesTransitions,
} from '@telltale/schema';
import { cleanupOf, suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { ChannelSocket } from './channel-socket.ts';
import { noTerminal, runOnTerminal } from './cli-process.ts';
import { Nats, withoutNats } from './engines/nats.ts';
import { Postgres } from './engines/postgres.ts';
import { withoutPostgres } from './engines/postgres-programs.ts';
import { makeTokens } from './granted-server.ts';
import { openSocket, readToEnd } from './raw-http.ts';
import { type ServerProcess, startServer } from './server-process.ts';
import { until } from './until.ts';

const skip = withoutNats || withoutPostgres('15');

const ids = { north: '00000000000000aa', south: '00000000000000bb' } as const;
/** Of no site; as long as an id. */
const noId = '00000000000000cc';
type Name = keyof typeof ids;

const put = (family: Operation['family'], name: string, fields: object) =>
  ({ operation: 'put', family, name, object: { name, ...fields } }) as Operation;
const plant = [
  put('alarms', 'fire', { severity: 1, area: 'hall', archMode: 'change' }),
  put('alarms', 'flood', { severity: 2, area: 'yard', archMode: 'change' }),
  put('commands', 'lamp', { datatype: 'i', area: 'hall' }),
  // Nothing reads them: they are bad.
  put('measurements', 'dead', { datatype: 'd', area: 'hall' }),
  put('measurements', 'gone', { datatype: 'd', area: 'yard' }),
];

describe('all sites of a centre together', { skip }, () => {
  const scope = suiteCleanup();
  const folder = temporaryFolder(scope);
  let nats: Nats;
  let postgres: Postgres;
  let centre: ServerProcess;
  let tokens: Awaited<ReturnType<typeof makeTokens<'north' | 'hall' | 'nowhere'>>>;
  const servers = {} as Record<Name, ServerProcess>;

  const startSite = async (name: Name, called: string = name) => {
    const data = join(folder, name);
    mkdirSync(data, { recursive: true, mode: 0o700 });
    writeFileSync(join(data, 'site.json'), JSON.stringify({ id: ids[name] }));
    servers[name] = await startServer(scope, {
      data,
      args: ['--bus', nats.urls[0] ?? '', '--site', called],
    });
  };

  /** As a proxy asks for somebody. */
  const ask = (path: string, token: string, method = 'GET') => {
    const headers = { authorization: `Bearer ${token}`, 'x-forwarded-for': '10.1.2.3' };
    return fetch(`${centre.url}${path}`, { method, headers });
  };
  const get = async <T>(path: string, token = tokens.chief): Promise<T> => {
    const response = await ask(path, token);
    const text = await response.text();
    assert.equal(
      response.status,
      200,
      `${path}: ${text} ${centre.log
        .split('\n')
        .filter((l) => l.includes('internal'))
        .at(-1)}`,
    );
    return JSON.parse(text) as T;
  };
  const siteOf = async (name: Name) => (await get<Record<string, CentreSite>>('/sites'))[ids[name]];
  const untilState = (name: Name, state: CentreSite['state']) =>
    until(`${name} is ${state}`, async () => {
      const site = await siteOf(name);
      // One that is up takes what changes something once it has its epoch.
      return site?.state === state && (state === 'down' || site.epoch !== null) && site;
    });
  const alarmsOf = async (query = '', token = tokens.chief) => get<SitesAlarms>(`/sites/alarms${query}`, token);
  const named = (items: readonly { readonly 'site-name': string; readonly name: string }[]) =>
    items.map((item) => `${item['site-name']} ${item.name}`);

  before(async () => {
    postgres = await Postgres.start(scope);
    const { store, env } = await postgres.addPlant();
    nats = await Nats.start(scope);
    const data = join(folder, 'centre');
    const args = [
      '--store',
      store.href,
      '--bus',
      nats.urls[0] ?? '',
      '--site',
      'Centre',
      '--trusted-proxy',
      '127.0.0.1',
    ];
    const first = await startServer(scope, { data });
    await first.end();
    tokens = await makeTokens(data, {
      north: [{ role: 'all', site: ids.north }],
      hall: [{ role: 'viewer', site: ids.north, area: 'hall' }],
      nowhere: [{ role: 'viewer', site: noId }],
    });
    centre = await startServer(scope, { data, args, env });
    await Promise.all([startSite('north'), startSite('south')]);
    for (const name of ['north', 'south'] as const) {
      const response = await servers[name].send('POST', '/cfgdb/txn?render=1', { operations: plant });
      assert.equal(response.status, 204, await response.text());
      await untilState(name, 'up');
    }
  });

  const raise = async (name: Name, alarm: string, token = tokens.chief) => {
    const response = await ask(`/sites/${ids[name]}/data/alarms/${alarm}/activate`, token, 'POST');
    assert.equal(response.status, 204, await response.text());
  };

  test('has the alarms of all, those that are bad, and what each of them counts', async () => {
    await raise('north', 'fire');
    await raise('south', 'flood');
    const all = await until('both are there', async () => {
      const found = await alarmsOf();
      return found.total === 2 && found;
    });
    assert.deepEqual(named(all.alarms), ['north fire', 'south flood']);
    assert.deepEqual([all.alarms[0]?.site, all.alarms[0]?.['is-live'], all.incomplete], [ids.north, true, []]);
    assert.deepEqual(named((await alarmsOf('?area=yard')).alarms), ['south flood']);
    assert.deepEqual(named((await alarmsOf(`?site=north,${ids.south}&severity=1`)).alarms), ['north fire']);
    assert.equal((await alarmsOf('?limit=1')).total, 2);
    assert.deepEqual(named((await get<SitesPoints>('/sites/points?quality=good')).points), []);
    const [site] = await Promise.all(
      (['north', 'south'] as const).map((name) =>
        until('it has counted', async () => {
          const now = await siteOf(name);
          return now?.alarms?.active === 1 && now.points?.bad === 2 && now;
        }),
      ),
    );
    assert.deepEqual(site?.points, { good: 0, uncertain: 0, bad: 2, simulated: 0 });
    const points = await get<SitesPoints>('/sites/points?area=hall');
    assert.deepEqual(named(points.points), ['north dead', 'south dead']);
    assert.deepEqual([points['has-more'], points.incomplete], [false, []]);
  });

  test('has the journal of all, in pages, also of one that is not there any more, and says so', async () => {
    await raise('south', 'fire');
    const journal = (query = '', token = tokens.chief) =>
      get<SitesTransitions>(`/sites/journal?t_since=-3600&state=ACT_UNACK${query}`, token);
    const all = await until('the store has all', async () => {
      const found = await journal();
      return found.transitions.length === 3 && found;
    });
    assert.deepEqual(named(all.transitions), ['south fire', 'south flood', 'north fire']);
    const pages = [];
    let next: string | undefined;
    do {
      const page = await journal(`&limit=1${next === undefined ? '' : `&before=${encodeURIComponent(next)}`}`);
      pages.push(...named(page.transitions));
      next = page.next;
    } while (next !== undefined);
    assert.deepEqual(pages, named(all.transitions));
    assert.deepEqual(named((await journal('&names=f*&severity=2')).transitions), ['south flood']);
    assert.deepEqual(named((await journal('', tokens.hall)).transitions), ['north fire']);

    await servers.south.end('SIGKILL');
    const gone = await untilState('south', 'down');
    const lost = await alarmsOf();
    assert.deepEqual(named(lost.alarms.filter((alarm) => !alarm['is-live'])), ['south fire', 'south flood']);
    assert.deepEqual(lost.incomplete, [
      { site: ids.south, 'site-name': 'south', since: gone.since, error: 'nothing is heard of it' },
    ]);
    const points = await get<SitesPoints>('/sites/points');
    assert.deepEqual(named(points.points), ['north dead', 'north gone']);
    assert.equal(points.incomplete[0]?.site, ids.south);
    const later = await journal();
    assert.deepEqual(named(later.transitions), named(all.transitions));
    assert.match(later.incomplete[0]?.error ?? '', /nothing is heard of it/);
  });

  test('explains that a point of a site that is not there counts no longer, since when and why', async () => {
    await startSite('south');
    await untilState('south', 'up');
    const path = `/sites/${ids.south}/data/measurements/dead`;
    await until('it is mirrored', async () => {
      const response = await ask(`/sites/${ids.south}/data/measurements`, tokens.chief);
      await response.arrayBuffer();
      return response.headers.get('etag')?.includes(ids.south) === true;
    });
    await servers.south.end();
    await untilState('south', 'down');
    const { summary, vtq } = await get<Explanation>(`${path}/explain`);
    assert.match(summary, /^The site is away since .*: it was stopped\./);
    assert.ok(vtq[2] < 64, `${vtq}`);
  });

  test('keeps the id, the history and the rights of a site that is renamed', async () => {
    await startSite('south', 'sud');
    await until('it has its new name', async () => (await siteOf('south'))?.name === 'sud');
    await untilState('south', 'up');
    assert.equal((await ask('/sites/south/data/alarms', tokens.chief)).status, 404);
    const known = await get<object>('/sites/sud/data/archive/alarms/flood/1/0');
    assert.deepEqual(Object.keys(known), ['flood']);
    assert.ok('dead' in (await get<object>('/sites/sud/config/v2/measurements/')));
    await until('the store calls it so', async () => {
      return (
        (await postgres.query(`SELECT name FROM telltale.site WHERE id = '${ids.south}'`, { database: 'plant' })) ===
        'sud'
      );
    });
  });

  /** The whole answer as bytes; without what differs from one second to the next. */
  async function raw(method: string, path: string, token: string): Promise<string> {
    const socket = await openSocket(centre.url);
    const auth = token === '' ? '' : `Authorization: Bearer ${token}\r\n`;
    socket.write(`${method} ${path} HTTP/1.1\r\nHost: ${new URL(centre.url).host}\r\n${auth}Connection: close\r\n\r\n`);
    return (await readToEnd(socket)).replace(/^date: .*$/im, 'Date: now');
  }

  test('hides a site that somebody may not view, byte for byte', async () => {
    const asked = [
      ['GET', 'data/measurements'],
      ['GET', 'data/measurements/dead'],
      ['GET', 'data/measurements/dead/explain'],
      ['GET', 'data/archive/alarms/fire/1/0'],
      ['GET', 'data/ws'],
      ['GET', 'requests/never-asked-for'],
      ['GET', ''],
      ['PUT', 'data/commands/lamp?value=i1'],
      ['POST', 'config/v2/cfgdb/render'],
    ] as const;
    for (const [method, path] of asked) {
      for (const token of [tokens.north, tokens.nowhere]) {
        const hidden = await raw(method, `/sites/${ids.south}/${path}`, token);
        const unknown = await raw(method, `/sites/${noId}d/${path}`.replace('ccd', 'cd'), token);
        assert.equal(
          hidden.replaceAll(ids.south, 'ID'),
          unknown.replaceAll('00000000000000cd', 'ID'),
          `${method} ${path}`,
        );
        assert.match(hidden, /^HTTP\/1.1 404/, path);
      }
      // Who is nobody is told nothing at all.
      const [one, other] = [
        await raw(method, `/sites/${ids.south}/${path}`, ''),
        await raw(method, `/sites/x/${path}`, ''),
      ];
      assert.equal(one, other);
      assert.match(one, /^HTTP\/1.1 401/);
    }
    assert.deepEqual(Object.keys(await get<object>('/sites', tokens.north)), [ids.north]);
    assert.deepEqual(await get('/sites', tokens.nowhere), {});
    assert.deepEqual(await get('/sites/alarms', tokens.nowhere), { alarms: [], total: 0, incomplete: [] });
    assert.deepEqual(named((await alarmsOf('', tokens.north)).alarms), ['north fire']);
    const refused = await ask(`/sites/alarms?site=${ids.south}`, tokens.north);
    assert.equal(refused.status, 404, await refused.text());
    // Nothing of the service itself is theirs.
    assert.equal((await ask('/data/measurements', tokens.north)).status, 403);
  });

  test('lets somebody do at a site what is granted there, and records it with the site', async () => {
    const write = (at: string, name: string, token: string) =>
      ask(`/sites/${at}/data/commands/${name}?value=i7`, token, 'PUT').then(({ status }) => status);
    assert.equal(await write(ids.north, 'lamp', tokens.north), 204);
    assert.equal(await write(ids.north, 'nothing', tokens.north), 404);
    assert.equal(await write(ids.north, 'lamp', tokens.hall), 403);
    const hall = await get<object>(`/sites/${ids.north}/data/measurements`, tokens.hall);
    assert.deepEqual(Object.keys(hall), ['dead']);
    const [seen] = Object.values(await get<Record<string, CentreSite>>('/sites', tokens.hall));
    assert.deepEqual([seen?.name, seen?.points, seen?.uplink], ['north', null, null]);
    const { records } = await get<{ records: AuditRecord[] }>('/audit?operation=writeCommand');
    assert.deepEqual(
      records.map(({ who, object, site, result }) => [who, object, site, result]),
      [
        ['token/hall_token', 'lamp', ids.north, 'not-allowed'],
        ['token/north_token', 'nothing', ids.north, 'unknown-object'],
        ['token/north_token', 'lamp', ids.north, 'done'],
      ],
    );
    assert.deepEqual([...new Set(records.map(({ source }) => source))], ['10.1.2.3']);
  });

  test('records what is asked over the channel of a site, with what the site has answered', async (t) => {
    const headers = { authorization: `Bearer ${tokens.north}`, 'x-forwarded-for': '10.1.2.3' };
    const channel = await ChannelSocket.open(`${centre.url}/sites/${ids.north}`, undefined, headers);
    cleanupOf(t).defer(() => channel.close());
    const since = (await get<{ records: AuditRecord[] }>('/audit?limit=1')).records[0]?.seq ?? 0;
    const writes = [{ name: 'lamp', value: 'i3' }, { name: 'nothing', value: 'i3' }, { name: 'lamp' }];
    const { result, results } = await channel.ask({ request: 'WriteCommands', writes });
    assert.deepEqual([result, results?.map((each) => each.result)], [false, [true, false, false]]);
    await channel.ask({ request: 'OperateAlarms', operations: [{ name: 'fire', opcode: 'acknowledge' }] });
    await channel.ask({ request: 'ReadMeasurements', names: ['dead'] });
    const recorded = await until('all of it is recorded', async () => {
      const { records } = await get<{ records: AuditRecord[] }>('/audit?limit=50');
      const own = records.filter(({ seq, who }) => seq > since && who === 'token/north_token');
      return own.length >= 4 && own;
    });
    assert.deepEqual(
      recorded
        .toSorted((a, b) => a.seq - b.seq)
        .map(({ operation, object, site, source, result }) => [operation, object, site, source, result]),
      [
        ['writeCommand', 'lamp', ids.north, '10.1.2.3', 'done'],
        ['writeCommand', 'nothing', ids.north, '10.1.2.3', 'unknown-object'],
        ['writeCommand', 'lamp', ids.north, '10.1.2.3', 'invalid-body'],
        ['acknowledgeAlarm', 'fire', ids.north, '10.1.2.3', 'done'],
      ],
    );
  });

  test('says in the catalogue what can be asked of a site, and has the figures of each site as metrics', async () => {
    const operations = await get<Record<string, { 'at-sites': boolean }>>('/data/operations');
    const isAt = (name: string) => operations[name]?.['at-sites'];
    assert.deepEqual(
      [isAt('writeCommand'), isAt('render'), isAt('listSites'), isAt('putUser')],
      [true, true, false, false],
    );
    const metrics = await (await ask('/metrics', tokens.chief)).text();
    assert.match(metrics, /telltale_centre_site_up\{site="00000000000000aa",name="north"\} 1/);
    assert.match(metrics, /telltale_centre_site_lag_seconds\{site="00000000000000aa",name="north"\} \d/);
  });

  test('raises an alarm on what it says of a site, which it reads of itself with a token', async () => {
    const vars = { baseUrl: centre.url, token: tokens.chief };
    const lag = { datatype: 'd', connectorName: 'self', address: '/sites/north#/uplink/lag-seconds' };
    const operations = [
      put('connectors', 'self', { stackName: 'http', vars }),
      put('measurements', 'north_lag', { ...lag, properties: { scanPeriod: '500' } }),
      put('alarms', 'north_behind', {
        severity: 2,
        trgMeasurement: 'north_lag',
        trgOperator: 'ge',
        trgRefValue: '0',
        description: 'Site north is behind',
      }),
    ];
    const response = await fetch(`${centre.config}/cfgdb/txn?render=1`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tokens.chief}`, 'content-type': 'application/json' },
      body: JSON.stringify({ operations }),
    });
    assert.equal(response.status, 204, await response.text());
    await until('it is raised', async () => {
      return (await get<{ state: string }>('/data/alarms/north_behind')).state === 'ACT_UNACK';
    });
  });

  test('shows all of it to people at a terminal', { skip: noTerminal }, () => {
    const shown = (...args: string[]) => {
      const env = { TELLTALE_TOKEN: tokens.chief, NO_COLOR: '1' };
      const { code, stdout, stderr } = runOnTerminal(args, { url: centre.url, env });
      assert.equal(code, 0, `${stdout}${stderr}`);
      return stdout;
    };
    assert.match(shown('sites'), /^north +00000000000000aa +up /m);
    assert.match(shown('sites', 'alarms', '--of-sites', 'north'), /^north +fire +1 /m);
    assert.match(shown('sites', 'points', '--area', 'hall', '--bad'), /^north +dead /m);
    assert.match(shown('sites', 'history', '--into', 'ACT_UNACK'), / north +fire /);
  });

  test('says of each site what adds up: what it has stored is in the store, waits, or is lost', async () => {
    const site = await until('all is sent', async () => {
      const now = await siteOf('north');
      return now?.uplink?.['waiting-records'] === 0 && now.uplink['stored-records'] > 0 && now;
    });
    const count = async () =>
      Number(
        await postgres.query(`SELECT count(*) FROM telltale.unpacked WHERE site_id = '${ids.north}'`, {
          database: 'plant',
        }),
      );
    await until('it is sealed', async () => {
      const now = (await siteOf('north'))?.uplink;
      const accounted = (await count()) + (now?.['waiting-records'] ?? 0) + (now?.['lost-records'] ?? 0);
      return accounted === now?.['stored-records'];
    });
    assert.deepEqual([site.uplink?.['lost-records'], site.uplink?.['lost-since']], [0, null]);
    assert.ok((site.uplink?.['lag-seconds'] ?? -1) >= 0);
  });
});
