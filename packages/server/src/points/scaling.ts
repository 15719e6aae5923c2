// The straight line between the raw range and the engineering range of a point, both ways.
import { type Command, type Datatype, type Measurement, parseText } from '@telltale/schema';

export interface Scaling {
  readonly rawLo: number;
  readonly rawHi: number;
  readonly euLo: number;
  readonly euHi: number;
}

/** Undefined where not all four ends are set, or where the stage is switched off. */
export function scalingOf(point: Measurement | Command): Scaling | undefined {
  const { datatype, rawDatatype = datatype, stackUmask = 0 } = point;
  const { rawRangeLo, rawRangeHi, euRangeLo, euRangeHi } = point;
  if ((stackUmask & stage.scaler) !== 0) return undefined;
  if (rawRangeLo === undefined || rawRangeHi === undefined || euRangeLo === undefined || euRangeHi === undefined) {
    return undefined;
  }
  return {
    rawLo: endOf(rawDatatype, rawRangeLo),
    rawHi: endOf(rawDatatype, rawRangeHi),
    euLo: endOf(datatype, euRangeLo),
    euHi: endOf(datatype, euRangeHi),
  };
}

/** Bits of `stackUmask`: each switches a stage off. */
export const stage = { watchdog: 1, scaler: 2, deduplicator: 4, deadband: 8, rawLimits: 16, limits: 32 } as const;

/** A range end as a number; a 64-bit integer beyond 2^53 is rounded, as all scaling is. */
function endOf(datatype: Datatype, text: string): number {
  return Number(parseText(datatype, text));
}

/** Both ends are met exactly. */
export function toEngineering({ rawLo, rawHi, euLo, euHi }: Scaling, raw: number): number {
  return raw === rawHi ? euHi : euLo + (raw - rawLo) * ((euHi - euLo) / (rawHi - rawLo));
}

/** What lies inside the engineering range comes to lie inside the raw range, whatever the last digit is rounded to. */
export function toRaw({ rawLo, rawHi, euLo, euHi }: Scaling, eu: number): number {
  const raw = eu === euHi ? rawHi : rawLo + (eu - euLo) * ((rawHi - rawLo) / (euHi - euLo));
  const isInside = eu >= Math.min(euLo, euHi) && eu <= Math.max(euLo, euHi);
  return isInside ? Math.min(Math.max(raw, Math.min(rawLo, rawHi)), Math.max(rawLo, rawHi)) : raw;
}
