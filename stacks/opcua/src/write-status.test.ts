import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type StatusCode, StatusCodes } from 'node-opcua-client';
import { resultOf } from './write-status.ts';

const kindOf = (status: StatusCode) => resultOf(status).kind;

test('a write is accepted where the server says good, and it is done', () => {
  assert.equal(kindOf(StatusCodes.Good), 'accepted');
  assert.equal(kindOf(StatusCodes.GoodClamped), 'accepted');
  assert.equal(kindOf(StatusCodes.GoodCompletesAsynchronously), 'unknown');
});

test('a write is refused where the server has checked it and has not done it, with the status', () => {
  assert.match(JSON.stringify(resultOf(StatusCodes.BadNotWritable)), /"refused","reason":"BadNotWritable: [^"]*[^."]"/);
  const { BadTypeMismatch, BadOutOfRange, BadUserAccessDenied, BadNodeIdUnknown, BadRequestNotAllowed } = StatusCodes;
  for (const status of [BadTypeMismatch, BadOutOfRange, BadUserAccessDenied, BadNodeIdUnknown, BadRequestNotAllowed]) {
    assert.equal(kindOf(status), 'refused', status.name);
  }
});

test('whatever else is answered leaves open whether the device has it', () => {
  const doubtful = [
    'BadTimeout',
    'BadRequestTimeout',
    'BadDeviceFailure',
    'BadSensorFailure',
    'BadCommunicationError',
    'BadNoCommunication',
    'BadNotConnected',
    'BadServerNotConnected',
    'BadConnectionClosed',
    'BadUnexpectedError',
    'BadInternalError',
    'BadUnknownResponse',
    'BadShutdown',
    'BadServerHalted',
    'BadResourceUnavailable',
    'BadOutOfService',
    'BadRequestCancelledByClient',
    'BadSessionClosed',
    'BadResponseTooLarge',
    'Bad',
    'Uncertain',
    'UncertainLastUsableValue',
  ] as const;
  for (const name of doubtful) assert.equal(kindOf(StatusCodes[name] as StatusCode), 'unknown', name);
  const unheardOf = { value: 0x80ff_0000, name: 'of its own', description: '', equals: () => false };
  assert.equal(kindOf(unheardOf as unknown as StatusCode), 'unknown');
});
