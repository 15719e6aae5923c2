// Carries out the requests of clients: GET, GETNEXT and GETBULK from the view, SET as writes of commands, each once
// however often the client sends it.
import { createHash } from 'node:crypto';
import type { Clock, Value } from '@telltale/schema';
import type { StackLog, StackPoint, WriteResult } from '@telltale/stack-kit';
import { tag } from './ber.ts';
import { type Heard, responsePdu } from './incoming.ts';
import type { MibView } from './mib-view.ts';
import { encodeVarbind, encodeVarbinds, errorStatus, type Pdu, pduType, type Varbind } from './pdu.ts';
import { timeWindowSeconds } from './remote-engine.ts';
import { isOfVersion1, statusOfVersion1 } from './version-1.ts';

export interface AgentOptions {
  readonly clock: Clock;
  readonly log: StackLog;
  readonly view: () => MibView;
  readonly write: (command: StackPoint, value: Value) => Promise<WriteResult>;
}

/** Objects in one request; more are too big. */
const maxObjects = 128;
/** Of the list in an answer to GETBULK: with its envelope it goes into one frame of an Ethernet. */
const bulkBytes = 1200;
/** What an answer may have beside its list: community or security parameters. */
const envelopeBytes = 300;
const maxPendingSets = 64;
/** Answered SETs, for clients that missed the answer. Not for long: clients may reuse a number after a restart. */
const maxAnswered = 1000;
const answeredMs = 15_000;
/** Signatures of SETs, for as long as they would be in the time window. */
const maxSignatures = 10_000;
const signatureMs = 2 * 1000 * timeWindowSeconds;

interface Answer {
  /** Undefined while it is being carried out. */
  pdu: Buffer | undefined;
  readonly atMs: number;
}

export class Agent {
  readonly #options: AgentOptions;
  readonly #sets = new Map<string, Answer>();
  readonly #signatures = new Map<string, number>();
  #pendingSets = 0;

  constructor(options: AgentOptions) {
    this.#options = options;
  }

  /** The bytes to answer, at once or in a while; undefined where there is nothing to answer. */
  handle(heard: Heard, sender: string): Buffer | Promise<Buffer | undefined> | undefined {
    const { pdu } = heard;
    const limit = heard.maxBytes - envelopeBytes;
    const isV1 = heard.version === '1';
    switch (pdu.type) {
      case pduType.get:
        return heard.seal(this.#list(pdu, limit, isV1, ({ oid }) => this.#options.view().get(oid)));
      case pduType.getNext: {
        const canShow = isV1 ? isOfVersion1 : undefined;
        return heard.seal(this.#list(pdu, limit, isV1, ({ oid }) => this.#options.view().next(oid, canShow)));
      }
      case pduType.getBulk:
        return isV1 ? undefined : heard.seal(this.#bulk(pdu, limit));
      case pduType.set:
        return this.#setOnce(heard, sender);
      default:
        return undefined;
    }
  }

  #list({ requestId, varbinds }: Pdu, limit: number, isV1: boolean, find: (varbind: Varbind) => Varbind): Buffer {
    // An error of version 1 comes with the list that was asked for.
    const failed = (status: number, index: number) =>
      responsePdu(requestId, status, index, isV1 ? encodeVarbinds(varbinds) : Buffer.alloc(0));
    if (varbinds.length > maxObjects) return failed(errorStatus.tooBig, 0);
    const found = varbinds.map(find);
    const missing = isV1 ? found.findIndex((each) => !isOfVersion1(each)) : -1;
    if (missing >= 0) return failed(errorStatus.noSuchName, missing + 1);
    const list = encodeVarbinds(found);
    return list.length <= limit ? responsePdu(requestId, 0, 0, list) : failed(errorStatus.tooBig, 0);
  }

  /** As many as there is room for. */
  #bulk({ requestId, errorStatus: first, errorIndex: second, varbinds }: Pdu, limit: number): Buffer {
    const view = this.#options.view();
    const nonRepeaters = Math.min(Math.max(first, 0), varbinds.length);
    const parts: Buffer[] = [];
    let room = Math.min(limit, bulkBytes);
    const add = (varbind: Varbind): boolean => {
      const bytes = encodeVarbind(varbind);
      room -= bytes.length;
      // A first one that is larger goes alone, so that a walk does not end at it.
      const fits = parts.length === 0 ? bytes.length <= limit : room >= 0;
      if (!fits || parts.length >= maxObjects) return false;
      parts.push(bytes);
      return true;
    };
    let isFull = !varbinds.slice(0, nonRepeaters).every(({ oid }) => add(view.next(oid)));
    let row = varbinds.slice(nonRepeaters);
    for (let repetition = 0; !isFull && repetition < second && row.length > 0; repetition++) {
      row = row.map(({ oid }) => view.next(oid));
      isFull = !row.every(add);
      if (row.every((varbind) => varbind.tag === tag.endOfMibView)) break;
    }
    return responsePdu(requestId, 0, 0, Buffer.concat(parts));
  }

  /** A client that has no answer in time sends the same again: it is the same write, and has the same answer. */
  async #setOnce(heard: Heard, sender: string): Promise<Buffer | undefined> {
    const { pdu } = heard;
    const list = encodeVarbinds(pdu.varbinds);
    const name = `${sender} ${heard.securityName} ${pdu.requestId} ${createHash('sha256').update(list).digest('hex')}`;
    const nowMs = this.#options.clock.monotonicMs();
    this.#forget(nowMs);
    const before = this.#sets.get(name);
    if (before !== undefined) return before.pdu && heard.seal(before.pdu);
    if (this.#isPlayedBack(heard.signature, nowMs)) return undefined;
    if (this.#pendingSets >= maxPendingSets) {
      return heard.seal(responsePdu(pdu.requestId, statusIn(heard, errorStatus.resourceUnavailable), 0, list));
    }
    const answer: Answer = { pdu: undefined, atMs: nowMs };
    this.#sets.set(name, answer);
    this.#pendingSets++;
    try {
      const { status, index } = await this.#set(heard);
      answer.pdu = responsePdu(pdu.requestId, statusIn(heard, status), index, list);
      return heard.seal(answer.pdu);
    } finally {
      this.#pendingSets--;
    }
  }

  /**
   * All are checked before the first is written. inconsistentValue: it was refused, and nothing was assigned; resourceUnavailable:
   * nor was it, since its device is not there. A write cannot be undone, and may have been carried out where its outcome is
   * unknown: those are undoFailed.
   */
  async #set({ pdu, mayWrite, securityName }: Heard): Promise<{ status: number; index: number }> {
    const writes: { command: StackPoint; value: Value }[] = [];
    for (const [at, varbind] of pdu.varbinds.entries()) {
      const index = at + 1;
      if (!mayWrite) return { status: errorStatus.noAccess, index };
      const object = this.#options.view().find(varbind.oid)?.served;
      if (object?.served.isCommand !== true) return { status: errorStatus.notWritable, index };
      const parsed = object.parse(varbind);
      if (typeof parsed === 'number') return { status: parsed, index };
      const { point } = object.served;
      if (writes.some(({ command }) => command === point)) {
        return { status: errorStatus.inconsistentName, index };
      }
      writes.push({ command: point, value: parsed.value });
    }
    for (const [at, { command, value }] of writes.entries()) {
      const result = await this.#options.write(command, value);
      if (result.kind === 'accepted') continue;
      this.#options.log.info(`${command.name}, set by ${securityName}: ${result.reason}`);
      if (at > 0 || result.kind === 'unknown') return { status: errorStatus.undoFailed, index: 0 };
      const { inconsistentValue, resourceUnavailable } = errorStatus;
      return { status: result.kind === 'refused' ? inconsistentValue : resourceUnavailable, index: 1 };
    }
    return { status: errorStatus.noError, index: 0 };
  }

  #isPlayedBack(signature: string | undefined, nowMs: number): boolean {
    for (const [each, atMs] of this.#signatures) {
      if (nowMs - atMs <= signatureMs && this.#signatures.size < maxSignatures) break;
      this.#signatures.delete(each);
    }
    if (signature === undefined) return false;
    if (this.#signatures.has(signature)) return true;
    this.#signatures.set(signature, nowMs);
    return false;
  }

  #forget(nowMs: number): void {
    for (const [name, { pdu, atMs }] of this.#sets) {
      const isOld = nowMs - atMs > answeredMs || this.#sets.size >= maxAnswered;
      if (pdu === undefined) continue;
      if (!isOld) return;
      this.#sets.delete(name);
    }
  }
}

function statusIn({ version }: Heard, status: number): number {
  return version === '1' ? statusOfVersion1(status) : status;
}
