// Which certificates a connector or provider accepts, with real authorities.
import assert from 'node:assert/strict';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, type TestContext, test } from 'node:test';
import { systemClock } from '@telltale/schema';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { EndpointDescription, MessageSecurityMode, SecurityPolicy } from 'node-opcua-client';
import { CertificateFolder, type CertificateFolderOptions } from '../src/certificate-folder.ts';
import { chooseSecurity } from '../src/link-security.ts';
import { CertificateAuthority, type Issued } from './certificate-authority.ts';

const dayMs = 86_400_000;
const quiet = () => {};

describe('a certificate that an authority has signed', () => {
  let root: CertificateAuthority;
  let site: CertificateAuthority;
  let plc: Issued;
  let lists: { readonly none: string; readonly site: string; readonly root: string };
  before(async () => {
    root = await CertificateAuthority.root('root');
    site = await root.authority('site');
    plc = await site.application('urn:plc');
    lists = { none: await site.revoke([]), site: await site.revoke([plc.certificate]), root: await root.revoke([]) };
  });

  async function rig(t: TestContext, leniency: Partial<CertificateFolderOptions['leniency']> = {}) {
    const folder = temporaryFolder(t);
    const log: string[] = [];
    const certificates = new CertificateFolder({
      folder,
      applicationUri: 'urn:own',
      applicationName: 'own',
      clock: systemClock,
      log: { debug: quiet, info: quiet, warn: (text) => log.push(text), error: quiet },
      leniency: { shortKeys: false, unknownRevocation: false, otherApplicationUri: false, ...leniency },
    });
    await certificates.initialize();
    const put = (files: Record<string, string>) => {
      for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    };
    const check = async (...chain: (Issued | CertificateAuthority)[]) => {
      const { name } = await certificates.checkCertificate(Buffer.concat(chain.map((each) => each.certificate.raw)));
      return name;
    };
    return { folder, certificates, log, put, check };
  }

  /** Everything that it takes. */
  const whole = () => ({
    'trusted/root.pem': root.pem,
    'issuers/site.pem': site.pem,
    'crl/root.pem': lists.root,
    'crl/site.pem': lists.none,
  });

  test('is trusted by the root, with the authorities between from the folder or from the peer', async (t) => {
    const { folder, put, check } = await rig(t);
    assert.equal(await check(plc, site, root), 'BadCertificateUntrusted');
    assert.equal(readdirSync(join(folder, 'rejected')).length, 1);
    put(whole());
    assert.equal(await check(plc), 'Good');
    rmSync(join(folder, 'issuers/site.pem'));
    assert.equal(await check(plc, site), 'Good');
    assert.equal(await check(plc), 'BadCertificateUntrusted', 'nobody knows who has signed it');
  });

  test('is trusted by an authority below the root, if the root is known', async (t) => {
    const { put, check, log } = await rig(t);
    put({ 'trusted/site.pem': site.pem, 'crl/root.pem': lists.root, 'crl/site.pem': lists.none });
    assert.equal(await check(plc), 'BadCertificateChainIncomplete');
    assert.match(log.at(-1) ?? '', /"urn:plc".*the authority "CN=root" is missing: put it into the folder issuers$/);
    put({ 'issuers/root.pem': root.pem });
    assert.equal(await check(plc), 'Good');
  });

  test('is not trusted by an authority that only completes chains, nor by one of the same name', async (t) => {
    const { put, check } = await rig(t);
    const other = await CertificateAuthority.root('root');
    put({ ...whole(), 'trusted/root.pem': other.pem, 'issuers/root.pem': root.pem });
    assert.equal(await check(plc, site, root), 'BadCertificateUntrusted');
  });

  test('is not trusted where a certificate that is no authority has signed it', async (t) => {
    const { put, check } = await rig(t);
    put({ 'trusted/plc.pem': plc.pem });
    assert.equal(await check(plc), 'Good');
    const other = await CertificateAuthority.root('application');
    assert.equal(await check(await other.application('urn:other')), 'BadCertificateUntrusted');
  });

  test('is refused where an authority may not have another below it', async (t) => {
    const { put, check } = await rig(t, { unknownRevocation: true });
    const narrow = await CertificateAuthority.root('narrow', { authoritiesBelow: 0 });
    const below = await narrow.authority('below');
    put({ 'trusted/narrow.pem': narrow.pem });
    assert.equal(await check(await narrow.application('urn:plc')), 'Good');
    assert.equal(await check(await below.application('urn:plc'), below), 'BadCertificateIssuerUseNotAllowed');
  });

  test('is refused when it was revoked, or its authority was', async (t) => {
    const { put, check, log } = await rig(t, { unknownRevocation: true });
    put({ ...whole(), 'crl/site.pem': lists.site });
    assert.equal(await check(plc), 'BadCertificateRevoked');
    assert.match(log.at(-1) ?? '', /"urn:plc" is refused, BadCertificateRevoked: it was revoked by "CN=site"$/);
    put({ 'trusted/plc.pem': plc.pem });
    assert.equal(await check(plc), 'BadCertificateRevoked', 'however it is trusted');
    put({ ...whole(), 'crl/root.pem': await root.revoke([site.certificate]) });
    assert.equal(await check(await site.application('urn:other')), 'BadCertificateIssuerRevoked');
  });

  test('is refused without a revocation list of each authority that is in force, unless a person wants it', async (t) => {
    const { folder, put, check } = await rig(t);
    const lenient = await rig(t, { unknownRevocation: true });
    for (const each of [put, lenient.put]) each(whole());
    rmSync(join(folder, 'crl/root.pem'));
    assert.equal(await check(plc), 'BadCertificateIssuerRevocationUnknown');
    const now = Date.now();
    for (const old of [
      await site.revoke([], { fromMs: now - 2 * dayMs, untilMs: now - dayMs }),
      await site.revoke([], { fromMs: now + dayMs, untilMs: now + 2 * dayMs }),
      await (await CertificateAuthority.root('site')).revoke([]),
      'no list',
    ]) {
      put({ ...whole(), 'crl/site.pem': old });
      assert.equal(await check(plc), 'BadCertificateRevocationUnknown');
      lenient.put({ 'crl/site.pem': old });
      assert.equal(await lenient.check(plc), 'Good');
    }
    put({ ...whole(), 'crl/site.pem': 'no list', 'crl/other name': lists.none });
    assert.equal(await check(plc), 'Good');
  });

  test('is refused when it or an authority above it is out of date', async (t) => {
    const { put, check } = await rig(t);
    put(whole());
    const now = Date.now();
    const past = { fromMs: now - 2 * dayMs, untilMs: now - dayMs };
    assert.equal(await check(await site.application('urn:old', past)), 'BadCertificateTimeInvalid');
    const old = await root.authority('old', past);
    put({ 'issuers/old.pem': old.pem, 'crl/old.pem': await old.revoke([]) });
    assert.equal(await check(await old.application('urn:plc')), 'BadCertificateIssuerTimeInvalid');
  });

  test('is refused with an RSA key below 2048 bits, its own or that of an authority, unless a person wants it', async (t) => {
    const weak = await CertificateAuthority.root('weak', { bits: 1024 });
    const [short, long] = [await root.application('urn:short', { bits: 1024 }), await weak.application('urn:long')];
    const files = { 'trusted/root.pem': root.pem, 'trusted/weak.pem': weak.pem };
    const { put, check, log } = await rig(t, { unknownRevocation: true });
    put(files);
    assert.equal(await check(short), 'BadCertificatePolicyCheckFailed');
    assert.match(log.at(-1) ?? '', /it has a key of 1024 bits: at least 2048, or dangerouslyAcceptShortKeys$/);
    assert.equal(await check(long), 'BadCertificatePolicyCheckFailed');
    put({ 'trusted/short.pem': short.pem });
    assert.equal(await check(short), 'BadCertificatePolicyCheckFailed', 'however it is trusted');
    const lenient = await rig(t, { unknownRevocation: true, shortKeys: true });
    lenient.put(files);
    assert.deepEqual([await lenient.check(short), await lenient.check(long)], ['Good', 'Good']);
  });

  test('is that of who calls itself so, unless a person wants it otherwise', async (t) => {
    const { certificates, log } = await rig(t);
    const bytes = plc.certificate.raw;
    assert.equal(certificates.checkApplicationUri(bytes, 'urn:plc').name, 'Good');
    for (const uri of ['urn:other', '', 'urn:plc ', 'URN:PLC']) {
      assert.equal(certificates.checkApplicationUri(bytes, uri, '10.0.0.7').name, 'BadCertificateUriInvalid');
    }
    assert.match(
      log[0] ?? '',
      /"urn:plc" of 10\.0\.0\.7 is refused.*calls itself "urn:other", its certificate does not/,
    );
    const lenient = await rig(t, { otherApplicationUri: true });
    assert.equal(lenient.certificates.checkApplicationUri(bytes, 'urn:other').name, 'Good');
  });

  test('of a server that calls itself otherwise is refused by a connector', async (t) => {
    const { folder, certificates, put } = await rig(t, { unknownRevocation: true });
    put(whole());
    const variables = { securityMode: 'best', securityPolicy: 'best', serverCertificate: '' } as const;
    const choose = (applicationUri: string) =>
      chooseSecurity(variables, folder, certificates, async () => [
        new EndpointDescription({
          endpointUrl: 'opc.tcp://plc:4840',
          securityMode: MessageSecurityMode.Sign,
          securityPolicyUri: SecurityPolicy.Basic256Sha256,
          serverCertificate: plc.certificate.raw,
          server: { applicationUri },
        }),
      ]);
    assert.ok((await choose('urn:plc')).serverCertificate?.equals(plc.certificate.raw));
    await assert.rejects(choose('urn:other'), { name: 'NotConnected', message: /BadCertificateUriInvalid/ });
  });

  test('ends no process, however it is damaged', async (t) => {
    const { certificates, put } = await rig(t);
    put(whole());
    const chain = Buffer.concat([plc.certificate.raw, site.certificate.raw]);
    for (let at = 0; at < chain.length; at += 7) {
      const { name } = await certificates.checkCertificate(chain.with(at, chain.readUInt8(at) ^ 0x41) as Buffer);
      assert.ok(name.startsWith('Bad') || name === 'Good');
    }
  });
});
