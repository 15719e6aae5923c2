// What people and programs have done to one point: writes, forces, acknowledgements, changes of its configuration; the newest
// first.
import type { ObjectAction } from '@telltale/schema';
import type { AnyKind } from './find-point.ts';
import { client } from './service.ts';

export type { ObjectAction };

const most = 30;

export async function readActions(kind: AnyKind, name: string, signal: AbortSignal): Promise<ObjectAction[]> {
  return (await client[kind].actions(name, { limit: most, signal })).actions;
}
