// The objects that the agent has, in the order of their identifiers: found by name, and by what follows a name.
import { tag } from './ber.ts';
import { arcsOf, compareArcs, parentOf } from './oid.ts';
import type { Varbind } from './pdu.ts';
import type { ServedObject } from './served-object.ts';

export interface MibObject {
  readonly oid: string;
  /** Undefined where it has no value now: it is passed over. */
  read(): Varbind | undefined;
  readonly served?: ServedObject;
}

interface OrderedObject extends MibObject {
  readonly arcs: readonly number[];
}

const noContent = Buffer.alloc(0);

export class MibView {
  readonly #sorted: readonly OrderedObject[];
  readonly #byOid: ReadonlyMap<string, OrderedObject>;
  readonly #types: ReadonlySet<string>;

  /** Of two objects with one identifier, the first counts. */
  constructor(objects: Iterable<MibObject>) {
    const byOid = new Map<string, OrderedObject>();
    for (const object of objects) {
      if (!byOid.has(object.oid)) byOid.set(object.oid, { ...object, read: object.read, arcs: arcsOf(object.oid) });
    }
    this.#byOid = byOid;
    this.#sorted = [...byOid.values()].sort((a, b) => compareArcs(a.arcs, b.arcs));
    this.#types = new Set(this.#sorted.map(({ oid }) => parentOf(oid)));
  }

  find(oid: string): MibObject | undefined {
    return this.#byOid.get(oid);
  }

  get(oid: string): Varbind {
    const object = this.#byOid.get(oid);
    const isKnown = object !== undefined || this.#types.has(parentOf(oid));
    return object?.read() ?? { oid, tag: isKnown ? tag.noSuchInstance : tag.noSuchObject, content: noContent };
  }

  /** The first that has a value, after this one, among those that can be shown. */
  next(oid: string, canShow: (varbind: Varbind) => boolean = () => true): Varbind {
    for (let at = this.#after(arcsOf(oid)); at < this.#sorted.length; at++) {
      const varbind = this.#sorted[at]?.read();
      if (varbind !== undefined && canShow(varbind)) return varbind;
    }
    return { oid, tag: tag.endOfMibView, content: noContent };
  }

  #after(arcs: readonly number[]): number {
    let low = 0;
    let high = this.#sorted.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareArcs(this.#sorted[middle]?.arcs ?? [], arcs) <= 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
