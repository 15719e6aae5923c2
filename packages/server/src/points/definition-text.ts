// What of a point's definition stands on the wire: the fields of the schema, as JSON.
import type { DefinitionField, PointFields } from '@telltale/schema';

/** The JSON of some fields of a definition, each with a comma before it. */
export type DefinitionText<Point> = (point: Point) => string;

/** `fields`: those that were asked for, and are there though they are not configured; undefined: the whole object. */
export function definitionText<Point>(
  { definition }: PointFields<Point>,
  fields?: readonly string[],
): DefinitionText<Point> {
  const chosen = Object.entries(definition).filter(([name]) => fields?.includes(name) ?? true);
  const isAsked = fields !== undefined;
  return (point) => {
    let text = '';
    for (const [name, field] of chosen) text += memberText(name, field, point, isAsked);
    return text;
  };
}

function memberText<Point>(
  name: string,
  { of, requested }: DefinitionField<Point>,
  point: Point,
  isAsked: boolean,
): string {
  const value = of(point) ?? (isAsked ? requested?.(point) : undefined);
  return value === undefined ? '' : `,"${name}":${JSON.stringify(value)}`;
}
