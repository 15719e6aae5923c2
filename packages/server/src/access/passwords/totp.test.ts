// Promises of one-time codes: those of the RFC, each taken once, and codes for whoever has lost the rest.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { newRecoveryCodes, takeRecoveryCode } from './recovery-codes.ts';
import { newTotp, presentCode, takeCode, totpUri } from './totp.ts';

/** "12345678901234567890"; for chance as well: of two codes one in a million are the same. */
const rfc = { secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ', lastStep: 0 };
const second = 1e6;
const nowUs = 1_700_000_010 * second;

describe('a code', () => {
  test('is that of RFC 6238', () => {
    const totp = rfc;
    for (const [seconds, code] of [
      [59, '287082'],
      [1111111109, '081804'],
      [1111111111, '050471'],
      [1234567890, '005924'],
      [2000000000, '279037'],
      [20000000000, '353130'],
    ] as const) {
      assert.equal(presentCode(totp, seconds * second), code);
      assert.notEqual(takeCode(totp, code, seconds * second), undefined);
    }
  });

  test('is taken half a minute early and late, with spaces, and no more', () => {
    const totp = newTotp();
    const code = presentCode(totp, nowUs);
    for (const seconds of [-30, 0, 30]) assert.ok(takeCode(totp, code, nowUs + seconds * second), `${seconds}`);
    assert.ok(takeCode(totp, `${code.slice(0, 3)} ${code.slice(3)}`, nowUs));
    for (const wrong of ['', code.slice(1), `${code}0`, `-${code.slice(1)}`, '٠'.repeat(6), '0'.repeat(1 << 20)])
      assert.equal(takeCode(totp, wrong, nowUs), undefined);
  });

  test('is taken once, and so is none from before it', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(3), fc.integer({ min: -1, max: 1 })), { maxLength: 30 }), (tries) => {
        let totp = rfc;
        let step = Math.floor(nowUs / 30 / second);
        let newest = 0;
        for (const [later, offset] of tries) {
          step += later;
          const shown = step + offset;
          const taken = takeCode(totp, presentCode(totp, shown * 30 * second), step * 30 * second);
          if (taken !== undefined) assert.ok(taken.lastStep > newest);
          if (shown <= newest) continue;
          assert.notEqual(taken, undefined);
          totp = taken ?? totp;
          newest = totp.lastStep;
        }
      }),
    );
  });

  test('comes from a secret of its own, which an app reads from a link', () => {
    const [one, other] = [newTotp(), newTotp()];
    assert.match(one.secret, /^[A-Z2-7]{32}$/);
    assert.notEqual(one.secret, other.secret);
    const uri = new URL(totpUri(one, 'anna', 'Telltale plant:1'));
    assert.equal(uri.pathname, '/Telltale%20plant%3A1:anna');
    assert.equal(uri.searchParams.get('secret'), one.secret);
    assert.equal(uri.searchParams.get('issuer'), 'Telltale plant:1');
  });
});

describe('a recovery code', () => {
  test('is good once, however it is typed, and the others stay', () => {
    const { texts, hashes } = newRecoveryCodes();
    assert.equal(new Set(texts).size, 10);
    let left: readonly string[] = hashes;
    for (const [at, text] of texts.entries()) {
      assert.match(text, /^(?:[a-z2-9]{4}-){3}[a-z2-9]{4}$/);
      const typed = [text, text.toUpperCase(), text.replaceAll('-', ''), ` ${text} `][at % 4] ?? '';
      left = takeRecoveryCode(left, typed) ?? assert.fail(typed);
      assert.equal(left.length, 9 - at);
      assert.equal(takeRecoveryCode(left, text), undefined);
    }
  });

  test('that was never made is not taken, and none can be read from what is stored', () => {
    const { texts, hashes } = newRecoveryCodes();
    for (const wrong of ['', '-', 'aaaa-aaaa-aaaa-aaaa', 'x'.repeat(1 << 20), hashes[0] ?? '', 'constructor'])
      assert.equal(takeRecoveryCode(hashes, wrong), undefined);
    for (const text of texts) assert.ok(!hashes.join().includes(text.replaceAll('-', '')));
  });
});
