// The types that types of a server are kinds of.
import { BrowseDirection, BrowseRequest, type BrowseResponse, type NodeId } from 'node-opcua-client';
import { plainId } from './node-properties.ts';
import { inPieces } from './service-fault.ts';
import type { UaLink } from './ua-link.ts';

const hasSubtype = 'ns=0;i=45';

/** One a type, in their order; undefined where there is none, or where the server does not say. */
export async function supertypesOf(link: UaLink, types: readonly NodeId[]): Promise<(NodeId | undefined)[]> {
  const ask = async (some: NodeId[]) => {
    const request = new BrowseRequest({
      requestedMaxReferencesPerNode: 1,
      nodesToBrowse: some.map((nodeId) => ({
        nodeId,
        browseDirection: BrowseDirection.Inverse,
        referenceTypeId: hasSubtype,
        includeSubtypes: false,
        resultMask: 0,
      })),
    });
    const { results } = await link.transact<BrowseResponse>(request);
    return some.map((_, at) => {
      const above = results?.[at]?.references?.[0]?.nodeId;
      return above === undefined ? undefined : plainId(above);
    });
  };
  return inPieces(types, link.limits.translate, ask, (_, some) => some.map(() => undefined));
}
