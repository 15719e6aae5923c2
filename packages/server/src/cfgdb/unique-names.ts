// Makes names for objects of the configuration from what others call them: valid, and no two the same.
import { isIdentifier, reservedName } from '@telltale/schema';

const maxLength = 64;
const nameless = 'point';

export class UniqueNames {
  readonly #isTaken: (name: string) => boolean;
  readonly #given = new Set<string>();
  /** By base, the number that was tried last: a thousand of one name do not look at each other again and again. */
  readonly #tried = new Map<string, number>();

  /** `isTaken`: by others than these. */
  constructor(isTaken: (name: string) => boolean) {
    this.#isTaken = isTaken;
  }

  /** A text that is a free name already stays as it is; else it is made one, with a number at its end where needed. */
  take(text: string): string {
    const base = isIdentifier(text) ? text : identifierFrom(text);
    let name = base;
    for (let number = this.#tried.get(base) ?? 1; !this.#isFree(name); this.#tried.set(base, number)) {
      const end = `_${++number}`;
      name = base.slice(0, maxLength - end.length) + end;
    }
    this.#given.add(name);
    return name;
  }

  #isFree(name: string): boolean {
    return name !== reservedName && !this.#given.has(name) && !this.#isTaken(name);
  }
}

/** Letters lose their marks; whatever else no name may have becomes an underscore. */
function identifierFrom(text: string): string {
  const plain = text
    .slice(0, 1024)
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .replaceAll('ß', 'ss')
    .replaceAll(/[^_a-zA-Z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .slice(0, maxLength);
  return plain === '' ? nameless : plain;
}
