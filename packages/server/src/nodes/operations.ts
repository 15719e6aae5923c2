// What nodes of a site ask each other. Each is a POST, signed by both (signing.ts).

export const operations = ['newest', 'claim', 'send'] as const;

const base = '/nodes/records/';

export function path(operation: string): string {
  return base + operation;
}

/** Undefined: it is none of these. */
export function operationAt(url: string): string | undefined {
  return url.startsWith(base) ? url.slice(base.length) : undefined;
}
