// Ids of nodes in the page, each another.

class Ids {
  #last = 0;

  next(prefix: string): string {
    return `${prefix}-${++this.#last}`;
  }
}

const ids = new Ids();

export function uniqueId(prefix: string): string {
  return ids.next(prefix);
}
