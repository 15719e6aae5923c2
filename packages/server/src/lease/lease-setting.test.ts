import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { keyPart, readLeaseSetting, siteBase } from './lease-setting.ts';

describe('the setting of the lease', () => {
  test('names the members of etcd and the prefix of its keys', () => {
    const setting = readLeaseSetting('etcd://one,10.0.0.2:2000,[fe80::1]:3/plants/west/');
    assert.deepEqual(setting, {
      addresses: [
        { host: 'one', port: 2379 },
        { host: '10.0.0.2', port: 2000 },
        { host: 'fe80::1', port: 3 },
      ],
      prefix: 'plants/west',
    });
  });

  test('asks for TLS by its scheme, or by the files of an authority or of a client', () => {
    assert.deepEqual(readLeaseSetting('etcds://one/p').tls, {});
    assert.deepEqual(readLeaseSetting('etcd://one/p?ca=/etc/ca%20file.pem').tls, { ca: '/etc/ca file.pem' });
    const files = readLeaseSetting('etcd://one/p?cert=/c&key=/k').tls;
    assert.deepEqual(files, { cert: '/c', key: '/k' });
  });

  test('has a password in itself or beside it, which nobody sees who prints it', () => {
    for (const setting of [
      readLeaseSetting('etcd://site:p%40ss%2Fword@one/p'),
      readLeaseSetting('etcd://site@one/p', 'p@ss/word'),
    ]) {
      assert.deepEqual(setting.credentials?.login, { name: 'site', password: 'p@ss/word' });
      const printed = inspect(setting, { depth: 9, showHidden: true }) + JSON.stringify(setting);
      assert.doesNotMatch(printed, /ss.*word/);
    }
  });

  test('says what is wrong with it', () => {
    const wrong: readonly (readonly [string, RegExp])[] = [
      ['', /The lease is kept by etcd: write etcd:\/\/HOST:PORT,HOST:PORT\/PREFIX$/],
      ['http://one/p', /write etcd:\/\//],
      ['etcd://one', /has no prefix/],
      ['etcd://one/', /has no prefix/],
      ['etcd://one/a//b', /"a\/\/b" is no prefix of keys/],
      ['etcd://one/ä', /"ä" is no prefix of keys/],
      ['etcd://one:0/p', /"one:0" is no address of etcd/],
      ['etcd://one:65536/p', /with a port from 1 to 65535/],
      ['etcd://one,,two/p', /"" is no address of etcd/],
      ['etcd://o ne/p', /"o ne" is no address/],
      ['etcd://one:2379,one/p', /one:2379 is there twice/],
      [`etcd://${Array.from({ length: 10 }, (_, at) => `h${at}`)}/p`, /at most 9 members, and 10 addresses/],
      ['etcd://one/p?cafile=/x', /"cafile" is unknown .* known are ca, cert and key/],
      ['etcd://one/p?ca=', /ca in the setting of the lease is empty/],
      ['etcd://one/p?cert=/x', /one of cert and key/],
      ['etcd://site@one/p', /The user site of etcd has no password/],
      ['etcd://:secret@one/p', /a password without a user/],
      ['etcd://site:50%@one/p', /write % as %25/],
    ];
    for (const [text, message] of wrong) assert.throws(() => readLeaseSetting(text), message, text);
  });

  test('is refused without telling any of a password that is not encoded', () => {
    const reserved = fc.constantFrom('@', '/', '?', '#', '%', ':');
    fc.assert(
      fc.property(reserved, reserved, (one, two) => {
        try {
          readLeaseSetting(`etcd://site:zq${one}zq${two}zq@one/p`);
        } catch (error) {
          assert.doesNotMatch((error as Error).message, /zq/);
        }
      }),
    );
  });
});

test('no name of a site makes a key of another site', () => {
  const setting = readLeaseSetting('etcd://one/p');
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', minLength: 1 }),
      fc.string({ unit: 'grapheme', minLength: 1 }),
      (one, two) => {
        fc.pre(one !== two && one.isWellFormed() && two.isWellFormed());
        const [base, other] = [siteBase(setting, one), siteBase(setting, two)];
        assert.ok(!`${base}/`.startsWith(`${other}/`) && !`${other}/`.startsWith(`${base}/`));
        assert.doesNotMatch(keyPart(one, 'A site'), /[/\p{Cc}]/u);
      },
    ),
  );
});
