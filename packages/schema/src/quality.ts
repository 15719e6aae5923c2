// The quality of a measurement: its constants, predicates and texts. 16 bits: vendor flags in the high byte, OPC DA
// 2.05 quality in the low byte.

/** Whole qualities, but for `simulated` and `limit`: these are added to one with `|`. */
export const quality = {
  good: 0xc0,
  goodLocalOverride: 0xd8,
  uncertain: {
    nonSpecific: 0x40,
    lastUsableValue: 0x44,
    sensorNotAccurate: 0x50,
    engineeringUnitsExceeded: 0x54,
    subnormal: 0x58,
  },
  bad: {
    nonSpecific: 0x00,
    configurationError: 0x04,
    notConnected: 0x08,
    deviceFailure: 0x0c,
    sensorFailure: 0x10,
    lastKnownValue: 0x14,
    communicationFailure: 0x18,
    outOfService: 0x1c,
  },
  limit: { low: 1, high: 2, constant: 3 },
  simulated: 0x8000,
} as const;

export const qualityMask = { status: 0xc0, substatus: 0x3c, limit: 0x03, archived: 0xff } as const;

export function isGood(q: number): boolean {
  return (q & qualityMask.status) === quality.good;
}

export function isUncertain(q: number): boolean {
  return (q & qualityMask.status) === quality.uncertain.nonSpecific;
}

export function isBad(q: number): boolean {
  return (q & qualityMask.status) === quality.bad.nonSpecific;
}

/** What the archive stores of a quality: its low byte; of a simulated value that is good, good with local override. */
export function archivedQuality(q: number): number {
  return (q & quality.simulated) !== 0 && isGood(q) ? quality.goodLocalOverride : q & qualityMask.archived;
}

/** What a selector tells apart. */
export const qualityWords = ['good', 'uncertain', 'bad', 'simulated'] as const;
export type QualityWord = (typeof qualityWords)[number];

/** Bits of the flags of an archived record. */
export const archiveFlag = { simulated: 1 } as const;

const words: Readonly<Record<number, string>> = {
  [quality.good]: 'good',
  [quality.goodLocalOverride]: 'good, local override',
  [quality.uncertain.nonSpecific]: 'uncertain',
  [quality.uncertain.lastUsableValue]: 'uncertain, last usable value',
  [quality.uncertain.sensorNotAccurate]: 'uncertain, sensor not accurate',
  [quality.uncertain.engineeringUnitsExceeded]: 'uncertain, engineering units exceeded',
  [quality.uncertain.subnormal]: 'uncertain, subnormal',
  [quality.bad.nonSpecific]: 'bad',
  [quality.bad.configurationError]: 'bad, configuration error',
  [quality.bad.notConnected]: 'bad, not connected',
  [quality.bad.deviceFailure]: 'bad, device failure',
  [quality.bad.sensorFailure]: 'bad, sensor failure',
  [quality.bad.lastKnownValue]: 'bad, last known value',
  [quality.bad.communicationFailure]: 'bad, communication failure',
  [quality.bad.outOfService]: 'bad, out of service',
};

const limitWords = ['', ', low limited', ', high limited', ', constant'] as const;

/** For people: `bad, communication failure` or `good, local override, high limited, simulated`. */
export function describeQuality(q: number): string {
  const status = q & qualityMask.status;
  const substatus = q & qualityMask.substatus;
  const known = words[status | substatus] ?? `${words[status] ?? 'reserved status'}, substatus ${hex(substatus)}`;
  const flags = q & ~qualityMask.archived & ~quality.simulated;
  return (
    known +
    limitWords[(q & qualityMask.limit) as 0 | 1 | 2 | 3] +
    ((q & quality.simulated) === 0 ? '' : ', simulated') +
    (flags === 0 ? '' : `, vendor flags ${hex(flags)}`)
  );
}

function hex(bits: number): string {
  return `0x${bits.toString(16).padStart(2, '0')}`;
}
