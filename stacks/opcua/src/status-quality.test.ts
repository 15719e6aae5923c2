import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { quality } from '@telltale/schema';
import fc from 'fast-check';
import { type StatusCode, StatusCodes } from 'node-opcua-client';
import { qualityOfStatus, statusOfQuality } from './status-quality.ts';

const { bad, uncertain } = quality;

describe('a status code as a quality', () => {
  const cases: [StatusCode, number][] = [
    [StatusCodes.Good, quality.good],
    [StatusCodes.GoodClamped, quality.good],
    [StatusCodes.GoodLocalOverride, quality.goodLocalOverride],
    [StatusCodes.Uncertain, uncertain.nonSpecific],
    [StatusCodes.UncertainInitialValue, uncertain.nonSpecific],
    [StatusCodes.UncertainSubstituteValue, uncertain.nonSpecific],
    [StatusCodes.UncertainSimulatedValue, uncertain.nonSpecific],
    [StatusCodes.UncertainLastUsableValue, uncertain.lastUsableValue],
    [StatusCodes.UncertainNoCommunicationLastUsableValue, uncertain.lastUsableValue],
    [StatusCodes.UncertainSensorNotAccurate, uncertain.sensorNotAccurate],
    [StatusCodes.UncertainEngineeringUnitsExceeded, uncertain.engineeringUnitsExceeded],
    [StatusCodes.UncertainSubNormal, uncertain.subnormal],
    [StatusCodes.Bad, bad.nonSpecific],
    [StatusCodes.BadUnexpectedError, bad.nonSpecific],
    [StatusCodes.BadConfigurationError, bad.configurationError],
    [StatusCodes.BadNotConnected, bad.notConnected],
    [StatusCodes.BadWaitingForInitialData, bad.notConnected],
    [StatusCodes.BadDeviceFailure, bad.deviceFailure],
    [StatusCodes.BadSensorFailure, bad.sensorFailure],
    [StatusCodes.BadOutOfService, bad.outOfService],
    [StatusCodes.BadCommunicationError, bad.communicationFailure],
    [StatusCodes.BadNoCommunication, bad.communicationFailure],
    [StatusCodes.BadTimeout, bad.communicationFailure],
    [StatusCodes.BadRequestTimeout, bad.communicationFailure],
    [StatusCodes.BadServerNotConnected, bad.communicationFailure],
    [StatusCodes.BadConnectionClosed, bad.communicationFailure],
    [StatusCodes.BadShutdown, bad.communicationFailure],
    [StatusCodes.BadNodeIdInvalid, bad.configurationError],
    [StatusCodes.BadNodeIdUnknown, bad.configurationError],
    [StatusCodes.BadAttributeIdInvalid, bad.configurationError],
    [StatusCodes.BadIndexRangeInvalid, bad.configurationError],
    [StatusCodes.BadIndexRangeNoData, bad.configurationError],
    [StatusCodes.BadNotReadable, bad.configurationError],
    [StatusCodes.BadNotSupported, bad.configurationError],
    [StatusCodes.BadUserAccessDenied, bad.configurationError],
    [StatusCodes.BadTypeMismatch, bad.configurationError],
  ];
  for (const [status, expected] of cases) {
    test(status.name, () => assert.equal(qualityOfStatus(status.value), expected));
  }

  test('keeps the limits of a value, and passes over bits that speak of something else', () => {
    assert.equal(qualityOfStatus(0x0000_0500), quality.good | quality.limit.low);
    assert.equal(qualityOfStatus(0x4094_0600), uncertain.engineeringUnitsExceeded | quality.limit.high);
    assert.equal(qualityOfStatus(0x0000_0700), quality.good | quality.limit.constant);
    assert.equal(qualityOfStatus(0x0000_0480), quality.good, 'an overflow of the queue');
    assert.equal(qualityOfStatus(0x0000_0300), quality.good, 'no bits of a value');
  });

  test('has the severity of the status code, whatever it is', () => {
    fc.assert(
      fc.property(fc.nat(0xffff_ffff), (code) => {
        const severity = code >>> 30;
        const expected = severity === 0 ? quality.good : severity === 1 ? uncertain.nonSpecific : bad.nonSpecific;
        assert.equal(qualityOfStatus(code) & 0xc0, expected);
      }),
    );
  });
});

describe('a quality as a status code', () => {
  test('reads back as the quality that it was, but for the last known value', () => {
    const known = [quality.good, quality.goodLocalOverride, ...Object.values(uncertain), ...Object.values(bad)];
    for (const q of known) {
      for (const limit of [0, 1, 2, 3]) {
        const expected = q === bad.lastKnownValue ? bad.communicationFailure : q;
        assert.equal(qualityOfStatus(statusOfQuality(q | limit)), expected | limit);
      }
    }
  });

  test('says of a good value that it is simulated, in the words of OPC UA', () => {
    const { good, goodLocalOverride, simulated, limit } = quality;
    assert.equal(qualityOfStatus(statusOfQuality(good | simulated | limit.high)), goodLocalOverride | limit.high);
    assert.equal(statusOfQuality(bad.sensorFailure | simulated), StatusCodes.BadSensorFailure.value);
  });

  test('is one that OPC UA knows', () => {
    const codes = new Set(Object.values(StatusCodes).map((each) => each.value));
    for (let q = 0; q < 256; q++) assert.ok(codes.has((statusOfQuality(q) & 0xffff_0000) >>> 0), `quality ${q}`);
  });

  test('is never better than the quality', () => {
    fc.assert(
      fc.property(fc.nat(0xffff), (q) => {
        const severity = statusOfQuality(q) >>> 30;
        if ((q & 0xc0) === quality.good) assert.equal(severity, 0);
        else if ((q & 0xc0) === uncertain.nonSpecific) assert.equal(severity, 1);
        else assert.equal(severity, 2);
      }),
    );
  });
});
