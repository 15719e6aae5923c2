// Promises of the notices of expiry, with very many certificates.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Certificate } from '@telltale/schema';
import { ManualClock } from '@telltale/schema/testing';
import { pino } from 'pino';
import { ExpiryNotices } from './expiry.ts';

test('many connectors with a bundle of authorities each take no longer than their certificates are many', () => {
  const [connectors, authorities] = [30, 121];
  let looks = 0;
  const certificates = Array.from({ length: connectors * authorities }, (_, at) => {
    const name = `c${at % connectors}`;
    return {
      role: 'connector',
      name,
      use: 'authority',
      state: 'trusted',
      thumbprint: String(at),
      'days-left': -1,
      get file() {
        looks++;
        return `stacks/connector-${name}/ca.pem`;
      },
    } as Certificate;
  });
  const notices = new ExpiryNotices(new ManualClock(), pino({ enabled: false }));
  notices.update(certificates);
  assert.deepEqual(notices.texts, [], 'some of a bundle are always old');
  assert.ok(looks <= certificates.length * 3, `${looks} looks`);
});
