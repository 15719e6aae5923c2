// Everything that is forced now: who, since when, until when, and why.
import type { Simulation } from '@telltale/schema';
import { client } from './service.ts';

/** The newest first. */
export async function readForced(signal: AbortSignal): Promise<Simulation[]> {
  const found = Object.values(await client.measurements.simulations({ signal }));
  return found.sort((a, b) => b.since[0] - a.since[0] || b.since[1] - a.since[1]);
}
