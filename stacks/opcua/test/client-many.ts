// Requests of the test client for many nodes at once.
import {
  AttributeIds,
  BrowseRequest,
  type BrowseResponse,
  type ClientSession,
  CreateMonitoredItemsRequest,
  type CreateMonitoredItemsResponse,
  DeleteMonitoredItemsRequest,
  type DeleteMonitoredItemsResponse,
  ReadRequest,
  type ReadResponse,
  type StatusCode,
  TimestampsToReturn,
  TranslateBrowsePathsToNodeIdsRequest,
  type TranslateBrowsePathsToNodeIdsResponse,
  WriteRequest,
  type WriteResponse,
} from 'node-opcua-client';

export interface ManyOrder {
  readonly service: 'read' | 'write' | 'browse' | 'translate' | 'monitor';
  readonly nodes: readonly string[];
}

/** What is answered for each, in short. Rejects with the words of a fault. */
export async function askMany(session: ClientSession, { service, nodes }: ManyOrder): Promise<unknown[]> {
  switch (service) {
    case 'read': {
      const nodesToRead = nodes.map((nodeId) => ({ nodeId, attributeId: AttributeIds.Value }));
      const { results } = await ask<ReadResponse>(session, new ReadRequest({ nodesToRead }));
      return (results ?? []).map(({ value, statusCode }) => value.value ?? statusCode.name);
    }
    case 'write': {
      const value = { value: { dataType: 'Int32', value: 7 } };
      const nodesToWrite = nodes.map((nodeId) => ({ nodeId, attributeId: AttributeIds.Value, value }));
      const { results } = await ask<WriteResponse>(session, new WriteRequest({ nodesToWrite } as object));
      return namesOf(results);
    }
    case 'browse': {
      const nodesToBrowse = nodes.map((nodeId) => ({ nodeId, includeSubtypes: true, resultMask: 63 }));
      const { results } = await ask<BrowseResponse>(session, new BrowseRequest({ nodesToBrowse }));
      return (results ?? []).map(({ references }) => references?.map(({ browseName }) => browseName.name));
    }
    case 'translate': {
      // Below Objects, such as 2:site/2:Tank 1.
      const browsePaths = nodes.map((path) => ({
        startingNode: 'ns=0;i=85',
        relativePath: { elements: path.split('/').map(elementOf) },
      }));
      const request = new TranslateBrowsePathsToNodeIdsRequest({ browsePaths });
      const { results } = await ask<TranslateBrowsePathsToNodeIdsResponse>(session, request);
      return (results ?? []).map(({ targets, statusCode }) => String(targets?.[0]?.targetId ?? statusCode.name));
    }
    case 'monitor':
      return monitor(session, nodes);
  }
}

async function monitor(session: ClientSession, nodes: readonly string[]): Promise<string[]> {
  const { subscriptionId } = await session.createSubscription2({ requestedPublishingInterval: 1000 });
  const itemsToCreate = nodes.map((nodeId) => ({ itemToMonitor: { nodeId, attributeId: AttributeIds.Value } }));
  const timestampsToReturn = TimestampsToReturn.Both;
  const create = new CreateMonitoredItemsRequest({ subscriptionId, timestampsToReturn, itemsToCreate });
  const { results: created } = await ask<CreateMonitoredItemsResponse>(session, create);
  const monitoredItemIds = (created ?? []).map(({ monitoredItemId }) => monitoredItemId);
  const remove = new DeleteMonitoredItemsRequest({ subscriptionId, monitoredItemIds });
  const { results: deleted } = await ask<DeleteMonitoredItemsResponse>(session, remove);
  return [...namesOf(created?.map(({ statusCode }) => statusCode)), ...namesOf(deleted)];
}

function namesOf(codes: readonly StatusCode[] | null | undefined): string[] {
  return (codes ?? []).map(({ name }) => name);
}

interface Transactor {
  performMessageTransaction(request: object, answered: (error: Error | null, response?: object) => void): void;
}

function ask<Response>(session: ClientSession, request: object): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  (session as unknown as Transactor).performMessageTransaction(request, (error, response) =>
    error === null ? resolve(response as Response) : reject(error),
  );
  return promise;
}

function elementOf(text: string): object {
  const [, index = '0', name = text] = /^([0-9]+):(.*)$/s.exec(text) ?? [];
  const targetName = { namespaceIndex: Number(index), name };
  return { referenceTypeId: 'ns=0;i=33', includeSubtypes: true, targetName };
}
