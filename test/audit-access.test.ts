// Promises of what the audit trail has of users and what they may do, of links and modules that are operated, and of what people
// say of it: before and after, and never a password or token.
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { AuditRecord } from '@telltale/schema';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { recordsSince, tail, withPlant } from './audit-plant.ts';
import { closeServer, makeToken, makeUser, type Person, password } from './closed-server.ts';
import { put } from './live-plant.ts';
import type { ServerProcess } from './server-process.ts';

interface Closed {
  readonly server: ServerProcess;
  readonly admin: Person;
  /** The record of the only audited operation in `work`. */
  readonly recordOf: (work: () => Promise<unknown>) => Promise<AuditRecord>;
}

async function closed(t: TestContext): Promise<Closed> {
  const data = temporaryFolder(t);
  const server = await withPlant(t, data);
  await server.send('POST', '/cfgdb/txn?render=1', {
    operations: [put('connectors', 'plc', { stackName: 'simulator', properties: { area: 'hall.1' } })],
  });
  const admin = await closeServer(server, data);
  const recordOf = async (work: () => Promise<unknown>) => {
    const { last } = await tail(server, admin.headers);
    await work();
    const records = await recordsSince(server, last, admin.headers);
    assert.equal(records.length, 1);
    return records[0] as AuditRecord;
  };
  return { server, admin, recordOf };
}

const sides = ({ operation, object, old, new: now }: AuditRecord) => [operation, object, old, now];

describe('the record of a change', () => {
  test('of users, roles, groups and certificates has them before and after', async (t) => {
    const { admin, recordOf } = await closed(t);
    const change = (method: string, path: string, body?: object) => recordOf(() => admin.do(method, path, body));
    const anna = (role: string) => ({ grants: [{ role, area: 'hall.1' }] });
    const made = await change('PUT', '/access/users/anna', anna('operator'));
    assert.deepEqual([made.operation, made.object, made.old], ['putUser', 'anna', undefined]);
    assert.deepEqual((made.new as { grants: object }).grants, anna('operator').grants);
    const regranted = await change('PUT', '/access/users/anna', anna('engineer'));
    assert.deepEqual(
      [regranted.old, regranted.new].map((side) => (side as { grants: object }).grants),
      [anna('operator').grants, anna('engineer').grants],
    );
    const set = await change('PUT', '/access/users/anna/password', { password });
    assert.deepEqual(sides(set), ['setPassword', 'anna', undefined, undefined]);
    const removed = await change('DELETE', '/access/users/anna');
    assert.deepEqual([(removed.old as { name: string }).name, removed.new], ['anna', undefined]);
    const kinds = {
      roles: { permissions: ['view'] },
      groups: { directory: 'ldap', group: 'cn=crew', grants: [{ role: 'viewer' }] },
      certificates: { fingerprint: 'ab'.repeat(32), grants: [{ role: 'viewer' }] },
    };
    for (const [kind, body] of Object.entries(kinds)) {
      const added = await change('PUT', `/access/${kind}/crew`, body);
      assert.deepEqual([added.object, added.old], ['crew', undefined]);
      const gone = await change('DELETE', `/access/${kind}/crew`);
      assert.deepEqual([gone.old, gone.new], [added.new, undefined]);
      for (const [field, value] of Object.entries(body)) {
        assert.deepEqual((gone.old as Record<string, unknown>)[field], value, `${kind} ${field}`);
      }
    }
  });

  test('of tokens and sessions has what they could do, and nothing that lets in', async (t) => {
    const { server, admin, recordOf } = await closed(t);
    const anna = await makeUser(server, admin, 'anna', [{ role: 'engineer' }]);
    let token: Person | undefined;
    const made = await recordOf(async () => {
      token = await makeToken(server, anna, 'report', [{ role: 'viewer' }]);
    });
    assert.deepEqual([made.who, made.operation, made.object], ['anna', 'makeToken', 'report']);
    assert.deepEqual((made.new as { grants: object }).grants, [{ role: 'viewer' }]);
    const revoked = await recordOf(() => admin.do('DELETE', '/access/tokens/report'));
    assert.deepEqual((revoked.old as { owner: string }).owner, 'anna');
    const sessions = await admin.do<{ id: string; user: string }[]>('GET', '/access/sessions');
    const { id } = sessions.find(({ user }) => user === 'anna') ?? assert.fail();
    const ended = await recordOf(() => admin.do('DELETE', `/access/sessions/${id}`));
    assert.deepEqual([ended.object, (ended.old as { user: string }).user], [id, 'anna']);
    const own = await recordOf(() =>
      admin.do('PUT', '/access/me/password', { current: password, password: `${password}!` }),
    );
    assert.deepEqual(sides(own), ['changePassword', 'root_admin', undefined, undefined]);
    const all = JSON.stringify(await recordsSince(server, 0, admin.headers));
    const secret = token?.headers.authorization?.slice('Bearer '.length) ?? assert.fail();
    for (const each of [secret, password, admin.headers.cookie?.split('=')[1] as string]) {
      assert.equal(all.includes(each), false);
    }
    assert.doesNotMatch(all, /\$argon2|"hash":"(?![0-9a-f]{64}")/);
  });

  test('of links and alarms has their states, who it was, and what they said as the reason', async (t) => {
    const { server, admin, recordOf } = await closed(t);
    const paul = await makeUser(server, admin, 'paul', [{ role: 'engineer' }, { role: 'shift-lead' }]);
    const act = (path: string) => recordOf(() => paul.do('POST', path));
    const disabled = await act('/data/connectors/plc/disable?reason=revision');
    assert.deepEqual(sides(disabled), ['disableConnector', 'plc', 'enabled', 'disabled']);
    assert.deepEqual([disabled.reason, disabled.area, disabled.who], ['revision', 'hall.1', 'paul']);
    assert.deepEqual(sides(await act('/data/connectors/plc/enable')).slice(2), ['disabled', 'enabled']);
    const raised = await act('/data/alarms/high/activate?authority=test%20of%20the%20horn');
    assert.deepEqual(sides(raised), ['activateAlarm', 'high', 'INACT_ACK', 'ACT_UNACK']);
    assert.deepEqual([raised.who, raised.reason], ['paul', 'test of the horn']);
    const alarm = await paul.do<{ authority: string }>('GET', '/data/alarms/high');
    assert.equal(alarm.authority, 'paul');
    const simulated = await recordOf(() => paul.do('PUT', '/data/measurements/level?value=d2&quality=64'));
    assert.deepEqual(sides(simulated).slice(2), ['d0', { value: 'd2', quality: 64 }]);
    const root = await makeUser(server, admin, 'otto', [{ role: 'engineer' }, { role: 'administrator' }]);
    const erased = await recordOf(() => root.do('DELETE', '/data/archive/measurements/level/0/9999999999'));
    assert.deepEqual([erased.object, (erased.old as { since: number }).since], ['level', 0]);
    const stopped = await recordOf(() => paul.do('DELETE', '/data/measurements/level'));
    assert.deepEqual(sides(stopped).slice(2), ['d2', undefined]);
  });

  test('that was refused has what it would have been done to', async (t) => {
    const { server, admin, recordOf } = await closed(t);
    const anna = await makeUser(server, admin, 'anna', [{ role: 'operator' }]);
    const refused: [string, string, string][] = [
      ['DELETE', '/access/users/root_admin', 'root_admin'],
      ['PUT', '/config/v2/secrets/plc/token', 'plc/token'],
      ['POST', '/config/v2/cfgdb/revisions/1/restore', '1'],
      ['DELETE', '/config/v2/connectors/plc', 'plc'],
    ];
    for (const [method, path, object] of refused) {
      const record = await recordOf(() => anna.ask(method, path));
      assert.deepEqual([record.who, record.object, record.result], ['anna', object, 'not-allowed']);
    }
  });
});
