// A site comes to the bus with a code and is taken out again, as people do it: the command line, a server that is a centre, one that is a
// site, and a server of NATS that has nothing but what the centre has made for it.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash, X509Certificate } from 'node:crypto';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import type { BusEnrolled, BusMembers, BusRevoked, CentreSite } from '@telltale/schema';
import { freePort, PeerProcess } from '@telltale/stack-kit/testing';
import { cleanupOf, type Scope, suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import type { DoctorFinding } from '../packages/cli/src/commands/doctor.ts';
import { type CliResult, spawnCli } from './cli-process.ts';
import { Authority, withoutOpenssl } from './engines/authority.ts';
import { withoutNats } from './engines/nats.ts';
import { NatsClient } from './engines/nats-client.ts';
import { moduleArgs, runServer, type ServerProcess, startServer } from './server-process.ts';
import { askTls, type TlsAnswer, type TlsRequest } from './tls-client.ts';
import { until } from './until.ts';

const password = 'correct horse battery staple';

describe('the bus of a centre', { skip: withoutNats || withoutOpenssl }, () => {
  const scope = suiteCleanup();
  const folder = temporaryFolder(scope);
  const data = join(folder, 'centre');
  const ca = join(data, 'tls', 'certificate.pem');
  const nats = join(data, 'bus', 'nats');
  let port: number;
  let centre: ServerProcess;
  let peer: PeerProcess | undefined;
  let token = '';

  before(async () => {
    port = await freePort();
    centre = await startServer(scope, { data, args: argsWith(`tls://127.0.0.1:${port}`) });
    cleanupOf(scope).defer(() => peer?.stop());
    await startNats();
    await done(['access', 'init', 'ann', '--data', data, '--password-stdin'], password);
    const given = ['--as', 'ann', '--password-stdin'];
    ({ token } = JSON.parse(await done(['token', 'make', 'test', 'administrator', ...given], password)) as {
      token: string;
    });
  });

  const argsWith = (bus: string) => ['--tls', '--bus', bus, '--bus-role', 'centre', '--site', 'Centre', ...moduleArgs];

  async function startNats(): Promise<void> {
    const isReady = ({ said }: PeerProcess) => said.includes('Server is ready');
    peer = await PeerProcess.start({ command: 'nats-server', args: ['-c', 'nats.conf'], folder: nats, isReady });
  }

  const ask = (path: string, options: TlsRequest = {}): Promise<TlsAnswer> =>
    askTls(`${centre.url}${path}`, { ca: readFileSync(ca), headers: { authorization: `Bearer ${token}` }, ...options });

  const cli = (args: readonly string[], input = ''): Promise<CliResult> => {
    const env = { XDG_CONFIG_HOME: folder, ...(token !== '' && { TELLTALE_TOKEN: token }) };
    return spawnCli(['--ca-file', ca, ...args], { url: centre.url, input, cwd: folder, env });
  };

  async function done(args: readonly string[], input = ''): Promise<string> {
    const { code, stdout, stderr } = await cli(args, input);
    assert.equal(code, 0, `${args.join(' ')}: ${stdout}${stderr}`);
    return stdout;
  }

  async function refused(args: readonly string[], why: RegExp, input = ''): Promise<void> {
    const { code, stderr } = await cli(args, input);
    assert.equal(code, 1, stderr);
    assert.match(stderr, why);
    assert.doesNotMatch(stderr, /has failed|\bat file:/);
  }

  const inviteCode = async (name: string, ...more: string[]) =>
    (JSON.parse(await done(['site', 'invite', name, '--json', ...more])) as { code: string }).code;
  const members = async () => JSON.parse(await done(['site', 'members', '--json'])) as BusMembers;
  const memberNamed = async (name: string) => (await members()).members.find((each) => each.name === name);
  const enrol = async (name: string, at = join(folder, name)) => {
    await done(['site', 'enrol', '--data', at], await inviteCode(name));
    return at;
  };
  const siteNamed = async (name: string) => {
    const sites = JSON.parse((await ask('/sites')).text) as Record<string, CentreSite>;
    return Object.values(sites).find((each) => each.name === name);
  };
  const untilUp = (name: string) => until(`${name} is there`, async () => (await siteNamed(name))?.state === 'up');

  async function busFindings(at: string): Promise<DoctorFinding[]> {
    const ofCentre = at === data ? ['--bus', `tls://127.0.0.1:${port}`, '--bus-role', 'centre'] : [];
    const { stdout } = await cli(['doctor', '--data', at, ...ofCentre]);
    const { findings } = JSON.parse(stdout) as { findings: DoctorFinding[] };
    return findings.filter(({ check }) => check === 'bus');
  }

  const startSite = (t: Scope, at: string) => startServer(t, { data: at, args: moduleArgs });

  const connect = (at: string) => {
    const of = (name: string) => join(at, 'bus', 'member', `${name}.pem`);
    const authority = { ca: of('authority') } as Authority;
    return NatsClient.connect(port, { authority, pair: { cert: of('certificate'), key: of('key') } });
  };

  test('takes a new site in by a code: its server has all settings, and joins when it is started', async (t) => {
    const code = await inviteCode('North works');
    assert.match(code, /^telltale-bus-1\.[\w-]+$/);
    assert.deepEqual(
      (await members()).invitations.map(({ name, role }) => [name, role]),
      [['North works', 'site']],
    );
    const at = join(folder, 'north');
    const { name, role, bus } = JSON.parse(await done(['site', 'enrol', code, '--data', at])) as BusEnrolled;
    assert.deepEqual([name, role, bus], ['North works', 'site', `tls://127.0.0.1:${port}`]);
    assert.equal(statSync(join(at, 'bus', 'member', 'key.pem')).mode & 0o077, 0);
    const site = await startSite(t, at);
    await untilUp('North works');
    const { value, source } =
      (
        JSON.parse(await (await fetch(`${site.url}/data/settings`)).text()) as Record<
          string,
          { value: string; source: string }
        >
      )['bus-role'] ?? {};
    assert.deepEqual([value, source], ['site', 'enrolment']);
    const member = await memberNamed('North works');
    assert.deepEqual([member?.role, member?.state, member?.id], ['site', 'up', (await siteNamed('North works'))?.id]);
    assert.deepEqual((await members()).invitations, []);
    // What the doctor finds follows from the same settings.
    for (const [folderOf, last] of [
      [at, /^note: Nobody on the bus takes what this site archives/],
      [data, /^ok: 1 site is heard there/],
    ] as const) {
      const findings = (await busFindings(folderOf)).map(({ level, text }) => `${level}: ${text}`);
      assert.match(findings[0] ?? '', /^ok: \S+certificate\.pem is that of CN=\w+\.[^,]+, and valid until 20\d\d-/);
      assert.match(findings[1] ?? '', /^ok: 127\.0\.0\.1:\d+ lets us in: NATS server .* over TLS/);
      assert.match(findings.at(-1) ?? '', last);
    }
    // What the command line says counts more.
    const { stdout } = await runServer(['--data', at, '--port', '0', '--bus', 'x://', '--no-demo']);
    assert.doesNotMatch(stdout, /ready/);
  });

  test('cuts a site off when it is revoked, and does not let it come back without another code', async (t) => {
    const at = await enrol('South');
    const site = await startSite(t, at);
    await untilUp('South');
    const { key } = JSON.parse(readFileSync(join(data, 'bus', 'members.json'), 'utf8')).members.at(-1);
    assert.equal((JSON.parse(await done(['site', 'revoke', 'South'])) as BusRevoked)['is-cut-off'], true);
    // What has come back by then is refused.
    await assert.rejects(connect(at), /Authorization Violation|ended|closed/i);
    await until('it is gone', async () => (await siteNamed('South'))?.state === 'down');
    await until('the site says so', async () => site.log.includes('does not let our certificate in'));
    await site.end();
    const again = await startSite(t, at);
    await until('it says so again', async () => again.log.includes('does not let our certificate in'));
    assert.equal((await siteNamed('South'))?.state, 'down');
    await again.end();
    await refused(['site', 'revoke', 'South'], /no member and no invitation South/);
    await enrol('South', at);
    await startSite(t, at);
    await untilUp('South');
    const [other] = JSON.parse(readFileSync(join(data, 'bus', 'members.json'), 'utf8')).members.slice(-1);
    assert.notEqual(other.key, key);
  });

  test('gives a member another key when its name is invited again, and the old one counts no longer', async () => {
    const at = await enrol('West');
    const old = ['certificate', 'key'].map((name) => readFileSync(join(at, 'bus', 'member', `${name}.pem`)));
    await using first = await connect(at);
    await enrol('West', at);
    await until('the old one is out', async () => !first.isOpen);
    await (await connect(at))[Symbol.asyncDispose]();
    for (const [index, name] of ['certificate', 'key'].entries()) {
      writeFileSync(join(at, 'bus', 'member', `${name}.pem`), old[index] as Buffer);
    }
    await assert.rejects(connect(at));
    // A copy of its name on another machine takes nothing over.
    const code = await inviteCode('West');
    await refused(['site', 'enrol', '--data', join(folder, 'thief')], /West is another server.*site revoke/, code);
  });

  test('says what is wrong with a code: none, used, late, of a stranger, or where nobody answers', async () => {
    const at = ['site', 'enrol', '--data', join(folder, 'wrong')];
    await refused(at, /this is no code of a centre/, 'nonsense');
    const code = await inviteCode('East');
    const [, parts = ''] = code.split('.');
    const [url, fingerprint, id, secret] = JSON.parse(Buffer.from(parts, 'base64url').toString()) as string[];
    const changed = (...all: unknown[]) => `telltale-bus-1.${Buffer.from(JSON.stringify(all)).toString('base64url')}`;
    await refused(at, /ask for another one/, changed(url, fingerprint, id, 'guess'));
    const stranger = createHash('sha256').update('stranger').digest('base64url');
    await refused(at, /not the centre of the code: it shows another certificate/, changed(url, stranger, id, secret));
    await refused(at, /does not speak TLS/, changed(url?.replace('https', 'http'), fingerprint, id, secret));
    await refused(
      at,
      /cannot reach the centre/,
      changed(`https://127.0.0.1:${await freePort()}/`, fingerprint, id, secret),
    );
    assert.ok(!existsSync(join(folder, 'wrong', 'bus.json')));
    await done(at, code);
    await refused(at, /was used/, code);
    await refused(['site', 'enrol', '--data', data], /in use by another running server/, code);
    const { code: exit, stderr } = await cli(['site', 'invite', 'Late', '--for', '30d']);
    assert.deepEqual([exit, /at most/.test(stderr)], [2, true]);
  });

  test('lets in nobody with a certificate of another authority, or without one, and no server that only has the name', async (t) => {
    const at = await enrol('Lost');
    const authority = { ca: join(nats, 'authority.pem') } as Authority;
    await assert.rejects(NatsClient.connect(port, { authority }));
    const { subject } = new X509Certificate(readFileSync(join(at, 'bus', 'member', 'certificate.pem')));
    const foreign = new Authority(t, 'another').issue('foreign', `/${subject}`);
    await assert.rejects(NatsClient.connect(port, { authority, pair: foreign }));
    await using client = await connect(at);
    const before = client.errors.length;
    await client.publish(`up.${(await memberNamed('North works'))?.id}.claim`, 'x');
    assert.equal(client.errors.length, before + 1);
  });

  test('makes codes for whoever else is on the bus: their rights are those of their role', async () => {
    const at = join(folder, 'reader');
    const code = await inviteCode('Reporting', '--role', 'reader');
    assert.equal((JSON.parse(await done(['site', 'enrol', '--data', at], code)) as BusEnrolled).role, 'reader');
    assert.ok(!existsSync(join(at, 'bus.json')));
    await using client = await connect(at);
    const isRefused = async (act: () => Promise<void>) => {
      const before = client.errors.length;
      await act();
      return client.errors.length > before;
    };
    assert.deepEqual(
      [
        await isRefused(() => client.subscribe('live.*.*', () => {})),
        await isRefused(() => client.publish('to.a.b.c', '')),
      ],
      [false, true],
    );
    await refused(['site', 'invite', 'Reporting'], /is a member with the role reader/);
    await refused(['site', 'revoke', 'Centre'], /cut itself off|the centre itself/);
  });

  test('is not impressed by guesses, floods and long bodies: they are refused, counted, and others are served', async () => {
    const at = join(folder, 'flooded');
    const code = await inviteCode('Flooded');
    const body = JSON.stringify({ invitation: 'x', secret: 'y', id: 'z', 'public-key': '-', proof: '' });
    const post = (text: string) =>
      ask('/bus/enrolments', { method: 'POST', headers: { 'content-type': 'application/json' }, body: text });
    const refusals = () =>
      ask('/metrics').then(({ text }) => Number(/^telltale_bus_enrolments_refused_total (\d+)$/m.exec(text)?.[1]));
    const before = await refusals();
    const guesses = await Promise.all(Array.from({ length: 300 }, () => post(body)));
    assert.deepEqual([...new Set(guesses.map(({ status }) => status))], [403]);
    assert.equal(await refusals(), before + 300);
    assert.equal((await post(`${body.slice(0, -1)},"more":1}`)).status, 400);
    assert.equal((await post(JSON.stringify({ invitation: 'x'.repeat(100_000) }))).status, 413);
    assert.equal((await post('{')).status, 400);
    const { status, text } = await post(body);
    assert.match(`${status} ${text}`, /403 .*not-invited.*ask for another one/s);
    await done(['site', 'enrol', '--data', at], code);
    const trail = JSON.parse((await ask('/audit?operation=enrolAtBus&limit=5')).text) as {
      records: { result: string }[];
    };
    assert.equal(trail.records[0]?.result, 'done');
    assert.ok(!JSON.stringify(trail).includes(code.slice(20)));
  });

  test('says that a revoked site is not cut off where its servers have not read that, and cuts it off when they start', async (t) => {
    const at = await enrol('Far');
    const site = await startSite(t, at);
    await untilUp('Far');
    // As on another machine, which the centre cannot signal: it has what was copied there.
    const rights = readFileSync(join(nats, 'authorization.conf'));
    writeFileSync(join(nats, 'nats.pid'), '1');
    await refused(['site', 'revoke', 'Far'], /off the list.*have not read it yet/s);
    assert.equal((await siteNamed('Far'))?.state, 'up');
    assert.notDeepEqual(readFileSync(join(nats, 'authorization.conf')), rights);
    process.kill(peer?.pid ?? 0, 'SIGHUP');
    await until('it is cut off', async () => site.log.includes('does not let our certificate in'));
    await peer?.stop();
    await startNats();
    await until('the centre is back', async () => (await siteNamed('North works')) !== undefined);
  });

  test('keeps its members over a restart of the centre, and makes no codes where the bus is open to everybody', async () => {
    const before = (await members()).members.map(({ id }) => id);
    await centre.end();
    centre = await startServer(scope, { data, args: argsWith(`nats://127.0.0.1:${port}`) });
    await refused(['site', 'invite', 'x'], /without TLS, and open to everybody/);
    await centre.end();
    centre = await startServer(scope, { data, args: argsWith(`tls://127.0.0.1:${port}`) });
    assert.deepEqual(
      (await members()).members.map(({ id }) => id),
      before,
    );
    await until('it is connected', async () => centre.log.includes('the bus: connected'));
    assert.equal(spawnSync('nats-server', ['-t', '-c', 'nats.conf'], { cwd: nats }).status, 0);
  });
});
