// Promises of signing in through LDAP, against OpenLDAP.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { TLSSocket } from 'node:tls';
import { systemClock } from '@telltale/schema';
import { onFreePort, until } from '@telltale/stack-kit/testing';
import { cleanupOf, type Scope, suiteCleanup } from '@telltale/stack-kit/testing/cleanup';
import fc from 'fast-check';
import { groups, people, Slapd, service, withoutSlapd } from '../../../test/slapd.ts';
import { DirectoryRefusal, DirectoryUnavailable } from './directory.ts';
import { LdapDirectory, type LdapOptions } from './ldap-directory.ts';

describe('with OpenLDAP', { skip: withoutSlapd }, () => {
  const cleanup = suiteCleanup();
  let slapd: Slapd;
  before(async () => {
    slapd = await Slapd.start(cleanup);
  });

  const directory = (options: Partial<LdapOptions> = {}) =>
    new LdapDirectory(
      {
        url: slapd.ldaps,
        ca: slapd.ca,
        bindDn: service.dn,
        bindPassword: service.password,
        base: people,
        nameAttribute: 'uid',
        userFilter: undefined,
        groupBase: undefined,
        timeoutMs: 30_000,
        ...options,
      },
      systemClock,
    );

  test('somebody signs in with name and password, and has their groups', async () => {
    const anna = await directory().signIn('anna', 'anna of the plant');
    assert.equal(anna?.name, 'anna');
    assert.equal(anna?.directory, 'ldap');
    assert.deepEqual(anna?.groups.toSorted(), [`cn=engineers,${groups}`, `cn=operators,${groups}`]);
    assert.match(anna?.subject ?? '', /^[0-9a-f-]{36}$/);
  });

  test('groups are found among groups too, by distinguished name and by user name', async () => {
    const ben = await directory({ groupBase: groups }).signIn('ben', 'ben of the plant');
    assert.deepEqual(ben?.groups.toSorted(), [`cn=old,${groups}`, `cn=operators,${groups}`]);
  });

  test('however the name is typed, the directory says how it is spelled', async () => {
    assert.equal((await directory().signIn('ANNA', 'anna of the plant'))?.name, 'anna');
  });

  test('a wrong password, somebody unknown, and somebody else’s password let nobody in', async () => {
    for (const [name, password] of [
      ['anna', 'Anna of the plant'],
      ['anna', 'ben of the plant'],
      ['nobody', 'anna of the plant'],
      ['telltale', service.password],
    ] as const) {
      assert.equal(await directory().signIn(name, password), undefined, name);
    }
  });

  test('an empty password or name lets nobody in, and the server is not even asked', async () => {
    const unreachable = directory({ url: 'ldaps://127.0.0.1:1' });
    assert.equal(await unreachable.signIn('anna', ''), undefined);
    assert.equal(await unreachable.signIn('', 'anna of the plant'), undefined);
    assert.equal(await unreachable.signIn('anna', 'x'.repeat(2000)), undefined);
  });

  test('whatever a name has in it never becomes a part of the filter', async () => {
    const ask = directory();
    const pieces = fc.constantFrom('*', '(', ')', '\\', '\\2a', '\0', 'anna', 'uid=', '|', '&', '!', ',', 'a*', 'é');
    const hostile = fc.array(pieces, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''));
    await fc.assert(
      fc.asyncProperty(hostile, async (name) => {
        const found = await ask.signIn(name, 'anna of the plant');
        assert.equal(found?.name, name === 'anna' ? 'anna' : undefined);
      }),
      { numRuns: 50, examples: [['*'], ['anna*'], ['anna)(uid=*'], ['*)(|(uid=anna'], ['\\61nna']] },
    );
  });

  test('a filter excludes people; the name stays the name', async () => {
    assert.equal((await directory().signIn('karl', 'karl of the plant'))?.name, 'karl');
    const userFilter = '(!(employeeType=left))';
    assert.equal(await directory({ userFilter }).signIn('karl', 'karl of the plant'), undefined);
    assert.equal((await directory({ userFilter }).signIn('anna', 'anna of the plant'))?.name, 'anna');
  });

  test('a name that two entries have is nobody’s', async () => {
    await assert.rejects(directory().signIn('eve', 'eve of the plant'), DirectoryRefusal);
  });

  test('with StartTLS it is the same', async () => {
    const plain = directory({ url: slapd.ldap });
    assert.equal((await plain.signIn('anna', 'anna of the plant'))?.name, 'anna');
    assert.equal(await plain.signIn('anna', 'wrong'), undefined);
  });

  for (const scheme of ['ldaps', 'ldap'] as const) {
    test(`a server whose certificate no known authority has signed is sent nothing (${scheme})`, async () => {
      const ca = readFileSync(join(slapd.folder, 'other-ca.pem'), 'utf8');
      const bindDn = `cn=unseen over ${scheme}`;
      for (const authority of [ca, undefined]) {
        const stranger = directory({ url: slapd[scheme], ca: authority, bindDn });
        await assert.rejects(stranger.signIn('anna', 'anna of the plant'), DirectoryUnavailable);
      }
      // The same server by a name that its certificate does not have.
      const url = slapd[scheme].replace('127.0.0.1', 'localhost');
      await assert.rejects(directory({ url, bindDn }).signIn('anna', 'anna of the plant'), /localhost/);
      const seen = `cn=seen over ${scheme}`;
      await assert.rejects(directory({ bindDn: seen }).signIn('anna', 'anna of the plant'), DirectoryUnavailable);
      await until('the server has logged what came last', () => slapd.said.includes(seen));
      assert.ok(!slapd.said.includes(bindDn));
    });
  }

  test('a server that closes the connection after StartTLS is not asked again without TLS', async (t) => {
    const [key, cert] = ['slapd.key', 'slapd.pem'].map((name) => readFileSync(join(slapd.folder, name)));
    let got = '';
    let connections = 0;
    const url = await listening(t, (socket) => {
      connections++;
      socket.on('data', (bytes: Buffer) => {
        got += bytes.toString('latin1');
      });
      socket.once('data', (bytes: Buffer) => {
        socket.removeAllListeners('data');
        socket.write(startTlsAnswer(bytes, 0));
        const secure = new TLSSocket(socket, { isServer: true, key, cert });
        secure.on('error', () => {}).once('data', () => secure.destroy());
      });
    });
    await assert.rejects(directory({ url }).signIn('anna', 'anna of the plant'), DirectoryUnavailable);
    assert.equal(connections, 1);
    assert.doesNotMatch(got, /anna|telltale|looks for people/);
  });

  test('the account that looks for people being refused is a fault of the directory, not of the person', async () => {
    for (const url of [slapd.ldaps, slapd.ldap]) {
      const ask = directory({ url, bindPassword: 'changed' });
      await assert.rejects(ask.signIn('anna', 'anna of the plant'), DirectoryUnavailable);
    }
  });

  test('somebody is looked up without a password, with the groups of now; who is gone is not found', async () => {
    const ask = directory();
    assert.equal((await ask.lookUp('ben'))?.groups.length, 1);
    slapd.modify(`dn: cn=engineers,${groups}\nchangetype: modify\nadd: member\nmember: uid=ben,${people}\n`);
    assert.equal((await ask.lookUp('ben'))?.groups.length, 2);
    slapd.modify(`dn: uid=ben,${people}\nchangetype: delete\n`);
    assert.equal(await ask.lookUp('ben'), undefined);
  });

  test('a server that has ended, or hangs, is told within the time limit, and is used again when it is back', async () => {
    await slapd.halt();
    await assert.rejects(
      directory().signIn('anna', 'anna of the plant'),
      /127\.0\.0\.1:\d+ cannot be asked: .*ECONNREFUSED/,
    );
    await slapd.again();
    slapd.freeze();
    for (const url of [slapd.ldaps, slapd.ldap]) {
      await assert.rejects(directory({ url, timeoutMs: 300 }).signIn('anna', 'x'), /has not answered within 300 ms/);
    }
    slapd.thaw();
    assert.equal((await directory().signIn('anna', 'anna of the plant'))?.name, 'anna');
  });
});

describe('a server that is no good', () => {
  const hostile = async (scope: Scope, answer: (socket: Socket) => void) =>
    new LdapDirectory(
      {
        url: await listening(scope, answer),
        ca: undefined,
        bindDn: service.dn,
        bindPassword: service.password,
        base: people,
        nameAttribute: 'uid',
        userFilter: undefined,
        groupBase: undefined,
        timeoutMs: 30_000,
      },
      systemClock,
    );

  test('and refuses StartTLS is sent neither name nor password', async (t) => {
    let got = '';
    const directory = await hostile(t, (socket) => {
      socket.on('data', (bytes: Buffer) => {
        got += bytes.toString('latin1');
        socket.write(startTlsAnswer(bytes, 52)); // unavailable
      });
    });
    await assert.rejects(directory.signIn('anna', 'anna of the plant'), DirectoryUnavailable);
    assert.ok(got.includes('1.3.6.1.4.1.1466.20037'));
    assert.doesNotMatch(got, /anna|telltale|looks for people/);
  });

  test('and closes the connection in the handshake is not asked again without TLS', async (t) => {
    let got = '';
    let connections = 0;
    const directory = await hostile(t, (socket) => {
      connections++;
      socket.on('data', (bytes: Buffer) => {
        got += bytes.toString('latin1');
        if (bytes[0] === 0x16) socket.destroy();
        else socket.write(startTlsAnswer(bytes, 0));
      });
    });
    await assert.rejects(directory.signIn('anna', 'anna of the plant'), DirectoryUnavailable);
    assert.equal(connections, 1);
    assert.doesNotMatch(got, /anna|telltale|looks for people/);
  });

  test('and sends without end is left', async (t) => {
    const directory = await hostile(t, (socket) => {
      // The beginning of a message of 2 GB.
      socket.write(Buffer.from([0x30, 0x84, 0x7f, 0xff, 0xff, 0xff]));
      const chunk = Buffer.alloc(1 << 16);
      const more = () => {
        while (!socket.destroyed && socket.write(chunk));
      };
      socket.on('drain', more);
      more();
    });
    await assert.rejects(directory.signIn('anna', 'anna of the plant'), /longer than 4194304 bytes/);
  });
});

/** The address of a server that has only this to answer. */
async function listening(scope: Scope, answer: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => answer(socket.on('error', () => {})));
  const port = await onFreePort(
    (free) =>
      new Promise<number>((resolve, reject) => {
        server.once('error', reject).listen(free, '127.0.0.1', () => resolve(free));
      }),
  );
  cleanupOf(scope).defer(() => new Promise<void>((resolve) => void server.close(() => resolve())));
  return `ldap://127.0.0.1:${port}`;
}

/** An ExtendedResponse with this result to the request. */
function startTlsAnswer(request: Buffer, result: number): Buffer {
  return Buffer.from([0x30, 0x0c, 0x02, 0x01, request[4] ?? 1, 0x78, 0x07, 0x0a, 0x01, result, 0x04, 0, 0x04, 0]);
}
