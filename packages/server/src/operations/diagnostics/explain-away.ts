// Explains a measurement of a site that is not there: a centre knows what it was, and why it counts no longer.
import { describeQuality, type Explanation, type LiveMeasurement, precisionOf } from '@telltale/schema';
import type { LiveData } from '../data/index.ts';
import { when } from './value-words.ts';

/** Of the site that is not there. */
export type AwaySite = () => { readonly cause: string; readonly sinceUs: number };

export function explainAway(data: Pick<LiveData, 'measurements' | 'readMeasurement'>, away: AwaySite) {
  return async ({ name }: { readonly name: string }): Promise<Explanation> => {
    const { vtq, eu = '' } = JSON.parse(data.readMeasurement(name).toString()) as LiveMeasurement;
    const { cause, sinceUs } = away();
    const definition = data.measurements.definitionOf(data.measurements.find(name));
    const words = describeQuality(vtq[2]);
    return {
      name,
      summary: `The site is away since ${when(sinceUs)}: ${cause}. What it has read since is not known here; the value is the last one that came.`,
      vtq,
      quality: words,
      eu: eu || null,
      precision: precisionOf(definition) ?? null,
      connector: null,
      address: definition.address || null,
      reading: null,
      stages: [],
      device: { vtq, quality: words },
      simulation: null,
      rendering: null,
    };
  };
}
