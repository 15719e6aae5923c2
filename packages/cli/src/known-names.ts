// Reports names that do not exist, with the one that may have been meant.
import type { Family } from '@telltale/schema';
import { nearestName } from '@telltale/schema/nearest-name';
import { type Call, Refused } from './declaration.ts';

const live: ReadonlySet<string> = new Set(['measurements', 'commands', 'alarms']);

/** Those that were asked for and are not there. */
export function missingOf(names: readonly string[], found: object): string[] {
  return [...new Set(names)].filter((name) => !Object.hasOwn(found, name));
}

/** Throws where any of the names is missing. */
export async function refuseMissing(
  call: Call,
  family: Family | readonly Family[],
  missing: readonly string[],
): Promise<void> {
  const [first] = missing;
  if (first === undefined) return;
  const families = typeof family === 'string' ? [family] : family;
  const names = await Promise.all(families.map((each) => namesOf(call, each)));
  const nearest = nearestName(first, names.flat());
  const one = families.map((each) => each.slice(0, -1).replace('-', ' ')).join(' or ');
  const shown = missing.slice(0, 5).map((name) => JSON.stringify(name.slice(0, 64)));
  const more = missing.length > 5 ? ` and ${missing.length - 5} more` : '';
  const hint = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
  throw new Refused(`There is no ${one} ${shown.join(', ')}${more}.${hint}`);
}

/** As `refuseMissing`, of what runs beside the points: one that is configured runs when it was rendered. */
export async function refuseIdle(
  call: Call,
  family: 'connectors' | 'providers' | 'function-modules',
  missing: readonly string[],
): Promise<void> {
  const configured = new Set(missing.length === 0 ? [] : await namesOf(call, family));
  const idle = missing.find((name) => configured.has(name));
  if (idle !== undefined) throw new Refused(`${idle} is configured but not running: telltale config render`);
  await refuseMissing(call, family, missing);
}

/** Names for hints and completion: of what is live where the family is, else of what is configured. */
export async function namesOf({ client, signal }: Pick<Call, 'client' | 'signal'>, family: Family): Promise<string[]> {
  if (!live.has(family)) return client.configuration.names(family, { signal });
  const objects = await client[family as 'measurements'].list({ fields: ['name'], signal });
  return Object.keys(objects);
}
