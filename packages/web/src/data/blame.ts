// The fields of a configured object, and who changed each of them last.
import type { BlamedField, Family } from '@telltale/schema';
import { client } from './service.ts';

export type { BlamedField };

export async function readBlame(family: Family, name: string, signal: AbortSignal): Promise<readonly BlamedField[]> {
  const { fields } = await client.configuration.blame(family, name, { signal });
  return fields;
}
