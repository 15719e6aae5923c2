// The measurements as items, by the ids of their points. When the points change, an item whose node and settings stay
// the same goes on with its new point; all at once, so that no reading ever goes to the point that had the id before.
import type { StackPoint } from '@telltale/stack-kit';
import { type ItemSettings, settingsOf } from './item-settings.ts';
import { itemOf, type NodeItem } from './node-item.ts';
import type { StructureTypes } from './structure-types.ts';

export class ItemTable {
  readonly #settings: ItemSettings;
  #byId = new Map<number, NodeItem>();

  /** `settings` are those of the connector. */
  constructor(settings: ItemSettings) {
    this.#settings = settings;
  }

  get(id: number): NodeItem | undefined {
    return this.#byId.get(id);
  }

  get all(): NodeItem[] {
    return [...this.#byId.values()];
  }

  /** `namespaces` and `types` are the server's. As long as there are items of it, none changes; there may be more. */
  follow(points: readonly StackPoint[], namespaces: readonly string[], types?: StructureTypes): void {
    const before = this.#byId;
    const after = new Map<number, NodeItem | undefined>();
    const moved: StackPoint[] = [];
    for (const point of points) {
      const item = before.get(point.id);
      // In the order of the points, also those whose item is found later.
      if (item?.node === undefined || !this.#isSame(item.point, point)) {
        after.set(point.id, undefined);
        moved.push(point);
      } else {
        after.set(point.id, item);
        before.delete(point.id);
        item.point = point;
      }
    }
    // Those without a node are created again: its namespace may exist now.
    const left = Map.groupBy(before.values(), ({ point, node }) => (node === undefined ? '' : this.#keyOf(point)));
    for (const point of moved) {
      const item = left.get(this.#keyOf(point))?.pop() ?? itemOf(point, namespaces, types);
      item.point = point;
      after.set(point.id, item);
    }
    for (const items of left.values()) for (const item of items) item.isGone = true;
    this.#byId = after as Map<number, NodeItem>;
  }

  /** Of a link that has ended: nothing of it is known any more. */
  clear(): void {
    for (const item of this.#byId.values()) item.isGone = true;
    this.#byId = new Map();
  }

  #isSame(one: StackPoint, other: StackPoint): boolean {
    return one === other || this.#keyOf(one) === this.#keyOf(other);
  }

  /** Everything that the monitored item and its readings depend on. */
  #keyOf({ address, datatype, properties }: StackPoint): string {
    return JSON.stringify([address, datatype, settingsOf(properties, this.#settings)]);
  }
}
