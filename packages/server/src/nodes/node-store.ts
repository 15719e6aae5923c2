// Another node of the site, as one that takes what this one has recorded.
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { TLSSocket } from 'node:tls';
import type { Clock } from '@telltale/schema';
import { type Claimed, type ParcelStore, type Received, StoreError, type StoreTrouble } from '../store/index.ts';
import { type operations, path } from './operations.ts';
import { digestOf, headersOf, isEqual, macOfAnswer, newNonce, type SignedRequest } from './signing.ts';

/** Where a node is, as it says itself. */
export interface NodeAddress {
  readonly address: string;
  /** Of the certificate that it serves; undefined: it does not speak TLS itself. */
  readonly fingerprint?: string | undefined;
}

export interface NodeStoreOptions {
  /** Of this node, and of the other one. */
  readonly from: string;
  readonly to: string;
  /** Undefined: it is not there. */
  readonly at: () => NodeAddress | undefined;
  readonly secret: string;
  readonly clock: Clock;
}

type Operation = (typeof operations)[number];

/** Nothing of an answer, or of the way of a request, for so long. */
const silentMs = 15_000;
const mostAnswerBytes = 2 ** 17;
const mostShown = 300;

export class NodeStore implements ParcelStore {
  /** A site that is behind slow lines need not send the same again for long. */
  readonly mostBytes = 4 << 20;
  readonly #options: NodeStoreOptions;

  constructor(options: NodeStoreOptions) {
    this.#options = options;
  }

  async newest(_site: string, epoch: number): Promise<Received | undefined> {
    return ((await this.#ask('newest', asBytes({ epoch }))) as Received | null) ?? undefined;
  }

  /** Epochs are those of the lease. */
  async claim(_site: string, given = 0): Promise<Claimed> {
    return (await this.#ask('claim', asBytes({ epoch: given }))) as Claimed;
  }

  async send(_site: string, _epoch: number, _seq: number, parcel: Uint8Array): Promise<Received> {
    return (await this.#ask('send', parcel)) as Received;
  }

  async #ask(operation: Operation, body: Uint8Array): Promise<unknown> {
    const { from, to, at, secret, clock } = this.#options;
    const place = at();
    if (place === undefined) throw new StoreError('unreachable', `node ${to} is not there`);
    const timeMs = Math.floor(clock.now() / 1000);
    const asked = { operation, from, to, timeMs, nonce: newNonce(), digest: digestOf(body) };
    const answer = await post(place, to, headersOf(secret, asked), operation, body);
    return this.#read(asked, answer);
  }

  #read(asked: SignedRequest, { status, mac, body }: Answer): unknown {
    const { to, secret } = this.#options;
    if (!isEqual(mac, macOfAnswer(secret, asked, body))) {
      const said = body.toString().slice(0, mostShown);
      throw new StoreError('refused', `node ${to} does not answer as a node of this site does (${status}): ${said}`);
    }
    const { result, trouble, message } = JSON.parse(body.toString()) as Partial<NodeAnswer>;
    if (trouble !== undefined) throw new StoreError(trouble, `node ${to}: ${message}`);
    return result;
  }
}

/** Either a result, or why there is none. */
export interface NodeAnswer {
  readonly result: unknown;
  readonly trouble: StoreTrouble;
  readonly message: string;
}

interface Answer {
  readonly status: number;
  readonly mac: unknown;
  readonly body: Buffer;
}

/** Sends nothing before it is sure with whom it speaks, where that is over TLS. */
function post(
  { address, fingerprint }: NodeAddress,
  name: string,
  headers: Record<string, string>,
  operation: Operation,
  body: Uint8Array,
): Promise<Answer> {
  const url = new URL(address.replace(/\/$/, '') + path(operation));
  const isTls = url.protocol === 'https:';
  const silent = () => new StoreError('silent', `node ${name} at ${url.host} does not answer`);
  return new Promise((resolve, reject) => {
    const options: RequestOptions = {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/octet-stream', 'content-length': body.length },
      agent: false,
      timeout: silentMs,
    };
    const take = (answer: IncomingMessage) => {
      const pieces: Buffer[] = [];
      let bytes = 0;
      answer.on('data', (piece: Buffer) => {
        pieces.push(piece);
        bytes += piece.length;
        if (bytes > mostAnswerBytes) answer.destroy(new StoreError('refused', `node ${name} answers too much`));
      });
      answer.on('error', reject);
      answer.on('aborted', () => reject(silent()));
      answer.on('end', () => {
        const { statusCode: status = 0, headers } = answer;
        resolve({ status, mac: headers['telltale-mac'], body: Buffer.concat(pieces) });
      });
    };
    const asked = isTls
      ? httpsRequest(url, { ...options, rejectUnauthorized: fingerprint === undefined }, take)
      : httpRequest(url, options, take);
    asked.on('timeout', () => asked.destroy(silent()));
    asked.on('error', (error) => {
      if (error instanceof StoreError) reject(error);
      else reject(new StoreError('unreachable', `node ${name} at ${url.host} is not reached: ${error.message}`, error));
    });
    if (!isTls) {
      asked.end(body);
      return;
    }
    asked.on('socket', (socket) =>
      socket.once('secureConnect', () => {
        if (isOf(socket as TLSSocket, fingerprint)) asked.end(body);
        else asked.destroy(new StoreError('tls', `at ${url.host} is not node ${name}: it shows another certificate`));
      }),
    );
    asked.flushHeaders();
  });
}

/** What is in front of it has a certificate of an authority. */
function isOf(socket: TLSSocket, fingerprint: string | undefined): boolean {
  return socket.authorized || socket.getPeerCertificate().fingerprint256 === fingerprint;
}

function asBytes(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}
