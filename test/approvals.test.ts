// Signatures and second persons, at the real server: what must be confirmed is not done by just asking for it, whatever way
// that comes; what waits for approval is done once at most, by two people, and only as it was requested.
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { Approval, AuditRecord } from '@telltale/schema';
import { cleanupOf, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { ChannelSocket } from './channel-socket.ts';
import { type Answer, closeServer, makeToken, makeUser, Person, password, signIn } from './closed-server.ts';
import { type ServerProcess, startServer } from './server-process.ts';
import { until } from './until.ts';

const put = (family: string, name: string, object: object) => ({
  operation: 'put',
  family,
  name,
  object: { name, ...object },
});
const command = (name: string, confirm: string, more: object = {}) =>
  put('commands', name, {
    datatype: 'i',
    area: 'hall.1',
    euRangeLo: '0',
    euRangeHi: '100',
    rawRangeLo: '0',
    rawRangeHi: '100',
    properties: { confirm, confirmExcept: 'token/recipes' },
    ...more,
  });
const plant = [
  put('connectors', 'bench', { stackName: 'simulator' }),
  command('free', 'none'),
  command('told', 'reason'),
  command('signed', 'sign'),
  command('double', 'two-person'),
  command('slow', 'two-person', { connectorName: 'bench', address: 'echo(gate)' }),
  command('elsewhere', 'two-person', { area: 'hall.2' }),
  put('commands', 'late', { datatype: 'b', connectorName: 'bench', address: 'slow_write(of=slow, delay=50)' }),
  put('measurements', 'level', { datatype: 'd', area: 'hall.1' }),
];

const reason = 'the tank must be emptied';
const problemIn = ({ text }: Answer) => (JSON.parse(text) as { type: string }).type.replace('/docs/#problem-', '');
const refused = async (answer: Promise<Answer>, status: number, problem: string) => {
  const given = await answer;
  assert.deepEqual([given.status, given.status < 300 ? '' : problemIn(given)], [status, problem], given.text);
};

interface People {
  readonly server: ServerProcess;
  readonly folder: string;
  readonly admin: Person;
  readonly anna: Person;
  readonly bert: Person;
  readonly lead: Person;
}

/** anna and bert operate; lead approves. */
async function start(t: TestContext, args: readonly string[] = []): Promise<People> {
  const folder = temporaryFolder(t);
  const first = await startServer(t, { data: folder, args: ['--no-demo'] });
  const answer = await first.send('POST', '/cfgdb/txn?render=1', { operations: plant });
  assert.equal(answer.status, 204, await answer.text());
  await first.end();
  const server = await startServer(t, { data: folder, args: ['--write-timeout', '60s', ...args] });
  const admin = await closeServer(server, folder);
  await admin.do('PUT', '/access/users/root_admin', { grants: [{ role: 'administrator' }, { role: 'engineer' }] });
  const anna = await makeUser(server, admin, 'anna', [{ role: 'operator' }]);
  const bert = await makeUser(server, admin, 'bert', [{ role: 'operator' }]);
  const lead = await makeUser(server, admin, 'lead', [{ role: 'shift-lead', area: 'hall.1' }]);
  return { server, folder, admin, anna, bert, lead };
}

const write = (name: string, value = 'i7', signature: object = { password }) => ({
  operation: 'writeCommand',
  input: { name, value },
  reason,
  signature,
});
const request = (person: Person, name: string, value?: string) =>
  person.do<Approval>('POST', '/data/approvals', write(name, value));
const approve = (person: Person, { id }: Approval, signature: object = { password }) =>
  person.ask('POST', `/data/approvals/${id}/approve`, signature);
const valueIn = async (person: Person, name: string) =>
  (await person.do<{ vt: [string] }>('GET', `/data/commands/${name}`)).vt[0];
const stateOf = async (person: Person, { id }: Approval) =>
  (await person.do<Approval>('GET', `/data/approvals/${id}`)).state;
const recordsOf = async (admin: Person, query: string) =>
  (await admin.do<{ records: AuditRecord[] }>('GET', `/audit?limit=100&${query}`)).records;

describe('a command that must be confirmed', () => {
  test('wants a reason, a signature or a second person, over HTTP and the channel', async (t) => {
    const { server, anna, admin } = await start(t);
    await anna.do('PUT', '/data/commands/free?value=i1');
    await refused(anna.ask('PUT', '/data/commands/told?value=i1'), 403, 'reason-needed');
    await refused(anna.ask('PUT', '/data/commands/told?value=i1&reason='), 400, 'invalid-query');
    await refused(anna.ask('PUT', '/data/commands/told?value=i1&reason=%20%20'), 403, 'reason-needed');
    await refused(anna.ask('POST', '/data/approvals', { ...write('signed'), reason: ' ' }), 403, 'reason-needed');
    await anna.do('PUT', `/data/commands/told?value=i1&reason=${encodeURIComponent(reason)}`);
    for (const name of ['signed', 'double']) {
      await refused(anna.ask('PUT', `/data/commands/${name}?value=i1&reason=because`), 403, 'signature-needed');
    }
    const channel = await ChannelSocket.open(server.url, undefined, { ...anna.headers, origin: server.url });
    cleanupOf(t).defer(() => channel.close());
    const names = ['free', 'told', 'signed', 'double'];
    const answer = await channel.ask({
      request: 'WriteCommands',
      writes: names.map((name) => ({ name, value: 'i2' })),
    });
    assert.deepEqual(
      answer.results?.map(({ result }) => result),
      [true, false, false, false],
    );
    const told = await channel.ask({ request: 'WriteCommands', writes: [{ name: 'told', value: 'i3', reason }] });
    assert.equal(told.result, true);
    assert.deepEqual(await Promise.all(names.map((name) => valueIn(anna, name))), ['i2', 'i3', 'i0', 'i0']);
    const [record] = await recordsOf(admin, 'operation=writeCommand&object=told');
    assert.deepEqual([record?.who, record?.reason, record?.result], ['anna', reason, 'done']);
  });

  test('is written by who signs it with a password, which is checked each time', async (t) => {
    const { anna, admin } = await start(t);
    await refused(
      anna.ask('POST', '/data/approvals', write('signed', 'i7', { password: 'wrong' })),
      401,
      'wrong-credentials',
    );
    await refused(anna.ask('POST', '/data/approvals', write('signed', 'i700')), 400, 'out-of-range');
    await refused(anna.ask('POST', '/data/approvals', write('nowhere')), 404, 'unknown-object');
    const done = await request(anna, 'signed');
    assert.deepEqual([done.state, done.live, done.requester], ['done', 'i7', 'anna']);
    const [written] = await recordsOf(admin, 'operation=writeCommand&object=signed');
    assert.deepEqual([written?.who, written?.new, written?.reason, written?.result], ['anna', 'i7', reason, 'done']);
  });

  test('counts signing in a moment ago as one signature', async (t) => {
    const { anna } = await start(t);
    const unsigned = write('signed', 'i7', {});
    assert.equal((await anna.do<Approval>('POST', '/data/approvals', unsigned)).state, 'done');
    await refused(anna.ask('POST', '/data/approvals', unsigned), 403, 'signature-needed');
  });

  test('is refused to programs unless it names them, and while there are no users', async (t) => {
    const { server, anna, admin } = await start(t);
    const operator = [{ role: 'operator' }];
    const expires = Math.floor(Date.now() / 1000) + 3600;
    // Else anna would do alone what a second person has to approve.
    await refused(anna.ask('POST', '/access/tokens/recipes', { grants: operator, expires }), 403, 'not-allowed');
    const recipes = await makeToken(server, admin, 'recipes', operator);
    const other = await makeToken(server, anna, 'other', operator);
    await recipes.do('PUT', '/data/commands/double?value=i9');
    await refused(other.ask('PUT', '/data/commands/double?value=i9&reason=x'), 403, 'signature-needed');
    await refused(other.ask('POST', '/data/approvals', write('double')), 400, 'invalid-body');
    assert.equal(await valueIn(admin, 'double'), 'i9');
    const open = await startServer(t, { data: temporaryFolder(t), args: ['--no-demo'] });
    assert.equal((await open.send('POST', '/cfgdb/txn?render=1', { operations: plant })).status, 204);
    const local = new Person(open.url);
    await refused(local.ask('PUT', '/data/commands/signed?value=i9'), 403, 'signature-needed');
    await refused(local.ask('POST', '/data/approvals', write('signed')), 409, 'not-initialized');
  });
});

describe('a request for approval', () => {
  test('shows what is asked for beside what is, and is done when a second person approves it', async (t) => {
    const { anna, bert, lead, admin } = await start(t);
    await refused(anna.ask('POST', '/data/approvals', write('double', 'i700')), 400, 'out-of-range');
    const asked = await request(anna, 'double');
    const {
      state,
      input,
      live,
      reason: why,
      requester,
      created,
      ends,
    } = await lead.do<Approval>('GET', `/data/approvals/${asked.id}`);
    assert.deepEqual(
      { state, input, live, why, requester, seconds: ends - created },
      {
        state: 'pending',
        input: { name: 'double', value: 'i7' },
        live: 'i0',
        why: reason,
        requester: 'anna',
        seconds: 300,
      },
    );
    assert.match((await admin.ask('GET', '/metrics')).text, /^telltale_approvals_pending 1$/m);
    await refused(approve(anna, asked), 403, 'not-allowed');
    await refused(approve(bert, asked), 403, 'not-allowed');
    await refused(approve(lead, asked, { password: 'wrong' }), 401, 'wrong-credentials');
    assert.equal(await valueIn(anna, 'double'), 'i0');
    await refused(approve(lead, asked), 204, '');
    assert.equal(await valueIn(anna, 'double'), 'i7');
    assert.equal(await stateOf(anna, asked), 'done');
    const [written] = await recordsOf(admin, 'operation=writeCommand&object=double');
    assert.deepEqual([written?.who, written?.approver, written?.reason], ['anna', 'lead', reason]);
    const approvals = await recordsOf(admin, 'operation=approveAction&object=double');
    assert.deepEqual(
      approvals.map(({ who, result }) => [who, result]),
      [
        ['lead', 'done'],
        ['lead', 'wrong-credentials'],
        ['bert', 'not-allowed'],
        ['anna', 'not-allowed'],
      ].map(([who, result]) => [result === 'wrong-credentials' ? 'lead' : who, result]),
    );
  });

  test('can be approved at the station of who has requested it, by somebody else who signs there', async (t) => {
    const { anna } = await start(t);
    const asked = await request(anna, 'double');
    await refused(approve(anna, asked, { user: 'bert', password }), 403, 'not-allowed');
    await refused(approve(anna, asked, { user: 'lead', password }), 204, '');
    assert.equal(await valueIn(anna, 'double'), 'i7');
    const { approver } = await anna.do<Approval>('GET', `/data/approvals/${asked.id}`);
    assert.equal(approver, 'lead');
  });

  test('is approved once, however many approve it at the same moment', async (t) => {
    const { server, admin, anna, lead } = await start(t);
    const second = await makeUser(server, admin, 'second', [{ role: 'shift-lead' }]);
    const asked = await request(anna, 'double');
    const answers = await Promise.all([lead, second, lead, second].map((person) => approve(person, asked)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 409, 409, 409]);
    const written = await recordsOf(admin, 'operation=writeCommand&object=double');
    assert.equal(written.length, 1);
  });

  test('is withdrawn by its requester, rejected by who could approve it, and then stays so', async (t) => {
    const { anna, bert, lead } = await start(t);
    const [one, other] = [await request(anna, 'double'), await request(anna, 'double', 'i8')];
    await refused(bert.ask('POST', `/data/approvals/${one.id}/reject`), 403, 'not-allowed');
    await anna.do('POST', `/data/approvals/${one.id}/reject`);
    await lead.do('POST', `/data/approvals/${other.id}/reject?reason=not%20now`);
    assert.deepEqual([await stateOf(anna, one), await stateOf(anna, other)], ['withdrawn', 'rejected']);
    for (const each of [one, other]) await refused(approve(lead, each), 409, 'approval-ended');
    assert.equal(await valueIn(anna, 'double'), 'i0');
  });

  test('is not done once the rendering is another one', async (t) => {
    const { admin, anna, lead } = await start(t);
    const asked = await request(anna, 'double');
    await admin.do('POST', '/config/v2/cfgdb/render?force=1');
    await refused(approve(lead, asked), 409, 'approval-ended');
    assert.equal(await stateOf(anna, asked), 'failed');
    assert.equal(await valueIn(anna, 'double'), 'i0');
  });

  test('is not done once its requester may not write any more', async (t) => {
    const { admin, anna, lead } = await start(t);
    const [regranted, disabled] = [await request(anna, 'double'), await request(anna, 'double')];
    await admin.do('PUT', '/access/users/anna', { grants: [{ role: 'viewer' }] });
    await refused(approve(lead, regranted), 403, 'not-allowed');
    await admin.do('PUT', '/access/users/anna', { grants: [{ role: 'operator' }], disabled: true });
    await refused(approve(lead, disabled), 403, 'not-allowed');
    assert.equal(await valueIn(lead, 'double'), 'i0');
  });

  test('of what one may not see is as one that is not there', async (t) => {
    const { anna, lead } = await start(t);
    const { id = '' } = await request(anna, 'elsewhere');
    const unknown = (path: string) => path.replace(id, 'no-such-id');
    for (const [method, path, body] of [
      ['GET', `/data/approvals/${id}`, undefined],
      ['POST', `/data/approvals/${id}/approve`, { password }],
      ['POST', `/data/approvals/${id}/reject`, undefined],
    ] as const) {
      const [hidden, absent] = [await lead.ask(method, path, body), await lead.ask(method, unknown(path), body)];
      assert.equal(hidden.status, 404);
      assert.equal(hidden.text.replaceAll(id, 'no-such-id'), absent.text);
    }
    assert.deepEqual(await lead.do('GET', '/data/approvals'), []);
    assert.equal((await anna.do<Approval[]>('GET', '/data/approvals')).length, 1);
  });

  test('tells nothing more of its object to a requester who may not view that any more', async (t) => {
    const { admin, anna } = await start(t);
    const asked = await request(anna, 'double');
    assert.equal(asked.live, 'i0');
    await admin.do('PUT', '/access/users/anna', { grants: [{ role: 'viewer', area: 'hall.2' }] });
    const one = await anna.do<Approval>('GET', `/data/approvals/${asked.id}`);
    const [listed] = await anna.do<Approval[]>('GET', '/data/approvals');
    assert.deepEqual([one.state, one.live, listed?.id, listed?.live], ['pending', undefined, asked.id, undefined]);
  });

  test('is never sent again after a kill between approval and outcome', async (t) => {
    const { server, folder, admin, anna, lead } = await start(t);
    await admin.do('PUT', '/data/commands/late?value=b1');
    const asked = await request(anna, 'slow');
    const pending = approve(lead, asked).catch(() => undefined);
    await until('it is being sent', async () => (await stateOf(anna, asked)) === 'sending');
    await server.end('SIGKILL');
    await pending;
    const again = await startServer(t, { data: folder, args: ['--no-demo'] });
    const people = { anna: await signIn(again, 'anna'), lead: await signIn(again, 'lead') };
    assert.equal(await stateOf(people.anna, asked), 'unknown');
    await refused(approve(people.lead, asked), 409, 'approval-ended');
    assert.equal(await valueIn(people.anna, 'slow'), 'i0');
    const root = await signIn(again, 'root_admin');
    const records = await recordsOf(root, 'operation=approveAction&object=slow');
    assert.deepEqual(
      records.map(({ who, result }) => [who, result]),
      [
        ['lead', 'approval-ended'],
        ['lead', 'internal'],
      ],
    );
    assert.deepEqual(await recordsOf(root, 'operation=writeCommand&object=slow'), []);
  });

  test('that waits outlives a restart', async (t) => {
    const { server, folder, anna } = await start(t);
    const asked = await request(anna, 'double');
    await server.end();
    const again = await startServer(t, { data: folder, args: ['--no-demo'] });
    const lead = await signIn(again, 'lead');
    await refused(approve(lead, asked), 204, '');
    assert.equal(await valueIn(lead, 'double'), 'i7');
  });
});

describe('settings of the service', () => {
  test('have renderings, erasing and simulations confirmed, whatever operation renders', async (t) => {
    const { admin, anna, lead } = await start(t, [
      ...['--confirm-render', 'two-person', '--confirm-erase', 'sign', '--confirm-simulate', 'reason'],
    ]);
    await admin.do('PUT', '/access/roles/chief', { permissions: ['view', 'approve', 'simulate', 'erase-archive'] });
    const edit = { operations: [command('free', 'reason')] };
    await refused(admin.ask('POST', '/config/v2/cfgdb/txn?render=1&comment=x', edit), 403, 'signature-needed');
    await admin.do('POST', '/config/v2/cfgdb/txn', edit);
    await refused(admin.ask('POST', '/config/v2/cfgdb/render?comment=x'), 403, 'signature-needed');
    const render = { operation: 'render', input: {}, reason, signature: { password } };
    const stale = await admin.do<Approval>('POST', '/data/approvals', render);
    await admin.do('PUT', '/config/v2/measurements/extra', { name: 'extra', datatype: 'd' });
    await admin.do('PUT', '/access/users/lead', { grants: [{ role: 'shift-lead' }] });
    await refused(approve(lead, stale), 409, 'approval-ended');
    const asked = await admin.do<Approval>('POST', '/data/approvals', render);
    await refused(approve(lead, asked), 204, '');
    await refused(anna.ask('PUT', '/data/commands/free?value=i1'), 403, 'reason-needed');
    await refused(lead.ask('PUT', '/data/measurements/level?value=d5'), 403, 'reason-needed');
    await lead.do('PUT', `/data/measurements/level?value=d5&reason=test`);
    await refused(admin.ask('DELETE', '/data/archive/measurements/level/0/0?reason=x'), 403, 'signature-needed');
    const erase = { operation: 'eraseMeasurementArchive', input: { name: 'level', t_since: -60, t_until: 0 } };
    const erased = await admin.do<Approval>('POST', '/data/approvals', { ...erase, reason, signature: { password } });
    assert.equal(erased.state, 'done');
  });

  test('refuse a level or a program that there is not', async (t) => {
    const { server } = await start(t);
    const open = await server.send('GET', '/cfgdb/render');
    assert.equal(open.status, 401);
    const fresh = await startServer(t, { data: temporaryFolder(t), args: ['--no-demo'] });
    const wrong = put('commands', 'valve', { datatype: 'b', properties: { confirm: 'maybe', confirmExcept: 'anna' } });
    const answer = await fresh.send('POST', '/cfgdb/txn?render=1', { operations: [wrong] });
    const { errors } = (await answer.json()) as { errors: { path: string }[] };
    assert.deepEqual(errors.map(({ path }) => path).sort(), [
      '/commands/valve/properties/confirm',
      '/commands/valve/properties/confirmExcept',
    ]);
  });
});
