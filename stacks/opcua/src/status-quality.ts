// Status codes of OPC UA and qualities of points, both ways. The severity is always kept; of the rest, what the other
// side has a word for. The README has the table.
import { quality, qualityMask } from '@telltale/schema';

const { bad, uncertain } = quality;

/** From status code, without its lower 16 bits, to quality. */
const qualities = new Map<number, number>([
  [0x0096_0000, quality.goodLocalOverride], // GoodLocalOverride
  [0x408f_0000, uncertain.lastUsableValue], // UncertainNoCommunicationLastUsableValue
  [0x4090_0000, uncertain.lastUsableValue], // UncertainLastUsableValue
  [0x4093_0000, uncertain.sensorNotAccurate], // UncertainSensorNotAccurate
  [0x4094_0000, uncertain.engineeringUnitsExceeded], // UncertainEngineeringUnitsExceeded
  [0x4095_0000, uncertain.subnormal], // UncertainSubNormal
  [0x8089_0000, bad.configurationError], // BadConfigurationError
  [0x808a_0000, bad.notConnected], // BadNotConnected
  [0x8032_0000, bad.notConnected], // BadWaitingForInitialData
  [0x808b_0000, bad.deviceFailure], // BadDeviceFailure
  [0x808c_0000, bad.sensorFailure], // BadSensorFailure
  [0x808d_0000, bad.outOfService], // BadOutOfService
  [0x8005_0000, bad.communicationFailure], // BadCommunicationError
  [0x8031_0000, bad.communicationFailure], // BadNoCommunication
  [0x800a_0000, bad.communicationFailure], // BadTimeout
  [0x8085_0000, bad.communicationFailure], // BadRequestTimeout
  [0x800d_0000, bad.communicationFailure], // BadServerNotConnected
  [0x80ae_0000, bad.communicationFailure], // BadConnectionClosed
  [0x800c_0000, bad.communicationFailure], // BadShutdown
  // What the server says of the node itself: the address or the rights are wrong.
  [0x8033_0000, bad.configurationError], // BadNodeIdInvalid
  [0x8034_0000, bad.configurationError], // BadNodeIdUnknown
  [0x8035_0000, bad.configurationError], // BadAttributeIdInvalid
  [0x8036_0000, bad.configurationError], // BadIndexRangeInvalid
  [0x8037_0000, bad.configurationError], // BadIndexRangeNoData
  [0x803a_0000, bad.configurationError], // BadNotReadable
  [0x803d_0000, bad.configurationError], // BadNotSupported
  [0x801f_0000, bad.configurationError], // BadUserAccessDenied
  [0x8074_0000, bad.configurationError], // BadTypeMismatch
]);

const statuses = new Map<number, number>([
  [quality.good, 0],
  [quality.goodLocalOverride, 0x0096_0000],
  [uncertain.nonSpecific, 0x4000_0000],
  [uncertain.lastUsableValue, 0x4090_0000],
  [uncertain.sensorNotAccurate, 0x4093_0000],
  [uncertain.engineeringUnitsExceeded, 0x4094_0000],
  [uncertain.subnormal, 0x4095_0000],
  [bad.nonSpecific, 0x8000_0000],
  [bad.configurationError, 0x8089_0000],
  [bad.notConnected, 0x808a_0000],
  [bad.deviceFailure, 0x808b_0000],
  [bad.sensorFailure, 0x808c_0000],
  [bad.lastKnownValue, 0x8031_0000],
  [bad.communicationFailure, 0x8005_0000],
  [bad.outOfService, 0x808d_0000],
]);

/** The info bits speak of a value: only then are the limit bits there. */
const dataValueInfo = 0x0400;
const infoTypeMask = 0x0c00;
const limitShift = 8;
const overflow = 0x0080;

export function qualityOfStatus(code: number): number {
  const severity = code >>> 30;
  const ofSeverity = severity === 0 ? quality.good : severity === 1 ? uncertain.nonSpecific : bad.nonSpecific;
  const known = qualities.get((code & 0xffff_0000) >>> 0) ?? ofSeverity;
  return (code & infoTypeMask) === dataValueInfo ? known | ((code >>> limitShift) & qualityMask.limit) : known;
}

/** The queue of a monitored item was full: values before or after this one are lost. */
export function hasOverflown(code: number): boolean {
  return (code & infoTypeMask) === dataValueInfo && (code & overflow) !== 0;
}

/** A good value that somebody simulates is what OPC UA calls overridden; others have no place for that mark. */
export function statusOfQuality(q: number): number {
  const [status, substatus, limit] = [q & qualityMask.status, q & qualityMask.substatus, q & qualityMask.limit];
  // The status 0x80 means nothing: what is not surely good or uncertain is bad.
  const ofStatus = status === quality.good ? 0 : status === uncertain.nonSpecific ? 0x4000_0000 : 0x8000_0000;
  const isOverridden = status === quality.good && (q & quality.simulated) !== 0;
  const known = isOverridden ? quality.goodLocalOverride : status | substatus;
  const code = statuses.get(known) ?? ofStatus;
  return limit === 0 ? code : (code | dataValueInfo | (limit << limitShift)) >>> 0;
}
