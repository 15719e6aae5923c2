// Conditions among what a browse has found: which of the nodes are some that people acknowledge, and how severe they are.
import type { BrowsedAlarm } from '@telltale/stack-kit';
import { NodeClass, type NodeId, type ReferenceDescription } from 'node-opcua-client';
import { fromUaSeverity } from './alarm-severity.ts';
import { plainId, readProperties } from './node-properties.ts';
import { supertypesOf } from './supertypes.ts';
import type { UaLink } from './ua-link.ts';

const acknowledgeableConditionType = 'ns=0;i=2881';
/** Above all of them, and most objects are of one of these: nothing needs to be asked. */
const otherTypes = ['ns=0;i=58', 'ns=0;i=61'];
/** Types of types; deeper ones are made up. */
const maxDepth = 32;
/** Of a condition that does not say how severe it is. */
const mediumSeverity = 500;

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
  return fromUaSeverity(typeof level === 'number' && level > 0 ? level : mediumSeverity);
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
    const distinct = new Map(unknown.map((id) => [String(id), id]));
    const found = await supertypesOf(link, [...distinct.values()]);
    const above = new Map([...distinct.keys()].map((id, at) => [id, found[at]]));
    open = new Map(
      [...open].flatMap(([type, id]) => {
        const next = above.get(String(id));
        return next === undefined ? [] : [[type, next] as const];
      }),
    );
  }
  return conditions;
}
