// What can be found on the simulated device: the tags of the waterworks, by the part of the plant that they begin with.
import {
  type BrowseAnswer,
  type BrowsedPoint,
  type BrowseItem,
  type BrowseRequest,
  Refused,
} from '@telltale/stack-kit';
import { type WaterworksTag, waterworksTags } from './tags.ts';

const partOf = ({ name }: WaterworksTag) => name.split('_', 1)[0] ?? '';

const parts = Map.groupBy(waterworksTags, partOf);

export function browseTags({ path, cursor, limit }: BrowseRequest): BrowseAnswer {
  const items = path === undefined ? [...parts.keys()].map(partItem) : parts.get(path)?.map(tagItem);
  if (items === undefined) throw new Refused(`the waterworks has no part ${JSON.stringify(path)}`);
  const from = cursor === undefined ? 0 : Number(cursor);
  if (!Number.isSafeInteger(from) || from < 0) throw new Refused('the cursor is not of an earlier answer');
  const end = from + limit;
  return { items: items.slice(from, end), cursor: end < items.length ? String(end) : undefined };
}

function partItem(part: string): BrowseItem {
  return { title: part, path: part, measurement: undefined, command: undefined };
}

/** An input reads back as what it was set to. */
function tagItem({ name, datatype, direction, unit, meaning }: WaterworksTag): BrowseItem {
  const point: BrowsedPoint = { name, address: `model(${name})`, datatype, description: meaning, eu: unit };
  return { title: name, path: undefined, measurement: point, command: direction === 'input' ? point : undefined };
}
