import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { readAddress } from './address.ts';
import { passwordIn } from './password-file.ts';

test('an address is read as libpq reads it', () => {
  const address = readAddress(
    'postgresql://tell%3Atale:p%40ss:w%2Frd@db1:6000,db2,[2001:db8::1]:7000/plant?sslmode=verify-full&sslrootcert=/ca.pem&target_session_attrs=read-write',
  );
  assert.deepEqual(address, {
    hosts: [
      { host: 'db1', port: 6000 },
      { host: 'db2', port: 5432 },
      { host: '2001:db8::1', port: 7000 },
    ],
    database: 'plant',
    user: 'tell:tale',
    password: 'p@ss:w/rd',
    passwordFile: undefined,
    tls: 'verify-full',
    rootFile: '/ca.pem',
    certificateFile: undefined,
    keyFile: undefined,
    session: 'read-write',
  });
  const local = readAddress('postgres://me@/?host=/run/postgresql&passfile=/secret');
  assert.deepEqual(local.hosts, [{ host: '/run/postgresql', port: 5432 }]);
  const { database, password, passwordFile, tls } = local;
  assert.deepEqual(
    { database, password, passwordFile, tls },
    { database: 'me', password: undefined, passwordFile: '/secret', tls: 'prefer' },
  );
});

test('a host of another machine has to show who it is, unless sslmode says otherwise', () => {
  const tlsOf = (text: string) => readAddress(`postgresql://me@${text}`).tls;
  assert.deepEqual(['localhost', '127.0.0.1:5433', '[::1]'].map(tlsOf), ['prefer', 'prefer', 'prefer']);
  assert.deepEqual(['db', '10.0.0.1', '127.0.0.1,db', 'localhost.example'].map(tlsOf), Array(4).fill('verify-full'));
  assert.equal(tlsOf('db/plant?sslmode=require'), 'require');
});

test('an address that is wrong is refused with what to write, and without its password', () => {
  const wrong: [string, RegExp][] = [
    ['mysql://me:secret@db/plant', /write it as postgresql:/],
    ['postgresql://:secret@db/plant', /names no user/],
    ['postgresql://me:secret@db:99999/plant', /host "db:99999"/],
    ['postgresql://me:secret@/plant', /host ""/],
    ['postgresql://me:secret@db/plant?sslmode=always', /sslmode=always: it is one of disable/],
    ['postgresql://me:secret@db/plant?ssl=true', /parameter ssl: it may have/],
    ['postgresql://me:se%cret@db/plant', /password in the address .* % there is %25/],
  ];
  for (const [text, reason] of wrong) {
    assert.throws(
      () => readAddress(text),
      (error: Error) => error.name === 'BadAddress' && reason.test(error.message) && !error.message.includes('secret'),
      text,
    );
  }
});

test('a file of passwords is read as libpq reads it, and only where nobody else may', (t) => {
  const path = join(temporaryFolder(t), 'pgpass');
  const lines = ['# a comment', 'db1:5432:plant:me:first', '*:5432:*:me:a\\:b\\\\c', 'localhost:*:plant:you:local'];
  writeFileSync(path, lines.join('\n'), { mode: 0o600 });
  const wanted = { host: 'db1', port: 5432, database: 'plant', user: 'me' };
  assert.equal(passwordIn(path, wanted), 'first');
  assert.equal(passwordIn(path, { ...wanted, host: 'db2' }), 'a:b\\c');
  assert.equal(passwordIn(path, { ...wanted, host: '/run/postgresql', user: 'you' }), 'local');
  assert.equal(passwordIn(path, { ...wanted, user: 'nobody' }), undefined);
  const open = join(temporaryFolder(t), 'pgpass');
  writeFileSync(open, lines.join('\n'), { mode: 0o644 });
  assert.throws(() => passwordIn(open, wanted), /chmod 600/);
});
