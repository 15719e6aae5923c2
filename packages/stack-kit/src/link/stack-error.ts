// What a stack throws, read with care: it may be anything, and may come from another copy of the kit.
import { inspect } from 'node:util';

const maxReasonLength = 500;

/** One bounded text for people, whatever was thrown. */
export function reasonOf(error: unknown): string {
  try {
    const text = error instanceof Error ? String(error.message || error.name) : inspect(error, { depth: 1 });
    return text.length > maxReasonLength ? `${text.slice(0, maxReasonLength)}…` : text;
  } catch {
    return 'an error that cannot be shown';
  }
}

/** By name, since a stack may have a copy of the kit of its own. */
export function isThrown(name: 'NotConnected' | 'BackOff' | 'NoAnswer' | 'Refused' | 'Fatal', error: unknown): boolean {
  try {
    return error instanceof Error && error.name === name;
  } catch {
    return false;
  }
}
