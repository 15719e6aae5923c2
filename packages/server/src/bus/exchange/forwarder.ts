// The end of exchanges at a centre: asks sites for something, says until when it counts, and what has become of it.
import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Clock } from '@telltale/schema';
import type { BusConnection, BusMessage } from '../connection/bus-connection.ts';
import type { SiteState, Sites } from '../sites/sites.ts';
import { exchangeName, exchanges } from '../subjects.ts';
import { ExchangeReset, ExchangeStream } from './exchange-stream.ts';
import { decodeFrame, encodeFrame, type Frame, frameKind } from './frame.ts';
import { type AnswerHead, type Asked, type ForwardedRequest, type Outcome, readAnswer, readOutcome } from './heads.ts';

export interface ForwarderOptions {
  readonly bus: Pick<BusConnection, 'subscribe' | 'publish' | 'mostBytes' | 'observe'>;
  readonly clock: Clock;
  readonly sites: Pick<Sites, 'momentAt' | 'of' | 'observe'>;
  /** Of this start of this centre, and of no other. */
  readonly centre: string;
}

export type ForwardWord =
  /** The site is not there: nothing was sent, or nobody got it. */
  | 'away'
  /** The site says that it was not begun, and never will be. */
  | 'refused'
  /** No answer: it may have been carried out. Its id is what to ask for. */
  | 'unknown';

export class ForwardError extends Error {
  override readonly name = 'ForwardError';
  readonly word: ForwardWord;
  readonly id: string;

  constructor(word: ForwardWord, id: string, message: string) {
    super(message);
    this.word = word;
    this.id = id;
  }
}

export interface ForwardTimes {
  /** It is begun within this time, or never. */
  readonly beginMs: number;
  /** So long the answer is waited for when the site has what was sent of the body; afterwards, what has become of it is unknown. */
  readonly answerMs: number;
}

export interface Forwarded {
  /** Of the request, for ever. */
  readonly id: string;
  /** The body of the request goes into it, that of the answer comes out of it. Destroying it ends the exchange. */
  readonly stream: ExchangeStream;
  /** Rejects with `ForwardError`. */
  readonly answer: Promise<AnswerHead>;
}

interface Pending extends Forwarded {
  readonly site: string;
  readonly run: string;
  readonly settle: (head: AnswerHead | ForwardError) => void;
  /** The site goes on taking the body. */
  goesOn: () => void;
  /** Something of it has left. */
  isSent: boolean;
  isHeard: boolean;
}

/** What follows the beginning counts for so long. */
const followMs = 5000;
const pingMs = 10_000;
const usualTimes: ForwardTimes = { beginMs: 4000, answerMs: 15_000 };
const mostOutcomeBytes = 1000;

export class Forwarder {
  readonly #options: ForwarderOptions;
  readonly #pending = new Map<number, Pending>();
  readonly #ends: (() => unknown)[] = [];
  #next = 1;
  #cancel = () => {};

  constructor(options: ForwarderOptions) {
    this.#options = options;
  }

  get open(): number {
    return this.#pending.size;
  }

  start(): void {
    const { bus, centre, sites } = this.#options;
    this.#ends.push(bus.subscribe(exchanges.fromAll(centre), (message) => this.#hear(message)));
    this.#ends.push(sites.observe((site) => this.#siteChanged(site)));
    this.#ends.push(bus.observe(({ isUp }) => !isUp && this.#endWhere(() => true, 'the centre has lost the bus')));
    this.#pingLater();
  }

  async stop(): Promise<void> {
    this.#cancel();
    this.#endWhere(() => true, 'the centre is stopping');
    await Promise.all(this.#ends.splice(0).map((end) => end()));
  }

  /** A request of HTTP; `isEnd`: it has no body. Throws `ForwardError` where the site is not there. */
  forward(
    site: string,
    request: Pick<ForwardedRequest, 'method' | 'path' | 'headers' | 'caller'>,
    { isEnd = false, times = usualTimes }: { isEnd?: boolean; times?: ForwardTimes } = {},
  ): Forwarded {
    return this.#begin(site, (asked) => ({ kind: 'request', ...asked, ...request }), times, isEnd);
  }

  /** What has become of a request. One that was not begun never will be. Rejects with `ForwardError`. */
  async outcomeOf(site: string, of: string): Promise<Outcome> {
    const { stream, answer, id } = this.#begin(site, (asked) => ({ kind: 'outcome', ...asked, of }), usualTimes, true);
    await answer;
    const outcome = readOutcome(await textOf(stream));
    if (outcome === undefined) throw new ForwardError('refused', id, 'what the site answers is not understood');
    return outcome;
  }

  #begin(site: string, asked: (of: Omit<Asked, 'kind'>) => Asked, times: ForwardTimes, isEnd: boolean): Forwarded {
    const { clock, centre, sites } = this.#options;
    const id = randomBytes(16).toString('base64url');
    const moment = sites.momentAt(site);
    if (moment === undefined) {
      const cause = sites.of(site)?.cause ?? 'it is not known here';
      throw new ForwardError('away', id, `the site is not there: ${cause}`);
    }
    const number = this.#next++;
    const [run, untilMs] = [moment.run, moment.monotonicMs + times.beginMs];
    const subject = exchanges.to(site, centre, number);
    const reply = exchanges.from(site, centre, number);
    const { promise: answer, resolve, reject } = Promise.withResolvers<AnswerHead>();
    // Whoever does not wait for it has seen the end of the stream.
    answer.catch(() => undefined);
    const settle = (head: AnswerHead | ForwardError) => (head instanceof ForwardError ? reject(head) : resolve(head));
    const stream = new ExchangeStream({
      send: (frame) => {
        this.#send(site, subject, frame, frame.number === 0 ? { untilMs, reply } : undefined);
        pending.isSent = true;
      },
      mostBytes: () => this.#options.bus.mostBytes,
      onHead: (head) => this.#answered(pending, head),
    });
    const pending: Pending = { id, stream, answer, site, run, settle, goesOn: () => {}, isSent: false, isHeard: false };
    this.#pending.set(number, pending);
    let cancel = () => {};
    pending.goesOn = () => {
      cancel();
      cancel = clock.after(times.answerMs, () => stream.destroy(new ExchangeReset('no answer came in time')));
    };
    pending.goesOn();
    const end = () => {
      pending.goesOn = () => {};
      cancel();
    };
    answer.then(end, end);
    stream.once('close', () => {
      this.#pending.delete(number);
      const reason = stream.errored?.message ?? 'it was given up';
      if (pending.isSent) settle(new ForwardError('unknown', id, `what has become of it is not known: ${reason}`));
      else settle(new ForwardError('away', id, `it was not sent: ${reason}`));
    });
    const { epoch } = moment;
    stream.sendHead(asked({ id, run, epoch }), isEnd);
    return { id, stream, answer };
  }

  #send(
    site: string,
    subject: string,
    frame: Omit<Frame, 'untilMs'>,
    first?: { untilMs: number; reply: string },
  ): void {
    const { bus, sites } = this.#options;
    const untilMs = first?.untilMs ?? (sites.momentAt(site)?.monotonicMs ?? 0) + followMs;
    bus.publish(subject, encodeFrame({ ...frame, untilMs }), first?.reply);
  }

  #hear({ subject, data, isNobody }: BusMessage): void {
    const { site, number = 0 } = exchangeName(subject) ?? {};
    const pending = this.#pending.get(number);
    if (pending === undefined || pending.site !== site) return;
    if (isNobody) {
      if (pending.isHeard) return;
      pending.settle(new ForwardError('away', pending.id, 'the site does not listen: nothing was sent to it'));
      pending.stream.destroy();
      return;
    }
    pending.isHeard = true;
    const frame = decodeFrame(data);
    if (frame?.kind === frameKind.credit) pending.goesOn();
    if (frame === undefined) pending.stream.destroy(new ExchangeReset('what the site says is not understood'));
    else pending.stream.receive(frame);
  }

  #answered({ id, stream, settle }: Pending, text: string): void {
    const head = readAnswer(text);
    if (head === undefined) stream.destroy(new ExchangeReset('what the site answers is not understood'));
    else if ('status' in head) settle(head);
    else {
      settle(new ForwardError('refused', id, head.refused));
      stream.destroy();
    }
  }

  #siteChanged({ id, isUp, cause, beat }: SiteState): void {
    const reason = isUp ? 'the site was started anew' : `the site is gone: ${cause}`;
    this.#endWhere(({ site, run }) => site === id && (!isUp || run !== beat?.run), reason);
  }

  #endWhere(isMeant: (pending: Pending) => boolean, reason: string): void {
    for (const pending of [...this.#pending.values()]) {
      if (isMeant(pending)) pending.stream.destroy(new ExchangeReset(reason));
    }
  }

  #pingLater(): void {
    this.#cancel = this.#options.clock.after(pingMs, () => {
      for (const { stream } of this.#pending.values()) stream.ping();
      this.#pingLater();
    });
  }
}

async function textOf(stream: Readable): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of stream as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > mostOutcomeBytes) break;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}
