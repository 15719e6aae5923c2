// How many points are good, uncertain and bad.
import { quality, qualityMask } from '@telltale/schema';

export interface QualityCounts {
  good: number;
  uncertain: number;
  bad: number;
}

export function noQualities(): QualityCounts {
  return { good: 0, uncertain: 0, bad: 0 };
}

/** What is neither good nor uncertain is not to be trusted: the reserved status counts as bad. */
export function countQuality(counts: QualityCounts, status: number): void {
  const bits = status & qualityMask.status;
  if (bits === quality.good) counts.good++;
  else if (bits === quality.uncertain.nonSpecific) counts.uncertain++;
  else counts.bad++;
}
