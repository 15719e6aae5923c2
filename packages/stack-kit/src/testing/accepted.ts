// A write that a test expects to be accepted, or to end in a way that it names.
import type { WriteResult } from '../write-result.ts';

/** Throws where it was not accepted: an error that is named by how it ended, with the reason. */
export async function accepted(writing: Promise<WriteResult>): Promise<void> {
  const result = await writing;
  if (result.kind !== 'accepted') throw Object.assign(new Error(result.reason), { name: result.kind });
}
