// What is asked of the journal of all sites.
import type { InputOf } from '@telltale/schema';
import type { Interval, visitorOf } from '../archive/index.ts';

export interface AskedTransitions {
  readonly input: InputOf<'listTransitionsOfSites'>;
  readonly interval: Interval;
  readonly asking: Parameters<typeof visitorOf>[0];
  /** Of the interface of a site. */
  readonly dataPath: string;
  readonly signal: AbortSignal;
}

/** Of a page. */
export const usualTransitions = 100;
