// Positions in a JSON text, as errors give them.

/** Longer keys are cut: the sender knows them. */
const mostKeyLength = 80;

/** A property name as a part of a JSON pointer (RFC 6901). */
export function pointerPart(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** The JSON pointer of a position; a long key ends with an ellipsis. */
export function pointerTo(path: readonly (string | number)[]): string {
  return path.map((part) => `/${pointerPart(cut(String(part)))}`).join('');
}

function cut(key: string): string {
  return key.length <= mostKeyLength ? key : `${key.slice(0, mostKeyLength).toWellFormed()}…`;
}
