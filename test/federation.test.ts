// Two sites and a centre, each a server of its own, on a real bus and a real store: what a site has is at the centre, and what is asked
// for there is done at the site, in time or never.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { TelltaleClient } from '@telltale/client';
import type { CentreSite, Overview } from '@telltale/schema';
import { cleanupOf, type Scope, suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { counterName, countersArgs, makeCounters, tick } from './counters-plant.ts';
import { Nats, withoutNats } from './engines/nats.ts';
import { Postgres } from './engines/postgres.ts';
import { withoutPostgres } from './engines/postgres-programs.ts';
import { type ServerProcess, startServer } from './server-process.ts';
import { until } from './until.ts';

const skip = withoutNats || withoutPostgres('15');

/** The server of a site as it is at the centre. */
class AtCentre {
  readonly id: string;
  readonly url: string;

  constructor(centre: ServerProcess, site: string) {
    this.id = site;
    this.url = `${centre.url}/sites/${site}`;
  }

  async get<T>(path: string): Promise<T> {
    const response = await fetch(`${this.url}${path}`);
    assert.equal(response.status, 200, `${path}: ${response.status} ${response.ok ? '' : await response.text()}`);
    return (await response.json()) as T;
  }

  put(path: string, body?: unknown): Promise<Response> {
    const json =
      body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
    return fetch(`${this.url}${path}`, { method: 'PUT', ...json });
  }
}

/** Answered at the centre: the site says which start of it its answers are of. */
const isMirrored = async (site: AtCentre) => {
  const response = await fetch(`${site.url}/data/measurements`);
  await response.arrayBuffer();
  return response.headers.get('etag')?.includes(site.id) === true;
};

const liveValue = async (site: AtCentre, name: string) => {
  const { vtq } = await site.get<{ vtq: [string, unknown, number] }>(`/data/measurements/${name}`);
  return vtq[0];
};

describe('a centre', { skip }, () => {
  const scope = suiteCleanup();
  let nats: Nats;
  let centre: ServerProcess;
  let startCentre: () => Promise<ServerProcess>;
  before(async () => {
    const postgres = await Postgres.start(scope);
    const { store, env } = await postgres.addPlant();
    nats = await Nats.start(scope);
    const args = ['--store', store.href, '--bus', nats.urls[0] ?? '', '--site', 'Centre'];
    const data = join(temporaryFolder(scope), 'data');
    startCentre = () => startServer(scope, { data, env, args });
    centre = await startCentre();
  });

  const sites = async () => (await (await fetch(`${centre.url}/sites`)).json()) as Record<string, CentreSite>;
  const siteNamed = async (name: string) => Object.values(await sites()).find((site) => site.name === name);

  async function startSite(t: Scope, name: string, data = join(temporaryFolder(t), 'data')) {
    const args = [...countersArgs, '--bus', nats.urls[0] ?? '', '--site', name];
    const server = await startServer(t, { data, args });
    const { id } = await until(`${name} is there`, async () => {
      const site = await siteNamed(name);
      return site?.state === 'up' && site;
    });
    return { server, id, data, there: new AtCentre(centre, id) };
  }

  function untilAllIsSent(name: string): Promise<CentreSite> {
    return until('all is in the store', async () => {
      const site = await siteNamed(name);
      return (site?.uplink?.['sent-records'] ?? 0) >= 200 && site?.uplink?.['waiting-records'] === 0 && site;
    });
  }

  async function plantAt({ server }: { readonly server: ServerProcess }): Promise<void> {
    await makeCounters(server, { points: 10, periodMs: 1, alarms: ['flood'], archMode: 'change' });
    await tick(server, 20);
  }

  test('lists its sites, with what of their archives the store has', async (t) => {
    const north = await startSite(t, 'north');
    await plantAt(north);
    const { uplink, version, error } = await untilAllIsSent('north');
    assert.deepEqual([uplink?.error, error, typeof version], [null, null, 'string']);
    assert.equal(uplink?.['lost-records'], 0);
  });

  test('has the whole interface of each site below its base', async (t) => {
    const [east, west] = [await startSite(t, 'east'), await startSite(t, 'west')];
    await Promise.all([plantAt(east), plantAt(west)]);
    const name = counterName(3);
    await tick(west.server, 5);
    await until('both have counted', async () => {
      const [one, other] = await Promise.all([east, west].map(({ there }) => liveValue(there, name)));
      return one === 'i20' && other === 'i25';
    });
    const own = (await (await fetch(`${east.server.url}/data/measurements`)).json()) as object;
    assert.deepEqual(await east.there.get('/data/measurements'), own);
    await until('the centre answers itself', () => isMirrored(east.there));
    assert.deepEqual(await east.there.get('/data/measurements'), own);
    const byName = new AtCentre(centre, 'east');
    assert.deepEqual(await byName.get('/data/measurements'), own);

    // A command is carried out, and an engineer works, at the one that is meant.
    assert.equal((await east.there.put('/data/commands/ticks?value=i10')).status, 204);
    await until('it has counted', async () => {
      return (await liveValue(east.there, name)) === 'i30';
    });
    assert.deepEqual(await east.there.get('/requests/never-asked-for'), { state: 'not-begun' });
    const put = await east.there.put('/config/v2/measurements/fresh', { name: 'fresh', datatype: 'd' });
    assert.equal(put.status, 204, await put.text());
    const render = await fetch(`${east.there.url}/config/v2/cfgdb/render`, { method: 'POST' });
    assert.equal(render.status, 204);
    assert.ok('fresh' in (await east.there.get<object>('/data/measurements')));
    assert.ok(!('fresh' in (await west.there.get<object>('/data/measurements'))));
    const trail = await (await fetch(`${east.server.url}/audit?limit=20`)).text();
    assert.match(trail, /centre\/local/);
  });

  test('sends no password and no code to a site, whoever asks for it', async (t) => {
    const { there } = await startSite(t, 'curious');
    const signature = { password: 'correct horse', code: '123456' };
    const ask = (method: string, path: string) =>
      fetch(`${there.url}${path}`, {
        ...{ method, body: JSON.stringify(signature), headers: { 'content-type': 'application/json' } },
      });
    for (const [method, path] of [
      ['POST', '/data/approvals'],
      ['POST', '/v1/approvals/a1/approve?x=y'],
      ['POST', '/access/sign-in'],
      ['PUT', '/access/me/password'],
    ] as const) {
      const refused = await ask(method, path);
      assert.equal(refused.status, 403, path);
      assert.match(await refused.text(), /not-allowed.*at the site itself.*Nothing was sent there/s, path);
    }
    await until('it says who asks', async () => {
      const answer = await fetch(`${there.url}/access/me`);
      return (await answer.text()).includes('"centre/local"') && answer.ok;
    });
  });

  test('says the same of one site, by its id or name, counts them, and has the page of each for browsers', async (t) => {
    const { id, there } = await startSite(t, 'mill');
    for (const wanted of [id, 'mill']) {
      const site = (await (await fetch(`${centre.url}/sites/${wanted}`)).json()) as CentreSite;
      assert.deepEqual([site.id, site.name, site.state], [id, 'mill', 'up']);
    }
    const nobody = await fetch(`${centre.url}/sites/nobody`);
    assert.equal(nobody.status, 404, await nobody.text());
    const { sites: counts } = (await (await fetch(`${centre.url}/data/overview`)).json()) as Overview;
    assert.ok((counts?.up ?? 0) >= 1);
    assert.equal((await there.get<Overview>('/data/overview')).sites, null);
    const goesTo = async (path: string) => {
      const answer = await fetch(`${centre.url}${path}`, { headers: { accept: 'text/html,*/*;q=0.8' } });
      await answer.arrayBuffer();
      return answer.headers.get('content-type');
    };
    for (const path of ['', '/', '/points/level', '/system']) {
      assert.match((await goesTo(`/sites/${id}${path}`)) ?? '', /^text\/html/, path);
    }
    assert.match((await goesTo(`/sites/${id}/data/measurements`)) ?? '', /json/);
  });

  test('has the channel of each site', async (t) => {
    const south = await startSite(t, 'south');
    await plantAt(south);
    const client = new TelltaleClient({ url: `${south.there.url}/` });
    const channel = client.channel();
    cleanupOf(t).defer(() => channel.close());
    let isTicked = false;
    for await (const { updates } of channel.watchMeasurements([counterName(0)])) {
      if (!isTicked) assert.equal(await tick(south.server, 3), 204);
      isTicked = true;
      if (updates.some(({ vtq }) => vtq[0] === 'i23')) break;
    }
  });

  test('says within seconds that a site is gone and why, asks it for nothing then, and has it again when it is back', async (t) => {
    const lost = await startSite(t, 'lost');
    await plantAt(lost);
    await until('the centre has its live values', async () => await isMirrored(lost.there));
    await untilAllIsSent('lost');
    await lost.server.end('SIGKILL');
    // Whoever has looked at it sees that its values count no longer; its history is there.
    const name = counterName(0);
    const gone = await until('it is gone', async () => {
      const site = await siteNamed('lost');
      return site?.state === 'down' && site;
    });
    assert.match(gone.error ?? '', /nothing is heard of it/);
    await until('it is bad', async () => {
      const { vtq } = await lost.there.get<{ vtq: [string, unknown, number] }>(`/data/measurements/${name}`);
      return vtq[0] === 'i20' && vtq[2] < 64;
    });
    const history = await lost.there.get<Record<string, unknown[]>>(`/data/archive/measurements/${name}/1/0`);
    assert.equal(history[name]?.length, 21);
    const refused = await lost.there.put('/data/commands/ticks?value=i1');
    assert.equal(refused.status, 503);
    assert.match(await refused.text(), /site-away.*nothing is heard of it.*Nothing was done/s);
    const again = await startSite(t, 'lost', lost.data);
    assert.equal(again.id, lost.id);
    assert.equal((await again.there.put('/data/commands/ticks?value=i1')).status, 204);
  });

  test('has nobody take the name of a site that is away, also when it was started anew since', async (t) => {
    const harbour = await startSite(t, 'harbour');
    await plantAt(harbour);
    await untilAllIsSent('harbour');
    await harbour.server.end();
    await centre.end();
    centre = await startCentre();
    const args = [...countersArgs, '--bus', nats.urls[0] ?? '', '--site', 'harbour'];
    const data = join(temporaryFolder(t), 'data');
    await startServer(t, { data, args });
    const warnings = await until('it says so', async () => {
      const overview = (await (await fetch(`${centre.url}/data/overview`)).json()) as Overview;
      return overview.warnings.length > 0 && overview.warnings.join();
    });
    assert.match(warnings, new RegExp(`says that it is called "harbour", which is the site ${harbour.id}`));
    const { id } = JSON.parse(readFileSync(join(data, 'site.json'), 'utf8')) as { readonly id: string };
    assert.equal((await sites())[id]?.name, id);
    const refused = await new AtCentre(centre, 'harbour').put('/data/commands/ticks?value=i1');
    assert.deepEqual([refused.status, /unknown-site/.test(await refused.text())], [404, true]);
    const again = await startSite(t, 'harbour', harbour.data);
    assert.equal(again.id, harbour.id);
  });

  test('knows no other site, and says so', async () => {
    const response = await fetch(`${centre.url}/sites/nowhere/data/measurements`);
    assert.equal(response.status, 404);
    assert.match(await response.text(), /unknown-site.*"nowhere\\"/s);
  });
});
