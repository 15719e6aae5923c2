// Writes to nodes, each once. What type a node wants is asked of the server, once a link.
import { type Datatype, isBad, unlessAborted, type Value } from '@telltale/schema';
import { type StackCommand, type WriteResult, written } from '@telltale/stack-kit';
import {
  AttributeIds,
  DataType,
  type DataValue,
  StatusCodes,
  Variant,
  VariantArrayType,
  WriteRequest,
  type WriteResponse,
} from 'node-opcua-client';
import { builtInTypeOf } from './built-in-type.ts';
import { MethodCaller } from './method-caller.ts';
import { type PathStep, parseAddress } from './node-address.ts';
import { type NodeRef, nodeOf } from './node-item.ts';
import { readNodes } from './node-reader.ts';
import { PartWriter } from './part-writer.ts';
import { isOneOf, unlessRefused } from './service-fault.ts';
import { qualityOfStatus } from './status-quality.ts';
import type { UaLink } from './ua-link.ts';
import { toNode, typeOf } from './value-codec.ts';
import { isStatus, resultOf, statusOf, type WriteStatus } from './write-status.ts';

interface Target {
  readonly node: NodeRef;
  readonly path: readonly PathStep[];
  /** The same without an element that the server picks. */
  readonly whole?: Pick<Target, 'node' | 'path'>;
}

/** A server that picks no elements has not written any. */
const withoutRanges = [
  StatusCodes.BadWriteNotSupported,
  StatusCodes.BadNotSupported,
  StatusCodes.BadIndexRangeInvalid,
  StatusCodes.BadIndexRangeNoData,
];

export class NodeWriter {
  readonly #link: UaLink;
  /** By address; bounded by the commands that there are. A text: why it cannot be written. */
  readonly #types = new Map<string, DataType | string>();
  readonly #caller: MethodCaller;
  readonly #parts: PartWriter;

  constructor(link: UaLink) {
    this.#link = link;
    this.#caller = new MethodCaller(link);
    this.#parts = new PartWriter(link, (node, value, signal) => this.#send(node, value, signal));
  }

  /** As `Connector.write`. */
  async write(command: StackCommand, value: Value, signal: AbortSignal): Promise<WriteResult> {
    const { address } = command;
    if (isMethod(address)) return this.#caller.call(command, value, signal);
    const target = this.#targetOf(address);
    if (typeof target === 'string') return written.refused(target);
    if (target.path.length > 0 || target.whole !== undefined) return this.#writePart(command, target, value, signal);
    return this.#ended(address, await this.#writeValue(command, target.node, value, signal));
  }

  /** By the element that the server picks, where there is one; else, or where it does not pick any, by the whole. */
  async #writePart(command: StackCommand, target: Target, value: Value, signal: AbortSignal): Promise<WriteResult> {
    const { node, path, whole } = target;
    const status =
      path.length > 0
        ? await this.#parts.write(node, path, value, signal)
        : await this.#writeValue(command, node, value, signal);
    const isUnsupported = isStatus(status) && isOneOf(withoutRanges, status);
    if (whole === undefined || !isUnsupported) return this.#ended(command.address, status);
    return this.#ended(command.address, await this.#parts.write(whole.node, whole.path, value, signal));
  }

  async #writeValue(command: StackCommand, node: NodeRef, value: Value, signal: AbortSignal): Promise<WriteStatus> {
    let type: DataType | string | undefined;
    try {
      type = await unlessAborted(signal, this.#typeOf(command));
    } catch (error) {
      return written.notSent(`the type of the node could not be read: ${(error as Error).message}`);
    }
    if (type === undefined) return written.refused(`BadNodeIdUnknown: the server has no node ${node.nodeId}`);
    if (typeof type === 'string') return written.refused(type);
    const variant = variantOf(type, value, node.indexRange);
    if (typeof variant === 'string') return written.refused(variant);
    return this.#send(node, variant, signal);
  }

  #ended(address: string, status: WriteStatus): WriteResult {
    // The node may be of another type by now: the next write asks.
    if (isStatus(status) && status.equals(StatusCodes.BadTypeMismatch)) this.#types.delete(address);
    return resultOf(status);
  }

  /** The node, or the element of it that the server picks; and the way from there to the part that is written. Or what is wrong. */
  #targetOf(address: string): Target | string {
    const node = nodeOf(address, this.#link.namespaces);
    const parsed = parseAddress(address);
    if (typeof node === 'string' || typeof parsed === 'string') return String(node);
    const [first, ...rest] = parsed.path;
    if (first === undefined || typeof first === 'string') return { node, path: parsed.path };
    const indexRange = first.join(',') as unknown as NonNullable<NodeRef['indexRange']>;
    // What the server picks comes as an array of one.
    const path = rest.length === 0 ? [] : [first.map(() => 0), ...rest];
    return { node: { ...node, indexRange }, path, whole: { node, path: parsed.path } };
  }

  async #send(node: NodeRef, value: Variant, signal: AbortSignal): Promise<WriteStatus> {
    const request = new WriteRequest({ nodesToWrite: [{ ...node, value: {} }] });
    // As it is: the copies that the library makes of structures are broken.
    for (const each of request.nodesToWrite ?? []) each.value.value = value;
    const answer = this.#link.change<WriteResponse>(request);
    return unlessAborted(signal, statusOf(answer.then(({ results }) => results?.[0])));
  }

  /** Asks for the types of commands ahead, so that a write is one request. */
  async learn(commands: readonly StackCommand[], atOnce: number): Promise<void> {
    const methods = commands.filter(({ address }) => isMethod(address));
    // A fault is said where it is called.
    for (const command of methods) await unlessRefused(this.#caller.learn(command), () => undefined);
    const unknown = commands.flatMap(({ address, datatype }) => {
      const target = isMethod(address) || this.#types.has(address) ? '' : this.#targetOf(address);
      return typeof target === 'string' || target.path.length > 0 ? [] : [{ address, datatype, node: target.node }];
    });
    for (let at = 0; at < unknown.length; at += atOnce) {
      const slice = unknown.slice(at, at + atOnce);
      const wanted = slice.flatMap(({ node }) => [
        node,
        { nodeId: node.nodeId, attributeId: AttributeIds.DataType },
        { nodeId: node.nodeId, attributeId: AttributeIds.ValueRank },
      ]);
      const { values } = await readNodes(this.#link, wanted);
      for (const [index, { address, datatype, node }] of slice.entries()) {
        const [value, declared, rank] = values.slice(3 * index, 3 * index + 3);
        const type = misfit(rank?.value?.value, node.indexRange) ?? (await this.#typeBy(value, declared, datatype));
        if (type !== undefined) this.#types.set(address, type);
      }
    }
  }

  /** Undefined where the server has no such node; a text says why it cannot be written. */
  async #typeOf(command: StackCommand): Promise<DataType | string | undefined> {
    const { address } = command;
    if (!this.#types.has(address)) await this.learn([command], 1);
    const type = this.#types.get(address);
    // The node may be another one by now: the next write asks.
    if (typeof type === 'string') this.#types.delete(address);
    return type;
  }

  /** By what the node has, else by what it is declared as, else by the point; undefined where there is no such node. */
  async #typeBy(
    value: DataValue | undefined,
    declared: DataValue | undefined,
    datatype: Datatype,
  ): Promise<DataType | undefined> {
    if (declared?.statusCode.equals(StatusCodes.BadNodeIdUnknown)) return undefined;
    const present = value?.value?.dataType ?? DataType.Null;
    const isPresent = value !== undefined && !isBad(qualityOfStatus(value.statusCode.value));
    if (isPresent && present !== DataType.Null) return present;
    return (await builtInTypeOf(this.#link, declared?.value?.value)) ?? typeOf(datatype);
  }
}

function isMethod(address: string): boolean {
  return address.endsWith('#()');
}

const scalarRank = -1;

/** A node that is an array, or is none, for an address that says otherwise. Other ranks allow both. */
function misfit(rank: unknown, indexRange: NodeRef['indexRange']): string | undefined {
  if (typeof rank !== 'number') return undefined;
  if (rank === scalarRank && indexRange !== undefined) return `the node is no array: leave out ;[${indexRange}]`;
  return rank >= 0 && indexRange === undefined ? 'the node is an array: name an element, as in ;[0]' : undefined;
}

/**
 * One element goes as an array of one, or as a matrix of one, with as many dimensions as the range has. A text says why the
 * value does not fit.
 */
function variantOf(dataType: DataType, value: Value, indexRange: NodeRef['indexRange']): Variant | string {
  try {
    const converted = toNode(dataType, value);
    if (indexRange === undefined) {
      return new Variant({ dataType, arrayType: VariantArrayType.Scalar, value: converted });
    }
    const dimensions = String(indexRange)
      .split(',')
      .map(() => 1);
    return dimensions.length === 1
      ? new Variant({ dataType, arrayType: VariantArrayType.Array, value: [converted] })
      : new Variant({ dataType, arrayType: VariantArrayType.Matrix, dimensions, value: [converted] });
  } catch (error) {
    if (error instanceof RangeError) return error.message;
    throw error;
  }
}
