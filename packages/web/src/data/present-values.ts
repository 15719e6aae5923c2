// The present values of some points, read once: to begin from, not to follow.
import { fromTimestamp } from '@telltale/schema/values';
import type { LiveValue, PointKind } from './live-value.ts';
import { client } from './service.ts';

/** Beyond so many, all are asked for: that is one request, and cheaper. */
const mostNames = 5000;

/** Of each name that there is. */
export async function currentValues(
  kind: PointKind,
  names: readonly string[],
  signal?: AbortSignal,
): Promise<Map<string, LiveValue>> {
  const values = new Map<string, LiveValue>();
  if (names.length === 0) return values;
  const wanted = new Set(names);
  const list = names.length > mostNames ? undefined : names;
  if (kind === 'measurements') {
    const found = await client.measurements.list({ names: list, fields: ['vtq'], signal });
    for (const [name, { vtq }] of Object.entries(found)) {
      if (wanted.has(name)) values.set(name, { value: vtq[0], t: fromTimestamp(vtq[1]), quality: vtq[2] });
    }
    return values;
  }
  const found = await client.commands.list({ names: list, fields: ['vt'], signal });
  for (const [name, { vt }] of Object.entries(found)) {
    if (wanted.has(name)) values.set(name, { value: vt[0], t: fromTimestamp(vt[1]), quality: undefined });
  }
  return values;
}
