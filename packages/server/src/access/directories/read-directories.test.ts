// Promises of the file of directories.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { UnusableDirectories } from './directory.ts';
import { readDirectories } from './read-directories.ts';

const ldap = { url: 'ldaps://ldap.plant.example', base: 'ou=people,dc=plant' };
const oidc = { issuer: 'https://id.plant.example/realms/plant', clientId: 'telltale' };

function write(t: TestContext, content: unknown, others: Record<string, string> = {}): string {
  const folder = temporaryFolder(t);
  const path = join(folder, 'directories.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  for (const [name, text] of Object.entries(others)) writeFileSync(join(folder, name), text);
  return path;
}

describe('the file of directories', () => {
  test('names at most one of each kind, and little of it must be said', async (t) => {
    assert.deepEqual(await readDirectories(write(t, {})), { ldap: undefined, oidc: undefined });
    const read = await readDirectories(write(t, { ldap, oidc }));
    assert.equal(read.ldap?.nameAttribute, 'uid');
    assert.equal(read.ldap?.timeoutMs, 5000);
    assert.equal(read.oidc?.scope, 'openid profile');
    assert.equal(read.oidc?.clientSecret, undefined);
  });

  test('names files beside it with secrets and authorities; the end of a line is no part of a secret', async (t) => {
    const content = {
      ldap: { ...ldap, bindDn: 'cn=telltale,dc=plant', bindPasswordFile: 'ldap-password', caFile: 'ca.pem' },
      oidc: { ...oidc, clientSecretFile: 'client-secret' },
    };
    const others = { 'ldap-password': ' with spaces \n', 'client-secret': 'one\r\n', 'ca.pem': 'an authority\n' };
    const read = await readDirectories(write(t, content, others));
    assert.equal(read.ldap?.bindPassword, ' with spaces ');
    assert.equal(read.ldap?.ca, 'an authority\n');
    assert.equal(read.oidc?.clientSecret, 'one');
  });

  test('is refused with the place and the reason where it cannot be used', async (t) => {
    const cases: [content: unknown, message: RegExp][] = [
      ['{', /is not JSON/],
      [[], /it must be/],
      [{ ldap: {} }, /\/ldap/],
      [{ ldap: { ...ldap, url: 'http://ldap.plant.example' } }, /\/ldap\/url/],
      [{ ldap: { ...ldap, url: 'ldaps://user:password@ldap.plant.example' } }, /\/ldap\/url/],
      [{ ldap: { ...ldap, bindPassword: 'here' } }, /\/ldap/],
      [{ ldap: { ...ldap, bindDn: 'cn=telltale' } }, /bindDn or bindPasswordFile/],
      [{ ldap: { ...ldap, userFilter: '(a=b' } }, /\/ldap\/userFilter is no filter/],
      [{ ldap: { ...ldap, timeoutMs: 0 } }, /\/ldap\/timeoutMs/],
      [{ oidc: { ...oidc, issuer: 'http://id.plant.example' } }, /must begin with https/],
      [{ oidc: { ...oidc, issuer: 'http://localhost.plant.example' } }, /must begin with https/],
      [{ oidc: { ...oidc, scope: 'profile' } }, /\/oidc\/scope/],
      [{ oidc: { ...oidc, clientSecretFile: 'missing' } }, /missing cannot be read: ENOENT/],
      [{ oidc: { ...oidc, clientSecretFile: 'empty' } }, /empty is empty/],
    ];
    for (const [content, message] of cases) {
      const path = write(t, content, { empty: '\n' });
      await assert.rejects(readDirectories(path), (error: Error) => {
        assert.ok(error instanceof UnusableDirectories);
        assert.ok(error.message.startsWith(path));
        assert.match(error.message, message);
        return true;
      });
    }
    await assert.rejects(readDirectories('/nowhere/directories.json'), /cannot be read: ENOENT/);
  });

  test('may name a provider on this machine without TLS, and no other', async (t) => {
    for (const issuer of ['http://127.0.0.1:9000', 'http://localhost:9000', 'http://[::1]:9000/x']) {
      assert.equal((await readDirectories(write(t, { oidc: { ...oidc, issuer } }))).oidc?.issuer, issuer);
    }
  });
});
