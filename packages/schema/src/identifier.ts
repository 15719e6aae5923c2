// Names of configured objects: their form, their sorted order, and the word that no object may have as its name.
import Type from 'typebox';

export const identifierPattern = '^[_a-zA-Z0-9]{1,64}$';

export const Identifier = Type.String({
  pattern: identifierPattern,
  description: 'A name: 1 to 64 characters of 0-9, a-z, A-Z and _.',
});

const identifier = new RegExp(identifierPattern);

export function isIdentifier(text: string): boolean {
  return identifier.test(text);
}

/** `{family}/names` is the list of names, so an object called `names` could not be read. */
export const reservedName = 'names';
