// A connector and a provider that know each other by an authority, over a real link: signed certificates are let in, revoked ones are not.
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { quality } from '@telltale/schema';
import { CertificateAuthority, type Issued } from './certificate-authority.ts';
import { point, Served } from './served.ts';
import { UaBench } from './ua-bench.ts';

describe('a client whose certificate an authority has signed', () => {
  test('is let in where the authority is trusted, and not once it was revoked', async (t) => {
    const root = await CertificateAuthority.root('root');
    const site = await root.authority('site');
    const client = await site.application('urn:plant:client');
    const other = await site.application('urn:plant:other');
    const served = await Served.start(t, [point(1, 'level', 'd')], [], { anonymous: 'true' });
    served.publish((batch) => batch.value(1, 4.5, quality.good, Date.now() * 1000));
    const put = (name: string, text: string) => writeFileSync(join(served.folder, name), text);

    const benchOf = (issued: Issued, applicationUri: string) => {
      const bench = new UaBench(served, {
        endpointUrl: `opc.tcp://127.0.0.1:${served.port}/telltale`,
        securityMode: 'SignAndEncrypt',
        applicationUri,
      });
      for (const name of ['own', 'trusted']) mkdirSync(join(bench.folder, name), { recursive: true });
      writeFileSync(join(bench.folder, 'own', 'certificate.pem'), issued.pem);
      writeFileSync(join(bench.folder, 'own', 'private-key.pem'), issued.keyPem);
      copyFileSync(join(served.folder, 'own', 'certificate.pem'), join(bench.folder, 'trusted', 'server.pem'));
      bench.setPoints({ level: { datatype: 'd', address: 'ns=2;s=At.level' } });
      return bench;
    };
    const isLetIn = async (issued: Issued, applicationUri: string) => {
      const bench = benchOf(issued, applicationUri);
      await bench.start();
      await bench.reads('level', 4.5, quality.good);
      assert.equal(await bench.stop(), undefined);
    };
    const isRefused = async (issued: Issued, applicationUri: string, status: string, reason: RegExp) => {
      const bench = benchOf(issued, applicationUri);
      served.log.length = 0;
      await assert.rejects(bench.start(), { name: 'NotConnected', message: new RegExp(status) });
      assert.match(served.log.join('\n'), reason);
      await bench.stop();
    };

    await isRefused(client, 'urn:plant:client', 'BadSecurityChecksFailed', /nobody has trusted it/);
    put('trusted/site.pem', site.pem);
    put('issuers/root.pem', root.pem);
    await isRefused(
      client,
      'urn:plant:client',
      'BadCertificateRevocationUnknown',
      /there is no revocation list of "?CN=site/,
    );
    put('crl/root.pem', await root.revoke([]));
    put('crl/site.pem', await site.revoke([]));
    await isLetIn(client, 'urn:plant:client');
    await isLetIn(other, 'urn:plant:other');
    put('crl/site.pem', await site.revoke([client.certificate]));
    await isRefused(client, 'urn:plant:client', 'BadSecurityChecksFailed', /BadCertificateRevoked/);
    await isLetIn(other, 'urn:plant:other');
    rmSync(join(served.folder, 'trusted', 'site.pem'));
    await isRefused(other, 'urn:plant:other', 'BadSecurityChecksFailed', /nobody has trusted it/);
  });
});
