// Writes to parts of structures and of arrays of them: reads the whole, changes the part, and writes the whole back, once. What others
// change at the server between the two is lost; writes of one connector to a node wait for each other.
import { unlessAborted, type Value } from '@telltale/schema';
import { written } from '@telltale/stack-kit';
import { type DataValue, StatusCodes } from 'node-opcua-client';
import type { PathStep } from './node-address.ts';
import type { NodeRef } from './node-item.ts';
import { readNodes } from './node-reader.ts';
import { changePart, TypeUnknown, Unfit } from './part-change.ts';
import type { UaLink } from './ua-link.ts';
import type { WriteStatus } from './write-status.ts';

/** Sends a value to a node; as `NodeWriter` does it. */
export type SendValue = (node: NodeRef, value: DataValue['value'], signal: AbortSignal) => Promise<WriteStatus>;

/** Structures within structures, each of a type that is not known yet. */
const maxTypes = 20;

export class PartWriter {
  readonly #link: UaLink;
  readonly #send: SendValue;
  /** By node, the write that is under way. */
  readonly #turns = new Map<string, Promise<void>>();

  constructor(link: UaLink, send: SendValue) {
    this.#link = link;
    this.#send = send;
  }

  async write(node: NodeRef, path: readonly PathStep[], value: Value, signal: AbortSignal): Promise<WriteStatus> {
    const key = String(node.nodeId);
    const before = this.#turns.get(key);
    const { promise: turn, resolve: end } = Promise.withResolvers<void>();
    this.#turns.set(key, turn);
    try {
      if (before !== undefined) await unlessAborted(signal, before);
    } catch {
      // Whoever waits for this turn waits for the one before it as well.
      before?.then(end);
      return written.notSent('another write to the same node did not end in time');
    }
    try {
      return await this.#writeInTurn(node, path, value, signal);
    } finally {
      if (this.#turns.get(key) === turn) this.#turns.delete(key);
      end();
    }
  }

  async #writeInTurn(node: NodeRef, path: readonly PathStep[], value: Value, signal: AbortSignal) {
    let present: DataValue | undefined;
    try {
      const { values } = await unlessAborted(signal, readNodes(this.#link, [node]));
      present = values[0];
    } catch (error) {
      return written.notSent(`the present value of the node could not be read: ${(error as Error).message}`);
    }
    const status = present?.statusCode ?? StatusCodes.BadUnexpectedError;
    if (present === undefined || status.value >>> 31 === 1) {
      // The element may be one that this server does not pick.
      if (node.indexRange !== undefined) return status;
      return written.refused(`${status.name}: the node has no value that the part could be written into`);
    }
    const fault = await this.#change(present, path, value, signal);
    return fault ?? this.#send(node, present.value, signal);
  }

  async #change({ value: whole }: DataValue, path: readonly PathStep[], value: Value, signal: AbortSignal) {
    for (let types = 0; types <= maxTypes; types++) {
      try {
        changePart(whole, path, value, this.#link.types);
        return undefined;
      } catch (error) {
        if (error instanceof Unfit) return written.refused(error.message);
        if (!(error instanceof TypeUnknown)) throw error;
      }
      try {
        await unlessAborted(signal, this.#link.types.learn());
      } catch (error) {
        return written.notSent(`the type of the structure could not be read: ${(error as Error).message}`);
      }
    }
    return written.refused('the structure has too many types within each other');
  }
}
