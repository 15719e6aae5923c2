// What a value that a browse has found is offered as, by the access that its server grants.
import type { BrowsedPoint, BrowseItem } from '@telltale/stack-kit';
import type { DataValue } from 'node-opcua-client';

const canRead = 1;
const canWrite = 2;

/** `access`: the attribute UserAccessLevel; where there is none, the value can be read. */
export function offered(
  point: BrowsedPoint | undefined,
  access: DataValue | undefined,
): Pick<BrowseItem, 'measurement' | 'command'> {
  const level = Number(access?.value?.value ?? canRead);
  return {
    measurement: (level & canRead) === 0 ? undefined : point,
    command: (level & canWrite) === 0 ? undefined : point,
  };
}
