// The structures that a server defines: their types are read when a value of one comes that is not known yet, once a
// link. What is decoded stays with the value, for all who read a part of it.
import { type Clock, onAbort } from '@telltale/schema';
import { BinaryStream } from 'node-opcua-binary-stream';
import {
  type ClientSession,
  DataTypeExtractStrategy,
  type ExtraDataTypeManager,
  getExtraDataTypeManager,
  type NodeId,
} from 'node-opcua-client';

/** What came, of a type that the library does not know by itself. */
export interface Opaque {
  /** Of the encoding, which stands for the type. */
  readonly nodeId: NodeId;
  readonly buffer: Buffer;
}

export interface Structure {
  readonly schema: StructureSchema;
  encode(stream: BinaryStream): void;
}

export interface StructureSchema {
  readonly name: string;
  readonly fields: readonly StructureField[];
  /** Its fields come first. */
  readonly _baseSchema?: StructureSchema | null;
}

export interface StructureField {
  /** As the server calls it, and as the library does. */
  readonly originalName?: string;
  readonly name: string;
  readonly isArray?: boolean;
  readonly category: string;
  readonly fieldType: string;
  readonly basicDataType?: number;
  readonly schema?: { readonly name: string };
}

/** Types of one server: more are not read. */
const maxTypes = 1000;
/** Of all arrays of a value; those of numbers are elements as well. */
const maxElements = 1_000_000;

export class StructureTypes {
  readonly #session: ClientSession;
  readonly #clock: Clock;
  readonly #limitMs: number;
  readonly #decoded = new WeakMap<object, Structure | string>();
  /** By the text of the encoding: to be read, or why it could not be. */
  readonly #wanted = new Map<string, NodeId>();
  readonly #failed = new Map<string, string>();
  #types: ExtraDataTypeManager | undefined;
  #learning: Promise<void> | undefined;
  #wake = () => {};

  constructor(session: ClientSession, clock: Clock, limitMs: number) {
    this.#session = session;
    this.#clock = clock;
    this.#limitMs = limitMs;
  }

  /** The reason where it cannot be decoded; undefined: its type is read first, by `run`. */
  decode(opaque: Opaque): Structure | string | undefined {
    const before = this.#decoded.get(opaque);
    if (before !== undefined) return before;
    const id = String(opaque.nodeId);
    const reason = this.#failed.get(id);
    if (reason !== undefined) return reason;
    const made = this.#make(opaque.nodeId);
    if (made === undefined) {
      if (this.#failed.size + this.#wanted.size >= maxTypes) return 'the server has too many types of structures';
      this.#wanted.set(id, opaque.nodeId);
      this.#wake();
      return undefined;
    }
    const structure = decodeInto(made, opaque.buffer);
    this.#decoded.set(opaque, structure);
    return structure;
  }

  /** Reads the types that are wanted, until the signal is aborted; `onLearned` after each. */
  async run(signal: AbortSignal, onLearned: () => void): Promise<void> {
    while (!signal.aborted) {
      const isWanted = this.#wanted.size > 0;
      if (isWanted) await this.learn();
      if (isWanted && !signal.aborted) onLearned();
      if (this.#wanted.size > 0) continue;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      const stop = onAbort(signal, () => resolve());
      await promise;
      stop();
    }
  }

  /** Reads the types that are wanted now; the reason of a failure is what `decode` says. */
  learn(): Promise<void> {
    this.#learning ??= this.#learnAll().finally(() => {
      this.#learning = undefined;
    });
    return this.#learning;
  }

  async #learnAll(): Promise<void> {
    for (const [id, encoding] of this.#wanted) {
      const reason = await this.#inTime(this.#learn(encoding));
      if (reason !== undefined) this.#failed.set(id, `its type ${id} cannot be read: ${reason}`);
      this.#wanted.delete(id);
    }
  }

  /** What could not be read may be there by now. Returns whether there was something. */
  forgetFailures(): boolean {
    const hadSome = this.#failed.size > 0;
    this.#failed.clear();
    return hadSome;
  }

  /** An empty one of its type, where that is known. */
  #make(encoding: NodeId): Structure | undefined {
    try {
      const Made = this.#types?.getExtensionObjectConstructorFromBinaryEncoding(encoding);
      return Made === undefined ? undefined : (new Made() as unknown as Structure);
    } catch {
      return undefined;
    }
  }

  async #learn(encoding: NodeId): Promise<void> {
    this.#types ??= await getExtraDataTypeManager(this.#session, DataTypeExtractStrategy.Lazy);
    await this.#types.getExtensionObjectConstructorFromBinaryEncodingAsync(encoding);
  }

  /** Why it failed, if it did: a server may define a type that never ends. */
  async #inTime(learning: Promise<void>): Promise<string | undefined> {
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    const cancel = this.#clock.after(this.#limitMs, () => resolve(`no answer for ${this.#limitMs} ms`));
    learning.then(
      () => resolve(undefined),
      (error) => resolve(error instanceof Error ? error.message.slice(0, 200) : String(error)),
    );
    const reason = await promise;
    cancel();
    return reason;
  }
}

export function isOpaque(value: unknown): value is Opaque {
  return typeof value === 'object' && value !== null && 'buffer' in value && Buffer.isBuffer(value.buffer);
}

/** Elements of structures without fields take no bytes: arrays within arrays of them would have no end. */
class BoundedStream extends BinaryStream {
  #left = maxElements;

  override checkArrayLength(length: number): void {
    super.checkArrayLength(length);
    this.#left -= length;
    if (this.#left < 0) throw new RangeError(`its arrays have more than ${maxElements} elements`);
  }
}

/** The reason where the bytes are no such structure. */
export function decodeInto(structure: Structure, bytes: Buffer): Structure | string {
  try {
    (structure as unknown as { decode(stream: BinaryStream): void }).decode(new BoundedStream(bytes));
    return structure;
  } catch (error) {
    return `the structure does not fit its type: ${(error as Error).message.slice(0, 200)}`;
  }
}

/** Its own and those of the types that it extends, first those. */
export function fieldsOf(schema: StructureSchema): StructureField[] {
  const chain: StructureSchema[] = [];
  for (let each: StructureSchema | null | undefined = schema; each && chain.length < 20; each = each._baseSchema) {
    chain.unshift(each);
  }
  return chain.flatMap(({ fields }) => fields);
}
