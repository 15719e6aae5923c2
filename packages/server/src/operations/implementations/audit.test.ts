// Promises of reading the audit trail.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '@telltale/schema';
import { ownerCaller } from '../../access/caller.ts';
import { GrantedRights } from '../../access/rights.ts';
import { audit } from './audit.ts';

test('is for whoever has the permission to all of the plant: a record of elsewhere is not for the manager of an area', async () => {
  const trail = { read: () => assert.fail('it was read') };
  const { listAudit, exportAudit } = audit({ trail, clock: systemClock });
  const rights = new GrantedRights([{ permissions: ['read-audit'], area: 'north' }]);
  const asked = { caller: { ...ownerCaller, rights }, signal: () => new AbortController().signal } as never;
  await assert.rejects(async () => listAudit({}, asked), { problem: 'not-allowed' });
  await assert.rejects(async () => exportAudit({}, asked), { problem: 'not-allowed' });
});
