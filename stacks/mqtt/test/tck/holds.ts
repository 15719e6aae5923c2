// Tests of the numbered statements of the specification: one for each identifier, with it in the title.
import { test } from 'node:test';

export function holds(ids: readonly `tck-id-${string}`[], what: string, check: () => void | Promise<void>): void {
  for (const id of ids) test(`${id}: ${what}`, check);
}
