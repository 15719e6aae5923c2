// Certificates against real peers: a broker and a web server over TLS, and OPC UA on both sides. What is refused is listed, and
// a person's trust makes the link at once, until it is taken back.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import type { Certificate, LiveConnector } from '@telltale/schema';
import { freePort } from '@telltale/stack-kit/testing';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { Mosquitto, makeCertificates, withoutOpenssl } from '../stacks/mqtt/test/mosquitto.ts';
import { CheckedChannel } from './checked-channel.ts';
import { runCli } from './cli-process.ts';
import { put } from './live-plant.ts';
import { type ServerProcess, startServer } from './server-process.ts';
import { until } from './until.ts';

const cleanup = suiteCleanup();
let server: ServerProcess;
let folder: string;

const list = async (query = '') =>
  (await (await fetch(`${server.url}/data/certificates${query}`)).json()) as Certificate[];
const post = async (path: string) =>
  (await fetch(`${server.url}/data/certificates/${path}`, { method: 'POST' })).status;
const linkOf = async (name: string) =>
  (await (await fetch(`${server.url}/data/connectors/${name}`)).json()) as LiveConnector;
const isIn = (name: string, state: string) =>
  until(`${name} is ${state}`, async () => (await linkOf(name)).state === state);
const rejectedBy = (name: string) =>
  until(`${name} has refused a certificate`, async () =>
    (await list('?state=rejected')).find((each) => each.name === name),
  );
const render = async (...operations: unknown[]) => {
  const answer = await server.send('POST', '/cfgdb/txn?render=1', { operations });
  assert.equal(answer.status, 204, await answer.text());
};
const cli = async (...args: string[]) => {
  const { code, stdout, stderr } = await runCli(args, { url: server.url });
  assert.equal(code, 0, stderr);
  return stdout;
};

describe('certificates', { skip: withoutOpenssl }, () => {
  before(async () => {
    folder = join(temporaryFolder(cleanup), 'data');
    server = await startServer(cleanup, { data: folder });
  });

  test('of a broker: refused and kept, trusted over HTTP, and refused again when that is taken back', async (t) => {
    const broker = await Mosquitto.start({
      config: (place) => {
        makeCertificates(place);
        const files = ['cafile ca.pem', 'certfile broker.pem', 'keyfile broker.key'];
        return ['allow_anonymous true', ...files.map((line) => line.replace(' ', ` ${place}/`))];
      },
    });
    t.after(() => broker.stop());
    const vars = { host: '127.0.0.1', port: String(broker.port), tls: 'true' };
    await render(put('connectors', 'broker', { stackName: 'mqtt', vars }));
    const rejected = await rejectedBy('broker');
    assert.equal(rejected.subject, 'CN=broker');
    assert.equal(rejected.issuer, 'CN=test authority');
    assert.equal(rejected['self-signed'], false);
    assert.deepEqual([rejected.names, rejected.addresses], [['localhost'], ['127.0.0.1']]);
    assert.equal(rejected.refused?.address, `127.0.0.1:${broker.port}`);
    const refusal = /not trusted, .*: to trust it, telltale certificates trust/;
    await until('it says why', async () => refusal.test((await linkOf('broker'))['last-error']?.text ?? ''));
    assert.equal(await post(`${rejected.thumbprint}/trust?of=connector/nobody`), 404);
    assert.equal(await post(`${rejected.thumbprint}/trust`), 204);
    await isIn('broker', 'up');
    assert.deepEqual(
      (await list('?state=trusted')).map(({ name, thumbprint }) => [name, thumbprint]),
      [['broker', rejected.thumbprint]],
    );
    assert.equal(await post(`${rejected.sha1}/reject`), 204);
    await isIn('broker', 'down');
  });

  test('of a web server, self-signed and for another name: trusted over the channel', async (t) => {
    const place = temporaryFolder(t);
    const [key, cert] = [join(place, 'key.pem'), join(place, 'cert.pem')];
    const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '20'];
    execFileSync('openssl', [...made, '-keyout', key, '-out', cert, '-subj', '/CN=elsewhere'], { stdio: 'pipe' });
    const web = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (_, answer) => answer.end('5'));
    web.listen(0, '127.0.0.1');
    await once(web, 'listening');
    t.after(() => web.close());
    t.after(() => web.closeAllConnections());
    const baseUrl = `https://127.0.0.1:${(web.address() as AddressInfo).port}`;
    await render(
      put('connectors', 'web', { stackName: 'http', vars: { baseUrl } }),
      put('measurements', 'page', { datatype: 'd', connectorName: 'web', address: '/' }),
    );
    const { thumbprint, refused } = await rejectedBy('web');
    assert.equal(refused?.reason, 'it is self-signed');
    const channel = await CheckedChannel.open(server.url);
    t.after(() => channel.close());
    const operations = [{ name: thumbprint, opcode: 'trust' as const, of: 'connector/web' }];
    await channel.done('OperateCertificates', { operations });
    await isIn('web', 'up');
    // It is valid for 20 days: the service is ready, and says so.
    const { status, warnings = [] } = (await (await fetch(`${server.url}/readyz`)).json()) as {
      status: string;
      warnings?: string[];
    };
    assert.equal(status, 'ready');
    assert.match(
      warnings.join(),
      /^connector web: the certificate [0-9a-f]{16} \(of a peer, CN=elsewhere\) expires in \d+ days/,
    );
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    assert.match(
      metrics,
      /^telltale_certificate_days_left\{role="connector",name="web",use="peer",thumbprint="[0-9a-f]{64}"\} (19|20)$/m,
    );
    assert.match(await cli('certificates', 'reject', thumbprint.slice(0, 12)), new RegExp(thumbprint));
    await until('it is down', async () => (await linkOf('web')).state !== 'up');
    await cli('certificates', 'delete', '--of', 'connector/web');
  });

  test('of both sides of OPC UA: trusted by the command line, and renewed', async () => {
    const port = String(await freePort());
    const endpointUrl = `opc.tcp://127.0.0.1:${port}`;
    await render(
      put('providers', 'panel', { stackName: 'opcua', vars: { port, anonymous: 'true' } }),
      put('connectors', 'press', { stackName: 'opcua', vars: { endpointUrl } }),
    );
    const refused = await rejectedBy('press');
    assert.equal(refused.refused?.address, endpointUrl);
    const own = (await list('?state=own')).find(({ name }) => name === 'panel') ?? assert.fail();
    assert.deepEqual([own.thumbprint, own.use, own['self-signed']], [refused.thumbprint, 'application', true]);
    assert.ok(own.addresses.includes('127.0.0.1') && own.names.includes('localhost'));
    await cli('certificates', 'trust', '--of', 'connector/press');
    const client = await rejectedBy('panel');
    assert.match(client.refused?.address ?? '', /127\.0\.0\.1/);
    await cli('certificates', 'trust', client.thumbprint.slice(0, 16), '--of', 'provider/panel');
    await isIn('press', 'up');
    await cli('certificates', 'renew', '--of', 'provider/panel');
    const { thumbprint } = await rejectedBy('press');
    assert.notEqual(thumbprint, own.thumbprint);
    const key = statSync(join(folder, 'stacks', 'provider-panel', 'own', 'private-key.pem'));
    assert.equal(key.mode & 0o077, 0);
    const shown = JSON.parse(await cli('certificates', 'show', thumbprint.slice(0, 16))) as Certificate[];
    assert.deepEqual(new Set(shown.map(({ state }) => state)), new Set(['own', 'rejected']));
  });

  test('that there is not are refused in words', async () => {
    const answer = await fetch(`${server.url}/data/certificates/${'0'.repeat(64)}/trust`, { method: 'POST' });
    assert.equal(answer.status, 404);
    const { stderr, code } = await runCli(['certificates', 'trust', 'fffffffff'], { url: server.url });
    assert.equal(code, 1);
    assert.match(stderr, /There is no certificate with a thumbprint that begins with fffffffff/);
  });
});
