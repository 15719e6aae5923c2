// Arguments of the form FIELD=VALUE.
import { UsageError } from './declaration.ts';

/** What is before and behind the equals sign at a place, the first by default. `form`: what is expected, for messages. */
export function readPair(text: string, form: string, equals = text.indexOf('=')): [before: string, behind: string] {
  if (equals > 0) return [text.slice(0, equals), text.slice(equals + 1)];
  throw new UsageError(`${JSON.stringify(text.slice(0, 80))} is not ${form}.`);
}
