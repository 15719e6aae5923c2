// Where in the plant a configured object is: the area that it says.
import { type Family, parseJson } from '@telltale/schema';

type Texts = Readonly<Record<string, string>>;

/** These have a field for it, the others a property. */
const withField: ReadonlySet<Family> = new Set<Family>(['alarms', 'commands', 'measurements', 'pictures', 'trends']);

/** Of a canonical text; undefined or empty: in none. */
export function areaIn(family: Family, text: string): string | undefined {
  if (!text.includes('"area":"')) return undefined; // most objects need not be parsed
  const { area, properties } = parseJson(text) as { readonly area?: string; readonly properties?: Texts };
  return withField.has(family) ? area : propertyOf(properties, 'area');
}

export function propertyOf(properties: Texts | undefined, property: string): string | undefined {
  return properties !== undefined && Object.hasOwn(properties, property) ? properties[property] : undefined;
}
