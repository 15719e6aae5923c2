// What the doctor finds of an etcd that is to keep the lease; and that nothing of it stays there.
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { systemClock } from '@telltale/schema';
import { freePort } from '@telltale/stack-kit/testing';
import { Authority, withoutOpenssl } from '../../../../test/engines/authority.ts';
import { Etcd, withoutEtcd } from '../../../../test/engines/etcd.ts';
import { settingText } from '../../test/lease-world.ts';
import { examineLease, type LeaseFinding } from './examine.ts';
import { readLeaseSetting } from './lease-setting.ts';

/** Of which a write on a busy machine does not take a quarter. */
const ttlMs = 60_000;

async function found(text: string, site = 'works'): Promise<string[]> {
  const setting = readLeaseSetting(text);
  const findings = await examineLease({ setting, ttlMs, site, clock: systemClock });
  for (const { level, fix } of findings) assert.equal(fix === null, level === 'ok');
  return findings.map(({ level, text }: LeaseFinding) => `${level}: ${text.replaceAll(/127\.0\.0\.1:\d+/g, 'HERE')}`);
}

async function withUsers(t: TestContext): Promise<Etcd> {
  const etcd = await Etcd.start(t, { authority: new Authority(t) });
  await etcd.requireUsers({
    works: [{ prefix: 'telltale/works/' }],
    viewer: [{ prefix: 'telltale/works/', access: 'READ' }],
  });
  return etcd;
}

describe('the doctor of a lease', { skip: withoutEtcd || withoutOpenssl }, () => {
  test('writes a key, reads it and removes it; of several members, it looks at each', async (t) => {
    const etcd = await Etcd.start(t, { members: 3 });
    const all = await found(settingText(etcd));
    assert.equal(
      all.filter((each) => /^ok: HERE answers: etcd 3\.\d+\.\d+, it knows who leads\.$/.test(each)).length,
      3,
    );
    assert.ok(all.includes('ok: 3 of 3 members answer: most of them, which is enough.'));
    assert.match(all.at(-1) ?? '', /^ok: A key was written below telltale\/works\/, read, and removed; .* \d+ ms\.$/);
    const { count = '0' } = (await etcd.ask('kv/range', { key: btoa('t'), range_end: btoa('u') })) as {
      count?: string;
    };
    assert.equal(count, '0');
    await etcd.members[0]?.kill();
    const less = await found(settingText(etcd));
    assert.ok(
      less.some((each) => /^wrong: HERE (refuses connections|has ended)/.test(each)),
      less.join('\n'),
    );
    assert.ok(less.includes('ok: 2 of 3 members answer: most of them, which is enough.'));
    assert.match(less.at(-1) ?? '', /^ok: A key was written/);
    await etcd.members[1]?.kill();
    const none = await found(settingText(etcd));
    assert.match(none.at(-1) ?? '', /^wrong: (Etcd has no leader|No member of etcd answers)/);
  });

  test('says who is let in and who is not: users, passwords, rights and certificates', async (t) => {
    const etcd = await withUsers(t);
    const last = async (user: string | undefined, password?: string, site?: string) =>
      (await found(settingText(etcd, { ...(user && { user }), ...(password && { password }) }), site)).at(-1) ?? '';
    assert.match(await last('works'), /^ok: A key was written/);
    assert.match(
      await last('works', undefined, 'north'),
      /^wrong: Etcd refuses the keys of this site .* telltale\/north\//,
    );
    assert.match(await last('viewer'), /^wrong: Etcd refuses the keys of this site/);
    const wrong = await last('works', 'guess');
    assert.match(wrong, /^wrong: Etcd does not know the user works, or not with this password/);
    assert.doesNotMatch(wrong, /guess/);
    assert.match(await last(undefined), /^wrong: Etcd (has users, and is asked without one|wants a user)/);
    const foreign = new Authority(t, 'another');
    const pair = foreign.issue('client', '/OU=client');
    const strange = settingText(etcd, { user: 'works' }).replace(/&cert=.*$/, `&cert=${pair.cert}&key=${pair.key}`);
    assert.match((await found(strange))[0] ?? '', /^wrong: HERE .*(accept the certificate|ended the connection|alert)/);
    const trusting = settingText(etcd, { user: 'works' }).replace(/ca=[^&]*/, `ca=${foreign.ca}`);
    assert.match(
      (await found(trusting))[0] ?? '',
      /^wrong: HERE shows a certificate of no authority that is trusted here/,
    );
  });

  test('says that nobody is there, and that a name is unknown', async () => {
    const [nobody = ''] = await found(`etcd://127.0.0.1:${await freePort()}/telltale`);
    assert.match(nobody, /^wrong: HERE refuses connections: nothing listens there\.$/);
    const [unknown = ''] = await found('etcd://no.such.invalid/telltale');
    assert.match(
      unknown,
      /^wrong: No\.such\.invalid:2379 has a name that (is unknown here|cannot be looked up now)\.$/,
    );
  });
});
