// The addresses of the connector: a path of the server, and a JSON pointer into its answer or into the body that is sent.
import { checkScanPeriod, type Point, parsePointer, propertyOf } from '@telltale/stack-kit';

export const methods = ['PUT', 'POST', 'PATCH'] as const;
export type Method = (typeof methods)[number];

export interface MeasurementAddress {
  /** With its query, as it is sent after the base URL. */
  readonly path: string;
  readonly pointer: readonly string[];
}

export interface CommandAddress {
  readonly method: Method;
  readonly path: string;
  /** Where the value stands in the body; undefined where the address does not say. */
  readonly pointer: readonly string[] | undefined;
}

/** In a path and in a body: where the value goes. */
export const placeholder = '{value}';

const pathCharacter = '[!$-;=?-Z_a-z~]';
const pointer = '(?:#(?:/.*)?)?';
export const measurementRegex = `^/${pathCharacter}*${pointer}$`;
export const commandRegex = `^(?:${methods.join('|')}) /(?:${pathCharacter}|\\{value\\})*${pointer}$`;

/** Of an address that matches the regex; else, and where the pointer is wrong, what is wrong. */
export function parseMeasurement(text: string): MeasurementAddress | string {
  if (!new RegExp(measurementRegex, 'u').test(text)) return `${JSON.stringify(text)} is not a path with a JSON pointer`;
  const hash = text.indexOf('#');
  const steps = parsePointer(hash < 0 ? '' : text.slice(hash + 1));
  return typeof steps === 'string' ? steps : { path: hash < 0 ? text : text.slice(0, hash), pointer: steps };
}

export function parseCommand(text: string): CommandAddress | string {
  if (!new RegExp(commandRegex, 'u').test(text)) return `${JSON.stringify(text)} is not a method and a path`;
  const space = text.indexOf(' ');
  const target = text.slice(space + 1);
  const hash = target.indexOf('#');
  const steps = hash < 0 ? undefined : parsePointer(target.slice(hash + 1));
  if (typeof steps === 'string') return steps;
  return { method: text.slice(0, space) as Method, path: hash < 0 ? target : target.slice(0, hash), pointer: steps };
}

export function checkMeasurement(address: string, point: Point): string | undefined {
  const parsed = parseMeasurement(address);
  if (typeof parsed === 'string') return parsed;
  for (const name of ['timePointer', 'qualityPointer']) {
    const steps = parsePointer(propertyOf(point, name) ?? '');
    if (typeof steps === 'string') return `the property ${name}: ${steps}`;
  }
  return checkScanPeriod(point);
}

export function checkCommand(address: string, point: Point): string | undefined {
  const parsed = parseCommand(address);
  if (typeof parsed === 'string') return parsed;
  const body = propertyOf(point, 'body');
  if (body === undefined) return undefined;
  if (parsed.pointer !== undefined)
    return 'a JSON pointer cannot be combined with the property body: remove one of them';
  if (!body.includes(placeholder) && !parsed.path.includes(placeholder)) {
    return `neither the property body nor the path has ${placeholder} for the value`;
  }
  return undefined;
}
