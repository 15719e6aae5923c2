// Takes out of a batch what was gathered of points that have changed since: it was heard elsewhere.
import { isDeepStrictEqual } from 'node:util';
import { Batch } from '@telltale/schema';
import type { StackPoint } from '@telltale/stack-kit';

type ById = ReadonlyMap<number, StackPoint>;

export function dropMoved(batch: Batch, before: ById, after: ById): void {
  if (batch.count === 0) return;
  const gathered = Batch.from(batch.take());
  for (let at = 0; at < gathered.count; at++) {
    const id = gathered.points[at] as number;
    if (isDeepStrictEqual(before.get(id), after.get(id))) batch.copy(gathered, at);
  }
}
