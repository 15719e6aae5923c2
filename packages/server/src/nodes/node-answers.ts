// Answers other nodes of the site, over the HTTP server of the service: takes what they have recorded. Nobody else is answered, and nothing of
// a body is read before it is known whose it is.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Clock, nodeNamePattern } from '@telltale/schema';
import type { Archive, TakenParcel } from '../archive/index.ts';
import { parcelLimits } from '../archive/parcel/index.ts';
import type { StoreTrouble } from '../store/index.ts';
import type { NodeAnswer } from './node-store.ts';
import { operationAt, operations } from './operations.ts';
import { digestOf, macOfAnswer, readHeaders, type SignedRequest } from './signing.ts';

export type ReceivingArchive = Pick<Archive, 'newestParcel' | 'claimEpoch' | 'takeParcel'>;

export interface NodeAnswersOptions {
  readonly name: string;
  /** Undefined: it is not known yet. */
  readonly secret: () => string | undefined;
  readonly archive: ReceivingArchive;
  readonly clock: Clock;
}

/** Clocks of nodes that differ by more are set wrong. A request that is older is none. */
const mostApartMs = 300_000;
const mostUnderWay = 4;
/** In the time in which they count. */
const mostNonces = 100_000;
const mostNodes = 8;
const mostAskedBytes = 1024;
const nodeName = new RegExp(nodeNamePattern);
const mostParcelBytes = parcelLimits.bytes + 64;

/** What it answers to whoever is none of the nodes. */
class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export class NodeAnswers {
  readonly #options: NodeAnswersOptions;
  /** Those that came, and when they count no longer. */
  readonly #nonces = new Map<string, number>();
  readonly #nodes = new Set<string>();
  #underWay = 0;

  constructor(options: NodeAnswersOptions) {
    this.#options = options;
  }

  isAsked(url: string): boolean {
    return operationAt(url) !== undefined;
  }

  /** Never rejects. */
  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#underWay++;
    try {
      const { secret, asked } = this.#admit(request);
      const body = await this.#bodyOf(request, asked);
      const answer = Buffer.from(JSON.stringify(await this.#carryOut(asked, body)));
      response.setHeader('telltale-mac', macOfAnswer(secret, asked, answer));
      end(response, 200, answer);
    } catch (error) {
      const status = error instanceof Refusal ? error.status : 400;
      end(response, status, Buffer.from(JSON.stringify({ problem: (error as Error).message })));
    } finally {
      this.#underWay--;
      // An unread body must not block the requests behind it on the connection.
      if (!request.readableEnded) request.unpipe().resume();
    }
  }

  /** Throws `Refusal`. */
  #admit({ method, url = '', headers }: IncomingMessage): { readonly secret: string; readonly asked: SignedRequest } {
    const operation = operationAt(url) ?? '';
    if (method !== 'POST' || !operations.some((each) => each === operation))
      throw new Refusal(404, 'There is no such path.');
    if (this.#underWay > mostUnderWay) throw new Refusal(503, 'Too many requests of nodes are under way: try again.');
    const secret = this.#options.secret();
    if (secret === undefined) throw new Refusal(503, 'This node does not know yet how nodes of its site sign.');
    const asked = readHeaders(secret, operation, headers);
    const { name, clock } = this.#options;
    if (asked === undefined || asked.to !== name || asked.from === name || !nodeName.test(asked.from)) {
      throw new Refusal(403, 'This is for other nodes of the site alone, and this request is not signed by one.');
    }
    const apartMs = Math.round(clock.now() / 1000 - asked.timeMs);
    if (Math.abs(apartMs) > mostApartMs) {
      throw new Refusal(
        403,
        `The clocks of nodes ${asked.from} and ${name} are ${Math.abs(apartMs) / 1000} s apart: set them.`,
      );
    }
    this.#useNonce(asked.nonce);
    this.#nodes.add(asked.from);
    if (this.#nodes.size > mostNodes) throw new Refusal(503, `A site has ${mostNodes + 1} nodes at most.`);
    return { secret, asked };
  }

  /** Throws `Refusal` where it came before. */
  #useNonce(nonce: string): void {
    const nowMs = this.#options.clock.monotonicMs();
    for (const [known, untilMs] of this.#nonces) {
      if (untilMs > nowMs) break;
      this.#nonces.delete(known);
    }
    if (this.#nonces.has(nonce)) throw new Refusal(403, 'This request came before.');
    if (this.#nonces.size >= mostNonces) throw new Refusal(503, 'Nodes ask too often.');
    this.#nonces.set(nonce, nowMs + 2 * mostApartMs);
  }

  /** Throws `Refusal`. */
  async #bodyOf(request: IncomingMessage, { operation, digest }: SignedRequest): Promise<Uint8Array<ArrayBuffer>> {
    const length = Number(request.headers['content-length'] ?? Number.NaN);
    const most = operation === 'send' ? mostParcelBytes : mostAskedBytes;
    if (!Number.isSafeInteger(length) || length < 0 || length > most) {
      throw new Refusal(413, `A request has a length of at most ${most} bytes.`);
    }
    const body = new Uint8Array(length);
    let at = 0;
    for await (const piece of request as AsyncIterable<Buffer>) {
      body.set(piece, at);
      at += piece.length;
    }
    if (at !== length || digestOf(body) !== digest) throw new Refusal(403, 'What came is not what was signed.');
    return body;
  }

  async #carryOut({ operation, from }: SignedRequest, body: Uint8Array<ArrayBuffer>): Promise<Partial<NodeAnswer>> {
    const { archive } = this.#options;
    try {
      if (operation === 'send') return answerOf(await archive.takeParcel(from, body));
      const epoch = epochIn(body);
      if (operation === 'claim') return { result: await archive.claimEpoch(from, epoch) };
      return { result: (await archive.newestParcel(from, epoch)) ?? null };
    } catch (error) {
      return trouble('busy', (error as Error).message);
    }
  }
}

function answerOf(taken: TakenParcel): Partial<NodeAnswer> {
  return 'newest' in taken ? { result: taken.newest } : trouble(taken.trouble, taken.reason);
}

function trouble(trouble: StoreTrouble, message: string): Partial<NodeAnswer> {
  return { trouble, message };
}

/** Throws where there is none. */
function epochIn(body: Uint8Array): number {
  const { epoch } = JSON.parse(Buffer.from(body).toString()) as { epoch?: unknown };
  if (!Number.isSafeInteger(epoch) || (epoch as number) < 0) throw new Error('The request has no epoch.');
  return epoch as number;
}

function end(response: ServerResponse, status: number, body: Buffer): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    'content-length': body.length,
  });
  response.end(body);
}
