// What a name is: a measurement, a command or an alarm; and names that are like one that is not there.
import { type FoundPoint, searchPoints } from './search.ts';
import { client } from './service.ts';

export type AnyKind = FoundPoint['kind'];

const kinds = ['measurements', 'commands', 'alarms'] as const;

export function isKind(text: string): text is AnyKind {
  return kinds.some((kind) => kind === text);
}

export interface Named {
  readonly kind: AnyKind;
  readonly description: string;
  readonly area: string;
}

/** Of several kinds with the name, the wanted one, else the first; undefined: there is none. */
export async function findPoint(name: string, wanted: string, signal: AbortSignal): Promise<Named | undefined> {
  const options = { names: [name], fields: ['description', 'area'] as const, signal };
  const order = isKind(wanted) ? [wanted, ...kinds.filter((kind) => kind !== wanted)] : kinds;
  const [measurements, commands, alarms] = await Promise.all([
    client.measurements.list(options),
    client.commands.list(options),
    client.alarms.list(options),
  ]);
  const found = { measurements, commands, alarms };
  for (const kind of order) {
    const { [name]: item } = found[kind];
    if (item !== undefined) return { kind, description: item.description ?? '', area: item.area ?? '' };
  }
  return undefined;
}

const mostNear = 8;

/** By ever fewer of its parts, from the first. */
export async function namesLike(name: string, signal: AbortSignal): Promise<FoundPoint[]> {
  const parts = name
    .slice(0, 64)
    .split(/[^0-9A-Za-z]+/)
    .filter((part) => part !== '');
  for (let count = parts.length; count > 0; count--) {
    const found = await searchPoints(parts.slice(0, count).join(' '), signal);
    if (found.length > 0) return found.slice(0, mostNear);
  }
  return [];
}
