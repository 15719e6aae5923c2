// Properties of nodes by their names, such as EngineeringUnits: found, and read at once.
import {
  AttributeIds,
  NodeId,
  TranslateBrowsePathsToNodeIdsRequest,
  type TranslateBrowsePathsToNodeIdsResponse,
} from 'node-opcua-client';
import { readNodes } from './node-reader.ts';
import { unlessRefused } from './service-fault.ts';
import type { UaLink } from './ua-link.ts';

const hasProperty = 'ns=0;i=46';

/** Undefined of the nodes that have none; many have not. */
export async function readProperties(link: UaLink, owners: readonly NodeId[], name: string): Promise<unknown[]> {
  const targets: (NodeId | undefined)[] = [];
  for (let at = 0; at < owners.length; at += link.limits.translate) {
    targets.push(...(await find(link, owners.slice(at, at + link.limits.translate), name)));
  }
  const nodes = targets.flatMap((nodeId) =>
    nodeId === undefined ? [] : [{ nodeId: plainId(nodeId), attributeId: AttributeIds.Value }],
  );
  const { values } = nodes.length === 0 ? { values: [] } : await readNodes(link, nodes);
  const rest = [...values];
  return targets.map((target) => (target === undefined ? undefined : rest.shift()?.value?.value));
}

/** A reference may name a server and a URI: a plain id is what requests take. */
export function plainId({ identifierType, value, namespace }: NodeId): NodeId {
  return new NodeId(identifierType, value, namespace);
}

async function find(link: UaLink, owners: readonly NodeId[], name: string): Promise<(NodeId | undefined)[]> {
  const request = new TranslateBrowsePathsToNodeIdsRequest({
    browsePaths: owners.map((nodeId) => ({
      startingNode: plainId(nodeId),
      relativePath: {
        elements: [
          {
            referenceTypeId: hasProperty,
            isInverse: false,
            includeSubtypes: false,
            targetName: { namespaceIndex: 0, name },
          },
        ],
      },
    })),
  });
  const answer = link.transact<TranslateBrowsePathsToNodeIdsResponse>(request);
  const { results } = await unlessRefused(answer, () => ({ results: null }));
  return owners.map((_, at) => results?.[at]?.targets?.[0]?.targetId);
}
