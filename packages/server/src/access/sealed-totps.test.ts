// Promises of the secrets of one-time codes on disk.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { beforeEach, describe, test } from 'node:test';
import { ManualClock } from '@telltale/schema/testing';
import { administrator, closedAccess, MemoryAccess } from '../../test/memory-access.ts';
import { ownerCaller } from './caller.ts';
import { presentCode, type Totp } from './passwords/totp.ts';
import { SealedTotps } from './sealed-totps.ts';

const { name, password } = administrator;
const [one, other] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')] as const;
let clock: ManualClock;
beforeEach(() => {
  clock = new ManualClock();
});

/** The administrator has an app. */
async function withApp(secretKeys: readonly string[]) {
  const access = await closedAccess({ clock, secretKeys });
  const { secret } = access.factors.beginTotp(name);
  const code = () => presentCode({ secret, lastStep: 0 }, clock.now());
  const recovery = await access.factors.confirmTotp(name, code());
  return { access, secret, code, recovery };
}

/** The same data folder, started with other keys. */
async function restart(before: MemoryAccess, secretKeys: readonly string[]): Promise<MemoryAccess> {
  const access = new MemoryAccess({ clock, secretKeys }, before.stored);
  await access.open();
  return access;
}

const onDisk = ({ stored }: MemoryAccess) => JSON.stringify([...stored]);

/** Whether this code signs in: a new one each time. */
async function signsIn(access: MemoryAccess, code: () => string): Promise<boolean> {
  clock.advance(60_000);
  return access.signIn({ user: name, password, code: code() }, {}).then(
    () => true,
    () => false,
  );
}

describe('the secret of an app', () => {
  test('is nowhere on disk where the server has a key, and its codes sign in, also after a restart', async () => {
    const { access, secret, code } = await withApp([one]);
    assert.ok(!onDisk(access).includes(secret));
    assert.ok(await signsIn(access, code));
    const again = await restart(access, [one]);
    assert.ok(await signsIn(again, code));
    assert.ok(!onDisk(again).includes(secret));
    assert.deepEqual(again.warnings, []);
  });

  test('that was stored before there was a key is sealed at the next start, and with a new key anew', async () => {
    const { access, secret, code } = await withApp([]);
    assert.ok(onDisk(access).includes(secret));
    const sealed = await restart(access, [one]);
    assert.ok(!onDisk(sealed).includes(secret));
    assert.ok(await signsIn(sealed, code));
    const renewed = await restart(sealed, [other, one]);
    const last = await restart(renewed, [other]);
    assert.ok(await signsIn(last, code));
  });

  test('is left as it is where it cannot be opened: somebody is told, codes for recovery sign in, and the key brings it back', async () => {
    const { access, code, recovery } = await withApp([one]);
    for (const keys of [[], [other]]) {
      const lost = await restart(access, keys);
      assert.ok(!(await signsIn(lost, code)));
      assert.match(lost.warnings.join(), new RegExp(`one-time codes of ${name} are refused.*--secret-key-file`));
      assert.ok(await signsIn(lost, () => recovery[keys.length] ?? ''));
    }
    const found = await restart(access, [one]);
    assert.deepEqual(found.warnings, []);
    assert.ok(await signsIn(found, code));
  });

  test('that cannot be opened is replaced by a new one, and nobody is warned any more', async () => {
    const { access } = await withApp([one]);
    const lost = await restart(access, []);
    const { secret } = lost.factors.beginTotp(name);
    const code = () => presentCode({ secret, lastStep: 0 }, clock.now());
    await lost.factors.confirmTotp(name, code());
    assert.deepEqual(lost.warnings, []);
    assert.ok(await signsIn(lost, code));
  });

  test('is that of its user alone: copied to another one, it is of no use', async () => {
    const { access } = await withApp([one]);
    await access.accounts.putUser('eve', { grants: [{ role: 'viewer' }] }, ownerCaller);
    const { factors = {} } = access.accounts.stored(name) ?? {};
    const totp = factors.totp as Totp;
    const sealed = new SealedTotps([one]);
    assert.ok(sealed.open(name, totp) !== undefined && sealed.open('eve', totp) === undefined);
    await access.accounts.noteUser('eve', { factors });
    assert.ok(access.factors.isUnopened('eve') && !access.factors.isUnopened(name));
  });

  test('is as good as before where the disk refuses at the start', async () => {
    const { access, code } = await withApp([]);
    const store = {
      missing: [],
      open: async () => [...access.stored.values()],
      change: () => Promise.reject(new Error('full')),
    };
    const full = new MemoryAccess({ clock, secretKeys: [one], store }, access.stored);
    await full.open();
    assert.ok(!full.factors.isUnopened(name));
    assert.ok(await signsIn(await restart(access, [one]), code));
  });
});
