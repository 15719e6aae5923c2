// Format 11: a grant may be for one site of a centre. A server that does not know of it would take it for one of all of the plant: it
// must not open the folder.
import type { Step } from '../step.ts';

export const grantsOfSites: Step = { format: 11, summary: 'grants may be for one site of a centre' };
