// A text of a device or a program, made harmless for a screen: what would move the cursor, or turn the direction of writing, is
// written out.

/** Control characters, and those that turn the direction of writing, as escapes. */
export function printable(text: string): string {
  return text.replaceAll(
    /[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
