// Areas of the plant: paths such as works.dosing.line2, and what is in them.

const part = '[A-Za-z0-9_-]{1,64}';

/** A path of at most 16 parts; also empty: not set. */
export const areaPattern = `^(${part}(\\.${part}){0,15})?$`;

const form = new RegExp(areaPattern);

export function isArea(text: string): boolean {
  return text !== '' && form.test(text);
}

/** The area itself, and what is below it. */
export function isBelowArea(area: string, other: string): boolean {
  return other.startsWith(area) && (other.length === area.length || other[area.length] === '.');
}

/** The area and those that it is in, the outermost first; none where it is not set. */
export function areaPaths(area: string | undefined): string[] {
  const parts = area ? area.split('.') : [];
  return parts.map((_, at) => parts.slice(0, at + 1).join('.'));
}

/** The area that a connector, provider or function module is in, by its properties; empty: in none. */
export function areaIn(properties: Readonly<Record<string, string>> | undefined): string {
  return (properties !== undefined && Object.hasOwn(properties, 'area') && properties.area) || '';
}

/** Whether an object of this name, in this area, is in the part of the plant. Where both are set, both hold. */
export function isInScope(
  { area, prefix }: { readonly area?: string; readonly prefix?: string },
  name: string,
  areaOfObject = '',
): boolean {
  return (!area || isBelowArea(area, areaOfObject)) && (!prefix || name.startsWith(prefix));
}
