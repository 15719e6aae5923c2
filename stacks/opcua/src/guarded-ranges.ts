// Refuses ranges of indexes in the values of points, which are scalars: the library would pass such a range over. What is written
// is refused where it is written.
import { AttributeIds, DataValue, type NodeId, ReadValueId, StatusCodes } from 'node-opcua-client';

type Range = { isEmpty(): boolean } | null | undefined;

interface Item {
  readonly nodeId: NodeId;
  readonly attributeId: number;
  indexRange: Range;
}

interface Message {
  readonly request: { readonly itemsToCreate?: readonly { readonly itemToMonitor: Item }[] | null };
}

interface Server {
  _on_CreateMonitoredItemsRequest(message: Message, ...rest: unknown[]): unknown;
}

/** The library answers BadIndexRangeInvalid. */
const { indexRange: invalid } = new ReadValueId({ indexRange: 'none' } as object);

/** `isPoint`: of a node, whether it is one. */
export function guardMonitoredRanges(server: object, isPoint: (node: NodeId) => boolean): void {
  const guarded = server as Server;
  const create = guarded._on_CreateMonitoredItemsRequest.bind(server);
  guarded._on_CreateMonitoredItemsRequest = (message, ...rest) => {
    for (const { itemToMonitor: item } of message.request.itemsToCreate ?? []) {
      if (isRangeOfValue(item.attributeId, item.indexRange) && isPoint(item.nodeId)) item.indexRange = invalid;
    }
    return create(message, ...rest);
  };
}

interface Readable {
  readAttribute(context: unknown, attributeId: number, range: Range, ...rest: unknown[]): DataValue;
}

export function guardReadRange(variable: object): void {
  (variable as Readable).readAttribute = readScalar;
}

function readScalar(this: Readable, ...given: Parameters<Readable['readAttribute']>): DataValue {
  const [, attributeId, range] = given;
  if (isRangeOfValue(attributeId, range)) return new DataValue({ statusCode: StatusCodes.BadIndexRangeInvalid });
  return (Object.getPrototypeOf(this) as Readable).readAttribute.apply(this, given);
}

function isRangeOfValue(attributeId: number, range: Range): boolean {
  return attributeId === AttributeIds.Value && range?.isEmpty() === false;
}
