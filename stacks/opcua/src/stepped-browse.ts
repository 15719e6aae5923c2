// Browsing a node with very many references, a few at a time: the library would describe all of them in one go.
import type { ServingTurns } from '@telltale/stack-kit';

interface Node {
  allReferences(): object[];
}

interface Browsed {
  references: object[] | null;
}

/** Undocumented parts of the library's server. */
interface Engine {
  readonly addressSpace: { findNode(nodeId: unknown): Node | null };
  readonly addressSpaceAccessor: { browseNode(description: { nodeId: unknown }, context: unknown): Promise<Browsed> };
}

/** Takes a millisecond or two. */
const atOnce = 100;

export function browseInSteps(engine: object, turns: ServingTurns): void {
  const { addressSpace, addressSpaceAccessor: accessor } = engine as Engine;
  const browse = accessor.browseNode.bind(accessor);
  accessor.browseNode = async (description, context) => {
    const node = addressSpace.findNode(description.nodeId);
    const all = node?.allReferences() ?? [];
    if (node === null || all.length <= atOnce) return browse(description, context);
    const nextTurn = turns.pieces();
    let found: Browsed | undefined;
    for (let start = 0; start < all.length; start += atOnce) {
      await nextTurn();
      // The library asks for them before it returns its promise.
      node.allReferences = () => all.slice(start, start + atOnce);
      const browsing = browse(description, context);
      Reflect.deleteProperty(node, 'allReferences');
      const some = await browsing;
      if (found === undefined) found = some;
      else found.references?.push(...(some.references ?? []));
    }
    return found as Browsed;
  };
}
