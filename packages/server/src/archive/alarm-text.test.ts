import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AlarmState, unpackAlarm } from '@telltale/schema';
import fc from 'fast-check';
import { isActiveAlarm, packAlarm } from './alarm-text.ts';
import { maxRecordTextBytes } from './records.ts';

const anyState = fc.constantFrom<AlarmState>('INACT_ACK', 'ACT_UNACK', 'ACT_ACK', 'INACT_UNACK');
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', ' ', '7 ', '\n', '__proto__', 'ACT_ACK 0 ', '😀'),
);

test('AR-16: a transition comes out of its text as it went in', () => {
  fc.assert(
    fc.property(anyState, anyText, anyText, (state, authority, description) => {
      const text = packAlarm({ state, authority, description });
      assert.deepEqual(unpackAlarm(text), { state, authority, description });
      assert.equal(isActiveAlarm(text), state === 'ACT_UNACK' || state === 'ACT_ACK');
    }),
  );
});

test('AR-16: what is too long for a record is cut between characters, and shows it', () => {
  for (const character of ['x', 'é', '€', '😀']) {
    const long = character.repeat(1_000_000);
    const text = packAlarm({ state: 'ACT_ACK', authority: long, description: long });
    assert.ok(Buffer.byteLength(text) <= maxRecordTextBytes && text.isWellFormed());
    const { authority = '', description = '' } = unpackAlarm(text) ?? {};
    assert.ok(authority.endsWith(`${character}…`) && description.endsWith(`${character}…`));
    assert.ok(Buffer.byteLength(description) > maxRecordTextBytes / 2 - 100);
  }
  const exact = 'é'.repeat(60_000);
  assert.equal(unpackAlarm(packAlarm({ state: 'ACT_ACK', authority: '', description: exact }))?.description, exact);
  const torn = packAlarm({ state: 'ACT_ACK', authority: '\ud83d', description: 'a\ude00' });
  assert.deepEqual(unpackAlarm(torn), { state: 'ACT_ACK', authority: '\ufffd', description: 'a\ufffd' });
});

test('a text that is no transition is none', () => {
  const texts = [
    '',
    'ACT_ACK',
    'ACT_ACK 5 abc',
    'ACT_ACK 01 a',
    'ACT_ACK -1 a',
    'ACT_ACK 1e1 a',
    'X 0 ',
    ' ACT_ACK 0 ',
  ];
  for (const text of [...texts, `ACT_ACK ${'9'.repeat(400)} a`, 'act_ack 0 ', 'ACT 0 ']) {
    assert.equal(unpackAlarm(text), undefined, text);
  }
});
