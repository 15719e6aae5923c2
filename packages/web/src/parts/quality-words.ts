// A quality in the reader's language.
import { quality, qualityMask } from '@telltale/schema/values';
import { words } from '../words/words.ts';

type QualityWords = ReturnType<typeof table>;

const table = () => words.value.values.qualities;

const keys: Readonly<Record<number, keyof QualityWords>> = {
  [quality.good]: 'good',
  [quality.goodLocalOverride]: 'goodOverride',
  [quality.uncertain.nonSpecific]: 'uncertain',
  [quality.uncertain.lastUsableValue]: 'lastUsable',
  [quality.uncertain.sensorNotAccurate]: 'notAccurate',
  [quality.uncertain.engineeringUnitsExceeded]: 'outOfUnits',
  [quality.uncertain.subnormal]: 'subnormal',
  [quality.bad.nonSpecific]: 'bad',
  [quality.bad.configurationError]: 'configuration',
  [quality.bad.notConnected]: 'notConnected',
  [quality.bad.deviceFailure]: 'deviceFailure',
  [quality.bad.sensorFailure]: 'sensorFailure',
  [quality.bad.lastKnownValue]: 'lastKnown',
  [quality.bad.communicationFailure]: 'communication',
  [quality.bad.outOfService]: 'outOfService',
};

/** `bad, communication failure`, with its limits, and whether it is forced. */
export function qualityText(q: number): string {
  const found = table();
  const key = keys[q & (qualityMask.status | qualityMask.substatus)];
  const status =
    (q & qualityMask.status) === quality.good ? 'good' : (q & qualityMask.status) === 0 ? 'bad' : 'uncertain';
  const limits = [undefined, found.lowLimited, found.highLimited, found.constant][q & qualityMask.limit];
  const forced = (q & quality.simulated) === 0 ? undefined : found.simulated;
  return [found[key ?? status], limits, forced].filter((each) => each !== undefined).join(', ');
}
