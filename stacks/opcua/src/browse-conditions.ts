// Conditions among what a browse has found: which of the nodes are some that people acknowledge, and how severe they are.
import type { BrowsedAlarm } from '@telltale/stack-kit';
import {
  BrowseDirection,
  BrowseRequest,
  type BrowseResponse,
  NodeClass,
  type NodeId,
  type ReferenceDescription,
} from 'node-opcua-client';
import { plainId, readProperties } from './node-properties.ts';
import { inPieces } from './service-fault.ts';
import type { UaLink } from './ua-link.ts';

const acknowledgeableConditionType = 'ns=0;i=2881';
const hasSubtype = 'ns=0;i=45';
/** Above all of them, and most objects are of one of these: nothing needs to be asked. */
const otherTypes = ['ns=0;i=58', 'ns=0;i=61'];
/** Types of types; deeper ones are made up. */
const maxDepth = 32;
/** As the provider of this stack counts them: 1000 is the most severe in OPC UA, and 0 here. */
const severities = { most: 1000, step: 100, medium: 500 } as const;

export async function findConditions(
  link: UaLink,
  references: readonly ReferenceDescription[],
  addressOf: (nodeId: NodeId) => string,
): Promise<Map<ReferenceDescription, BrowsedAlarm>> {
  const objects = references.filter(({ nodeClass }) => nodeClass === NodeClass.Object);
  const types = new Map(objects.map(({ typeDefinition }) => [String(typeDefinition), plainId(typeDefinition)]));
  const wanted = await conditionTypes(link, types);
  const found = objects.filter(({ typeDefinition }) => wanted.has(String(typeDefinition)));
  const ids = found.map(({ nodeId }) => nodeId);
  const levels = found.length === 0 ? [] : await readProperties(link, ids, 'Severity');
  return new Map(
    found.map((reference, at) => [
      reference,
      {
        name: reference.browseName.name ?? String(reference.nodeId.value),
        address: addressOf(reference.nodeId),
        severity: severityOf(levels[at]),
      },
    ]),
  );
}

function severityOf(level: unknown): number {
  const known = typeof level === 'number' && level > 0 ? level : severities.medium;
  return Math.max(0, Math.round((severities.most - known) / severities.step));
}

/** Those of the types that are kinds of conditions: goes up from each, all at once, until nothing is above. */
async function conditionTypes(link: UaLink, types: ReadonlyMap<string, NodeId>): Promise<Set<string>> {
  const conditions = new Set<string>();
  /** From each type to what is above it by now. */
  let open = new Map(types);
  for (let depth = 0; depth < maxDepth && open.size > 0; depth++) {
    for (const [type, above] of open) {
      if (String(above) !== acknowledgeableConditionType) continue;
      conditions.add(type);
      open.delete(type);
    }
    const unknown = [...open.values()].filter((id) => !otherTypes.includes(String(id)));
    const above = await supertypes(link, new Map(unknown.map((id) => [String(id), id])));
    open = new Map(
      [...open].flatMap(([type, id]) => {
        const next = above.get(String(id));
        return next === undefined ? [] : [[type, next] as const];
      }),
    );
  }
  return conditions;
}

/** From each type to the one that it is a kind of; those without are left out. */
async function supertypes(link: UaLink, types: ReadonlyMap<string, NodeId>): Promise<Map<string, NodeId>> {
  const ask = async (some: [string, NodeId][]) => {
    const request = new BrowseRequest({
      requestedMaxReferencesPerNode: 1,
      nodesToBrowse: some.map(([, nodeId]) => ({
        nodeId,
        browseDirection: BrowseDirection.Inverse,
        referenceTypeId: hasSubtype,
        includeSubtypes: false,
        nodeClassMask: NodeClass.ObjectType,
        resultMask: 0,
      })),
    });
    const { results } = await link.transact<BrowseResponse>(request);
    return some.flatMap(([type], at): [string, NodeId][] => {
      const above = results?.[at]?.references?.[0]?.nodeId;
      return above === undefined ? [] : [[type, plainId(above)]];
    });
  };
  return new Map(await inPieces([...types], link.limits.translate, ask, () => []));
}
