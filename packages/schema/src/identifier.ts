// Names of configured objects: their form, their sorted order, and the word that no object may have as its name.

export const identifierPattern = '^[_a-zA-Z0-9]{1,64}$';

const identifier = new RegExp(identifierPattern);

export function isIdentifier(text: string): boolean {
  return identifier.test(text);
}

/** `{family}/names` is the list of names, so an object called `names` could not be read. */
export const reservedName = 'names';

const maxLength = 64;

/** The name, or the first with a number at its end that is not taken: `pump_2`. */
export function freeName(name: string, isTaken: (name: string) => boolean): string {
  let free = name;
  for (let number = 2; isTaken(free); number++) {
    const end = `_${number}`;
    free = name.slice(0, maxLength - end.length) + end;
  }
  return free;
}
