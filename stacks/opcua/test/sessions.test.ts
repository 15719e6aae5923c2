// Who gets a session with a provider, and who does not.
import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import stack from '../src/stack.ts';
import { point, Served } from './served.ts';
import { UaClientProcess, type UaClientSession, type Who } from './ua-client.ts';

describe('the sessions of a provider', () => {
  let clients: UaClientProcess;
  before(async () => {
    clients = await UaClientProcess.start();
  });
  after(() => clients.stop());

  const joe = { userName: 'joe', password: 'secret' };

  test('are for applications that are called what their certificates say, unless a person wants it otherwise', async (t) => {
    const level = [point(1, 'level', 'd')];
    const strict = await Served.start(t, level);
    const lenient = await Served.start(t, level, [], { dangerouslyAcceptOtherApplicationUri: 'true' });
    for (const { folder } of [strict, lenient]) {
      cpSync(join(clients.folder, 'own', 'certificate.pem'), join(folder, 'trusted', 'client.pem'));
    }
    const open = ({ port }: Served, more: Partial<Who> = {}) => clients.open({ port, mode: 'Sign', ...joe, ...more });
    await (await open(strict)).close();
    await assert.rejects(open(strict, { applicationUri: 'urn:other' }), /BadCertificateUriInvalid/);
    assert.match(strict.log.join('\n'), /"urn:telltale:test-client" of \S+ is refused.*calls itself "urn:other"/);
    await (await open(lenient, { applicationUri: 'urn:other' })).close();
  });

  test('of anonymous clients leave the last places to users', async (t) => {
    const limits = { anonymous: 'true', maxSessions: '4', reservedSessions: '2' };
    const served = await Served.start(t, [point(1, 'level', 'd')], [], limits);
    const anonymous = () => clients.open({ port: served.port });
    const opened: UaClientSession[] = [await anonymous(), await anonymous()];
    await assert.rejects(anonymous(), /BadTooManySessions/);
    for (let user = 0; user < 2; user++) opened.push(await clients.open({ port: served.port, ...joe }));
    await assert.rejects(clients.open({ port: served.port, ...joe }), /BadTooManySessions/);
    await opened.shift()?.close();
    opened.push(await anonymous());
    for (const each of opened) await each.close();
  });

  test('of anonymous clients may take all places where there are no users, and some at any rate', async (t) => {
    const nobody = { userName: '', password: '', readerName: '', readerPassword: '', anonymous: 'true' };
    const served = await Served.start(t, [point(1, 'level', 'd')], [], { ...nobody, maxSessions: '2' });
    const opened = [await clients.open({ port: served.port }), await clients.open({ port: served.port })];
    for (const each of opened) await each.close();
    const read = stack.provider?.readVariables({ ...joe, anonymous: 'true', maxSessions: '2' });
    assert.deepEqual(
      read?.faults.map(({ field }) => field),
      ['reservedSessions'],
    );
  });
});
