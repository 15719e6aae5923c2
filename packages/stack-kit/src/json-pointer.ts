// JSON pointers (RFC 6901): into parsed documents, and back into a document that has one value at such a place. Pure.
import { pointerPart } from '@telltale/schema';

/** The steps, or what is wrong with the pointer. */
export function parsePointer(text: string): readonly string[] | string {
  if (text === '') return [];
  if (!text.startsWith('/')) return `the JSON pointer ${shown(text)} does not begin with /`;
  if (/~(?![01])/.test(text))
    return `the JSON pointer ${shown(text)} has a ~ that is neither ~0 (for ~) nor ~1 (for /)`;
  return text
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

export function formatPointer(steps: readonly string[]): string {
  return steps.map((step) => `/${pointerPart(step)}`).join('');
}

/** What stands there; undefined where nothing does. Only what the document itself has counts. */
export function followPointer(document: unknown, steps: readonly string[]): unknown {
  let at = document;
  for (const step of steps) {
    if (typeof at !== 'object' || at === null) return undefined;
    if (Array.isArray(at) && !/^(?:0|[1-9][0-9]{0,8})$/.test(step)) return undefined;
    if (!Object.hasOwn(at, step)) return undefined;
    at = (at as Record<string, unknown>)[step];
  }
  return at;
}

/** The text of a document of objects in which the JSON text stands at the pointer, and nothing else. */
export function documentWith(steps: readonly string[], json: string): string {
  return steps.reduceRight((inner, step) => `{${JSON.stringify(step)}:${inner}}`, json);
}

function shown(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
