// The process pictures, or the named trends, that run: put by renderings, read by everybody who may view them.
import { createHash } from 'node:crypto';
import type { Picture, Trend } from '@telltale/schema';

interface Shown<Item> {
  readonly object: Item;
  /** Of its content: the same after each start. */
  readonly version: string;
}

export type MaySee = (name: string, area: string) => boolean;

export class ShownObjects<Item extends Picture | Trend> {
  readonly #shown = new Map<string, Shown<Item>>();

  put(object: Item): void {
    const version = createHash('sha1').update(JSON.stringify(object)).digest('base64url');
    this.#shown.set(object.name, { object, version });
  }

  remove(name: string): void {
    this.#shown.delete(name);
  }

  find(name: string): Item | undefined {
    return this.#shown.get(name)?.object;
  }

  /** Empty: in none. Undefined where there is no such object. */
  areaOf(name: string): string | undefined {
    const object = this.find(name);
    return object && (object.area ?? '');
  }

  /** Equal texts mean the same object; undefined: there is none. */
  versionOf(name: string): string | undefined {
    return this.#shown.get(name)?.version;
  }

  /** By name. */
  seen(maySee: MaySee): Item[] {
    return this.#seen(maySee).map(({ object }) => object);
  }

  /** Of all that are seen; it tells nothing of others. */
  versionOfSeen(maySee: MaySee): string {
    const hash = createHash('sha1');
    for (const { object, version } of this.#seen(maySee)) hash.update(`${object.name} ${version}\n`);
    return hash.digest('base64url');
  }

  #seen(maySee: MaySee): Shown<Item>[] {
    return [...this.#shown.values()]
      .filter(({ object: { name, area = '' } }) => maySee(name, area))
      .sort((a, b) => (a.object.name < b.object.name ? -1 : 1));
  }
}

export interface ShownFamilies {
  readonly pictures: ShownObjects<Picture>;
  readonly trends: ShownObjects<Trend>;
}

export function shownFamilies(): ShownFamilies {
  return { pictures: new ShownObjects<Picture>(), trends: new ShownObjects<Trend>() };
}
