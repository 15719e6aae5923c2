// Methods as commands, each called once. Of which object a method is and what it takes is asked of the server, once a link.
import { unlessAborted, type Value } from '@telltale/schema';
import { type StackCommand, type WriteResult, written } from '@telltale/stack-kit';
import {
  AttributeIds,
  BrowseDirection,
  BrowseRequest,
  type BrowseResponse,
  CallRequest,
  type CallResponse,
  NodeClass,
  type NodeId,
  type StatusCode,
  StatusCodes,
} from 'node-opcua-client';
import { builtInTypeOf } from './built-in-type.ts';
import { argumentsOf, isArgument, type MethodInput } from './method-arguments.ts';
import { nodeOf } from './node-item.ts';
import { plainId } from './node-properties.ts';
import { readNodes } from './node-reader.ts';
import { isOneOf } from './service-fault.ts';
import type { UaLink } from './ua-link.ts';
import { isStatus, resultOf, statusOf } from './write-status.ts';

interface Method {
  readonly objectId: NodeId;
  readonly methodId: NodeId;
  readonly inputs: readonly MethodInput[];
}

const hasComponent = 'ns=0;i=47';
const hasProperty = 'ns=0;i=46';
const inputArguments = 'InputArguments';
/** Of the result mask: class and browse name. */
const resultMask = 0x0c;
const goneStatuses: readonly StatusCode[] = [
  StatusCodes.BadMethodInvalid,
  StatusCodes.BadNodeIdUnknown,
  StatusCodes.BadArgumentsMissing,
  StatusCodes.BadTooManyArguments,
  StatusCodes.BadInvalidArgument,
];

export class MethodCaller {
  readonly #link: UaLink;
  /** By address and object; bounded by the commands that there are. */
  readonly #methods = new Map<string, Method>();

  constructor(link: UaLink) {
    this.#link = link;
  }

  /** As `Connector.write`. */
  async call(command: StackCommand, value: Value, signal: AbortSignal): Promise<WriteResult> {
    let method: Method | string;
    try {
      method = await unlessAborted(signal, this.learn(command));
    } catch (error) {
      return written.notSent(`the method could not be looked up: ${(error as Error).message}`);
    }
    if (typeof method === 'string') return written.refused(method);
    const inputs = argumentsOf(command, value, method.inputs);
    if (typeof inputs === 'string') return written.refused(inputs);
    const { objectId, methodId } = method;
    const request = new CallRequest({ methodsToCall: [{ objectId, methodId, inputArguments: inputs }] });
    const answer = this.#link.change<CallResponse>(request);
    const status = await unlessAborted(signal, statusOf(answer.then(({ results }) => results?.[0]?.statusCode)));
    // The method may be another one by now: the next call asks.
    if (isStatus(status) && isOneOf(goneStatuses, status)) this.#methods.delete(keyOf(command));
    return resultOf(status);
  }

  /** Ahead, so that a call is one request. A text says why there is none. */
  async learn(command: StackCommand): Promise<Method | string> {
    const known = this.#methods.get(keyOf(command));
    if (known !== undefined) return known;
    const { namespaces } = this.#link;
    const node = nodeOf(command.address, namespaces);
    if (typeof node === 'string') return node;
    const methodId = node.nodeId;
    const object = objectOf(command);
    const given = object === undefined ? undefined : nodeOf(object, namespaces);
    if (typeof given === 'string') return `the property object: ${given}`;
    const objectId = given?.nodeId ?? (await this.#ownerOf(methodId));
    if (typeof objectId === 'string') return objectId;
    const method = { objectId, methodId, inputs: await this.#inputsOf(methodId) };
    this.#methods.set(keyOf(command), method);
    return method;
  }

  async #ownerOf(methodId: NodeId): Promise<NodeId | string> {
    const { status, references } = await this.#browse(methodId, BrowseDirection.Inverse, hasComponent);
    if (status.isBad()) return `${status.name}: the server has no method ${methodId}`;
    const owners = references.filter(({ nodeClass }) => nodeClass === NodeClass.Object);
    const [owner] = owners;
    if (owner !== undefined && owners.length === 1) return plainId(owner.nodeId);
    return `the server does not say of which object ${methodId} is a method (${owners.length} have it): set the property object`;
  }

  async #inputsOf(methodId: NodeId): Promise<MethodInput[]> {
    const { references } = await this.#browse(methodId, BrowseDirection.Forward, hasProperty);
    const found = references.find(({ browseName }) => browseName.name === inputArguments);
    if (found === undefined) return [];
    const wanted = { nodeId: plainId(found.nodeId), attributeId: AttributeIds.Value };
    const { values } = await readNodes(this.#link, [wanted]);
    const list: unknown = values[0]?.value?.value;
    const inputs: MethodInput[] = [];
    for (const each of Array.isArray(list) ? list : []) {
      if (!isArgument(each)) continue;
      const type = await builtInTypeOf(this.#link, each.dataType);
      inputs.push({ name: each.name ?? '', type, isArray: each.valueRank >= 0 });
    }
    return inputs;
  }

  async #browse(nodeId: NodeId, browseDirection: BrowseDirection, referenceTypeId: string) {
    const wanted = { nodeId, browseDirection, referenceTypeId, includeSubtypes: true, resultMask };
    const { results } = await this.#link.transact<BrowseResponse>(new BrowseRequest({ nodesToBrowse: [wanted] }));
    return {
      status: results?.[0]?.statusCode ?? StatusCodes.BadUnexpectedError,
      references: results?.[0]?.references ?? [],
    };
  }
}

function objectOf({ properties }: StackCommand): string | undefined {
  return Object.hasOwn(properties, 'object') ? properties.object : undefined;
}

function keyOf(command: StackCommand): string {
  return JSON.stringify([command.address, objectOf(command)]);
}
