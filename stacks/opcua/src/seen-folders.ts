// Which folders a user of the service sees: those with something in them, or below, that it may see.
import type { ProviderUser, StackPoint } from '@telltale/stack-kit';

interface InFolder {
  readonly point: StackPoint;
  readonly folder: string;
}

export class SeenFolders {
  readonly #paths = new WeakMap<object, string>();
  /** By user, since the last change. */
  #seen = new WeakMap<ProviderUser, ReadonlySet<string>>();

  add(folder: object, path: string): void {
    this.#paths.set(folder, path);
  }

  /** There are other points. */
  changed(): void {
    this.#seen = new WeakMap();
  }

  /** Undefined where the node is no folder. */
  sees(user: ProviderUser, node: object, points: () => Iterable<InFolder>): boolean | undefined {
    const path = this.#paths.get(node);
    if (path === undefined) return undefined;
    const known = this.#seen.get(user);
    const seen = known ?? foldersOf(user, points());
    if (known === undefined) this.#seen.set(user, seen);
    return seen.has(path);
  }
}

function foldersOf(user: ProviderUser, points: Iterable<InFolder>): Set<string> {
  const seen = new Set<string>();
  for (const { point, folder } of points) {
    if (seen.has(folder) || !user.maySee(point)) continue;
    // With all those above it.
    for (let path = folder; path !== ''; path = path.slice(0, Math.max(0, path.lastIndexOf('/')))) seen.add(path);
  }
  return seen;
}
