// Whether a point suits the tag of the model that it names.
import { type Datatype, datatypes, traitsOf } from '@telltale/schema';
import { nearestName } from '@telltale/schema/nearest-name';
import type { PointKind } from '@telltale/stack-kit';
import { type WaterworksTag, waterworksTags } from './tags.ts';

const tags: ReadonlyMap<string, WaterworksTag> = new Map(waterworksTags.map((tag) => [tag.name, tag]));

/** Whether a raw datatype is fit for a tag: it holds its whole numbers exactly, its states as such, decimals as decimals. */
function holds(rawDatatype: Datatype, datatype: Datatype): boolean {
  if (rawDatatype === datatype) return true;
  const [raw, tag] = [traitsOf(rawDatatype), traitsOf(datatype)];
  if (!raw.isQuantity || tag.isBoolean || tag.lowest === undefined) return false;
  if (tag.precision !== 'whole') return raw.precision !== 'whole';
  if (raw.precision !== 'whole') return raw.precision === 'double' && tag.isQuantity && tag.isExactInDouble;
  return Number(raw.lowest) <= Number(tag.lowest) && Number(raw.highest) >= Number(tag.highest);
}

/** What is wrong and what would be right, or undefined. */
export function checkTag(kind: PointKind, name: string, datatype: Datatype): string | undefined {
  const tag = tags.get(name);
  if (tag === undefined) {
    const nearest = nearestName(name, tags.keys());
    return `model: there is no tag ${name}${nearest === undefined ? '' : `; the nearest is ${nearest}`}`;
  }
  if (kind === 'command' && tag.direction === 'output') {
    const part = name.slice(0, name.indexOf('_') + 1);
    const inputs = waterworksTags.filter((other) => other.direction === 'input' && other.name.startsWith(part));
    const found = inputs.length === 0 ? 'none' : inputs.map((other) => other.name).join(', ');
    return `model: ${name} can only be read; of ${part}…, what can be written: ${found}`;
  }
  const fitting = datatypes.filter((each) => holds(each, tag.datatype));
  if (fitting.includes(datatype)) return undefined;
  return `model: ${name} is of raw datatype ${fitting.join(' or ')}, not ${datatype}`;
}
