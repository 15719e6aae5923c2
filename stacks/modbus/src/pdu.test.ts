import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  answerLength,
  checkAnswer,
  ModbusException,
  maskWriteRegister,
  readRequest,
  UnfitAnswer,
  writeMultipleCoils,
  writeMultipleRegisters,
  writeSingleCoil,
  writeSingleRegister,
} from './pdu.ts';

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const bytes = (text: string) => Uint8Array.from(Buffer.from(text, 'hex'));

describe('a request', () => {
  // The examples of the specification, MODBUS Application Protocol V1.1b3.
  test('has the bytes of the specification', () => {
    assert.equal(hex(readRequest('co', 0x13, 0x13)), '0100130013');
    assert.equal(hex(readRequest('di', 0xc4, 0x16)), '0200c40016');
    assert.equal(hex(readRequest('hr', 0x6b, 3)), '03006b0003');
    assert.equal(hex(readRequest('ir', 8, 1)), '0400080001');
    assert.equal(hex(writeSingleCoil(0xac, true)), '0500acff00');
    assert.equal(hex(writeSingleRegister(1, Uint8Array.of(0, 3))), '0600010003');
    const coils = [1, 0, 1, 1, 0, 0, 1, 1, 1, 0].map((bit) => bit === 1);
    assert.equal(hex(writeMultipleCoils(0x13, coils)), '0f0013000a02cd01');
    assert.equal(hex(writeMultipleRegisters(1, bytes('000a0102'))), '100001000204000a0102');
    assert.equal(hex(maskWriteRegister(4, 0xf2, 0x25)), '16000400f20025');
  });

  test('knows how long its answer is', () => {
    assert.equal(answerLength(readRequest('co', 0x13, 0x13)), 5);
    assert.equal(answerLength(readRequest('hr', 0, 125)), 252);
    assert.equal(answerLength(writeMultipleRegisters(1, bytes('000a0102'))), 5);
    assert.equal(answerLength(maskWriteRegister(4, 1, 2)), 7);
  });
});

describe('an answer', () => {
  const request = readRequest('hr', 0x6b, 3);

  test('that is right passes', () => {
    checkAnswer(request, bytes('0306022b00000064'));
    checkAnswer(writeMultipleRegisters(1, bytes('000a0102')), bytes('1000010002'));
    checkAnswer(writeSingleCoil(0xac, true), bytes('0500acff00'));
    checkAnswer(maskWriteRegister(4, 0xf2, 0x25), bytes('16000400f20025'));
  });

  test('may be an exception', () => {
    assert.throws(
      () => checkAnswer(request, bytes('8302')),
      (error) => error instanceof ModbusException && error.code === 2 && /illegal data address/.test(error.message),
    );
    assert.throws(() => checkAnswer(request, bytes('83ff')), /exception 255, not in the specification/);
  });

  for (const [text, what] of [
    ['0406022b00000064', 'of another function'],
    ['0304022b0000', 'that is too short'],
    ['0306022b0000006400', 'that is too long'],
    ['0305022b00000064', 'whose count is wrong'],
    ['8402', 'that is an exception of another function'],
    ['', 'that is empty'],
  ] as const) {
    test(`${what} is none`, () => assert.throws(() => checkAnswer(request, bytes(text)), UnfitAnswer));
  }

  test('to a write that reports another write is none', () => {
    assert.throws(() => checkAnswer(writeSingleCoil(0xac, true), bytes('0500ac0000')), UnfitAnswer);
    assert.throws(() => checkAnswer(writeMultipleRegisters(1, bytes('000a')), bytes('1000020001')), UnfitAnswer);
  });

  test('of any bytes at all passes or is refused, and is never taken for longer than it is', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.integer({ min: 1, max: 125 }), (answer, count) => {
        const asked = readRequest('hr', 0, count);
        try {
          checkAnswer(asked, answer);
          assert.equal(answer.length, 2 + 2 * count);
        } catch (error) {
          assert.ok(error instanceof UnfitAnswer || error instanceof ModbusException);
        }
      }),
    );
  });
});
