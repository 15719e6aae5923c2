// Yes and no as people write them into queries, settings, options and variables.

const words: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['on', true],
  ['1', true],
  ['false', false],
  ['off', false],
  ['0', false],
]);

/** The expected forms, for messages. */
export const booleanForms = 'true, on or 1, or false, off or 0';

/** Undefined where it is neither. */
export function parseBoolean(text: string): boolean | undefined {
  return words.get(text);
}
