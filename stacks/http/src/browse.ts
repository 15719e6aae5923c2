// The JSON of a server as a tree to look around in, with points that are ready to be configured.
import {
  type BrowseAnswer,
  type BrowsedPoint,
  type BrowseItem,
  type BrowseRequest,
  followPointer,
  formatPointer,
  Refused,
} from '@telltale/stack-kit';
import { parseMeasurement } from './address.ts';

/** The paths that are offered at the top. */
export function browsePaths(paths: readonly string[], request: BrowseRequest): BrowseAnswer {
  return page(paths.length, request, (at) => {
    const path = paths[at] as string;
    return { title: path, path, measurement: undefined, command: undefined };
  });
}

/** What stands below a place in the answer of a path. */
export async function browseDocument(
  request: BrowseRequest & { readonly path: string },
  load: (path: string) => Promise<unknown>,
): Promise<BrowseAnswer> {
  const place = parseMeasurement(request.path);
  if (typeof place === 'string') throw new Refused(place);
  const found = followPointer(await load(place.path), place.pointer);
  if (found === undefined) throw new Refused(`the answer has nothing at ${request.path}`);
  if (typeof found !== 'object' || found === null) {
    return page(1, request, () => itemOf(place.path, place.pointer, found));
  }
  const steps = Object.keys(found);
  return page(steps.length, request, (at) => {
    const step = steps[at] as string;
    return itemOf(place.path, [...place.pointer, step], (found as Record<string, unknown>)[step]);
  });
}

function itemOf(path: string, pointer: readonly string[], json: unknown): BrowseItem {
  const address = pointer.length === 0 ? path : `${path}#${formatPointer(pointer)}`;
  const title = pointer.at(-1) ?? path;
  if (typeof json === 'object' && json !== null)
    return { title, path: address, measurement: undefined, command: undefined };
  return { title, path: undefined, measurement: pointOf(address, pointer, path, json), command: undefined };
}

/** The type of null is unknown. A number may have a fraction later: it is a double unless it is too large. */
function pointOf(address: string, pointer: readonly string[], path: string, json: unknown): BrowsedPoint | undefined {
  const name = pointer.length === 0 ? path : pointer.join('.');
  switch (typeof json) {
    case 'boolean':
      return { name, address, datatype: 'b' };
    case 'number':
      return { name, address, datatype: 'd' };
    case 'bigint':
      return { name, address, datatype: 'l' };
    case 'string':
      return { name, address, datatype: 's' };
    default:
      return undefined;
  }
}

function page(count: number, { cursor, limit }: BrowseRequest, itemAt: (at: number) => BrowseItem): BrowseAnswer {
  const from = cursor === undefined ? 0 : Number(cursor);
  if (!Number.isSafeInteger(from) || from < 0) throw new Refused('the cursor is not one of an earlier answer');
  const until = Math.min(count, from + Math.max(1, limit));
  const items = Array.from({ length: Math.max(0, until - from) }, (_, at) => itemAt(from + at));
  return { items, cursor: until < count ? String(until) : undefined };
}
