// Promises of the list of transitions of all alarms, against the real server with users: over HTTP, by the client, on a terminal.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { TelltaleClient, type TelltaleProblem } from '@telltale/client';
import type { AlarmTransitions } from '@telltale/schema';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { runCli } from './cli-process.ts';
import { makeTokens } from './granted-server.ts';
import { put } from './live-plant.ts';
import { type ServerProcess, startServer } from './server-process.ts';

const archMode = 'change';
const plant = [
  put('alarms', 'north_high', { severity: 1, area: 'north.works', description: 'Level too high', archMode }),
  put('alarms', 'north_low', { severity: 2, area: 'north', description: 'Level too low', archMode }),
  put('alarms', 'south_fire', { severity: 0, area: 'south', description: 'Fire', archMode }),
  put('alarms', 'anywhere', { severity: 2, description: 'Door open', archMode }),
  put('alarms', 'gone', { severity: 2, area: 'south', description: 'Was there', archMode }),
  put('alarms', 'silent', { severity: 2 }),
];

describe('the list of transitions', () => {
  const cleanup = suiteCleanup();
  const folder = temporaryFolder(cleanup);
  let server: ServerProcess;
  let tokens: Awaited<ReturnType<typeof makeTokens<'north'>>>;
  let chief: TelltaleClient;

  before(async () => {
    const open = await startServer(cleanup, { data: folder });
    const configure = async (operations: unknown) => {
      const answer = await open.send('POST', '/cfgdb/txn?render=1', { operations });
      assert.equal(answer.status, 204, await answer.text());
    };
    await configure(plant);
    for (const operation of ['activate', 'acknowledge', 'deactivate']) {
      for (const { name } of plant) {
        const answer = await fetch(`${open.url}/data/alarms/${name}/${operation}`, { method: 'POST' });
        assert.equal(answer.status, 204);
      }
    }
    await configure([{ operation: 'delete', family: 'alarms', name: 'gone' }]);
    await open.end();
    tokens = await makeTokens(folder, { north: [{ role: 'viewer', area: 'north' }] });
    server = await startServer(cleanup, { data: folder });
    chief = new TelltaleClient({ url: server.url, token: tokens.chief });
  });

  const ask = async (query: string, token = tokens.chief): Promise<AlarmTransitions> => {
    const url = `${server.url}/data/archive/alarms/transitions?t_since=-3600${query}`;
    const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
    assert.equal(answer.status, 200);
    return (await answer.json()) as AlarmTransitions;
  };
  const shown = ({ transitions }: AlarmTransitions) => transitions.map(({ name, state }) => `${name} ${state}`);
  const namesOf = ({ transitions }: AlarmTransitions) => [...new Set(transitions.map(({ name }) => name))].sort();

  test('has what each alarm did, also one that is configured no more, the newest first', async () => {
    const page = await ask('');
    const operated = ['north_high', 'north_low', 'south_fire', 'anywhere', 'gone'].reverse();
    assert.deepEqual(
      shown(page),
      ['INACT_ACK', 'ACT_ACK', 'ACT_UNACK'].flatMap((state) => operated.map((name) => `${name} ${state}`)),
    );
    assert.equal(page.next, undefined);
    assert.deepEqual(Object.keys(page.transitions[0] ?? {}).sort(), ['authority', 'description', 'name', 'state', 't']);
  });

  test('comes page by page, each transition once', async () => {
    const whole = shown(await ask(''));
    const first = await ask('&limit=4');
    const rest = await ask(`&before=${first.next}`);
    assert.deepEqual([...shown(first), ...shown(rest)], whole);
    const pages = [];
    for await (const page of chief.archive.allTransitions({ since: -3600, limit: 2 })) pages.push(page);
    assert.deepEqual(
      pages.map(({ length }) => length),
      [2, 2, 2, 2, 2, 2, 2, 1],
    );
  });

  test('is of the alarms that are selected, and of the transitions that are meant', async () => {
    assert.deepEqual(namesOf(await ask('&area=north')), ['north_high', 'north_low']);
    assert.deepEqual(namesOf(await ask('&names=north_*,gone')), ['gone', 'north_high', 'north_low']);
    assert.deepEqual(namesOf(await ask('&severity=2')), ['anywhere', 'north_low']);
    assert.deepEqual(namesOf(await ask('&search=LEVEL%20high')), ['north_high']);
    assert.deepEqual(shown(await ask('&names=gone&state=ACT_UNACK,ACT_ACK')), ['gone ACT_ACK', 'gone ACT_UNACK']);
    assert.deepEqual(shown(await ask('&search=was&state=ACT_ACK')), ['gone ACT_ACK']);
    assert.deepEqual(shown(await ask('&simulated=only')), []);
    assert.deepEqual(shown(await ask('&names=silent,nobody')), []);
    const { transitions } = await ask('&names=gone');
    const interval = { since: transitions[1]?.t ?? [0, 0], until: transitions[0]?.t } as const;
    assert.deepEqual(shown(await chief.archive.transitions({ ...interval, names: ['gone'] })), ['gone ACT_ACK']);
  });

  test('has nothing of alarms that its reader does not see, whatever is asked for', async () => {
    for (const query of ['', '&names=*', '&names=south_fire,north_low,north_high', '&area=south,north', '&search=e']) {
      assert.deepEqual(namesOf(await ask(query, tokens.north)), ['north_high', 'north_low'], query);
    }
    assert.deepEqual(await ask('&area=south', tokens.north), { transitions: [] });
    const { next } = await ask('&limit=1');
    assert.deepEqual(namesOf(await ask(`&before=${next}`, tokens.north)), ['north_high', 'north_low']);
  });

  test('refuses what says nothing, and says where', async () => {
    for (const [options, path] of [
      [{ before: 'yesterday' }, 'before'],
      [{ limit: 0 }, 'limit'],
      [{ limit: 10_001 }, 'limit'],
      [{ severity: -1 }, 'severity'],
      [{ states: ['ACT'] as never }, 'state'],
      [{ search: ' ' }, 'search'],
    ] as const) {
      await assert.rejects(chief.archive.transitions({ since: -60, ...options }), (error: TelltaleProblem) => {
        assert.deepEqual([error.status, error.errors[0]?.path], [400, path]);
        return true;
      });
    }
    await assert.rejects(chief.archive.transitions({ since: -60, until: -120 }), /t_since/);
  });

  test('is a command of the command line', async () => {
    const run = (...args: string[]) => {
      return runCli(['alarms', 'history', ...args], { url: server.url, env: { TELLTALE_TOKEN: tokens.chief } });
    };
    const listed = await run('--area', 'north', '--into', 'ACT_ACK', '--severity', '1');
    assert.equal(listed.code, 0, listed.stderr);
    assert.deepEqual(
      (JSON.parse(listed.stdout) as AlarmTransitions['transitions']).map(({ name, state }) => `${name} ${state}`),
      ['north_high ACT_ACK'],
    );
    const json = await run('--limit', '7');
    assert.equal((JSON.parse(json.stdout) as unknown[]).length, 7);
    assert.match(json.stderr, /There are older ones: --limit 70/);
    assert.match((await run('nobody')).stderr, /There is no alarm "nobody"/);
    assert.equal((await run('--since', '2001-01-01', '--until', '2001-01-02')).stdout, '[]\n');
  });
});
