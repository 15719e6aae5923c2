// The end of exchanges at a site: carries out what a centre asks for, once, and never late.
import type { Clock } from '@telltale/schema';
import type { BusConnection, BusMessage } from '../connection/bus-connection.ts';
import { type ExchangeName, exchangeName, exchanges } from '../subjects.ts';
import { ExchangeReset, ExchangeStream } from './exchange-stream.ts';
import { decodeFrame, encodeFrame, type Frame, frameKind } from './frame.ts';
import { type AnswerHead, type Asked, type ForwardedRequest, readAsked } from './heads.ts';
import type { OutcomeLog } from './outcome-log.ts';

export interface SiteExchangesOptions {
  readonly bus: Pick<BusConnection, 'subscribe' | 'publish' | 'mostBytes' | 'observe'>;
  readonly clock: Clock;
  readonly site: string;
  /** Of its heartbeats. */
  readonly run: string;
  readonly epoch: () => number | null;
  readonly outcomes: OutcomeLog;
  /** What came before may have come to another node of the site; undefined: there is none. */
  readonly since?: string | undefined;
  readonly handle: (exchange: SiteExchange) => void;
}

/** A request of HTTP that is to be carried out now. */
export interface SiteExchange {
  readonly request: ForwardedRequest;
  /** Until when, by `monotonicMs`. */
  readonly untilMs: number;
  /** The body of the request comes out of it, that of the answer goes into it. It is destroyed where the other end is gone. */
  readonly stream: ExchangeStream;
  /** Once, before the body; with `isEnd`, there is none. */
  answer(head: AnswerHead, isEnd?: boolean): void;
}

interface Open {
  readonly stream: ExchangeStream;
  heardMs: number;
}

const mostOpen = 256;
/** Of those, what changes nothing, such as channels that stay open: something can always be changed. */
const mostOpenReads = 192;
/** A centre says that it is still there three times in this time. */
const idleMs = 30_000;
const sweepMs = 5000;
/** Nothing may be asked for later than this. */
const longestMs = 600_000;
/** Ids of requests that may still come, since their time is not over. */
const mostSeen = 20_000;
/** Of those, ids that somebody has asked for and that had not come: who asks for many does not hold up commands. */
const mostAskedFor = 1000;
/** Change nothing, whatever becomes of them. */
export const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

export class SiteExchanges {
  readonly #options: SiteExchangesOptions;
  readonly #open = new Map<string, Open>();
  /** Until when each could come again. */
  readonly #seen = new Map<string, number>();
  readonly #askedFor = new Map<string, number>();
  readonly #ends: (() => unknown)[] = [];
  #cancel = () => {};
  #hasStopped = false;

  constructor(options: SiteExchangesOptions) {
    this.#options = options;
  }

  get open(): number {
    return this.#open.size;
  }

  start(): void {
    const { bus, site } = this.#options;
    this.#ends.push(bus.subscribe(exchanges.toSite(site), (message) => this.#take(message)));
    this.#ends.push(bus.observe(({ isUp }) => !isUp && this.#resetAll('the site has lost the bus')));
    this.#sweepLater();
  }

  /** What is under way goes on at the site, and nobody hears of it. */
  async stop(): Promise<void> {
    this.#hasStopped = true;
    this.#cancel();
    this.#resetAll('the site is stopping');
    await Promise.all(this.#ends.splice(0).map((end) => end()));
  }

  #take({ subject, data }: BusMessage): void {
    const name = exchangeName(subject);
    const frame = decodeFrame(data);
    // What is on its way when it stops may be meant for whoever speaks for the site next.
    if (this.#hasStopped || name === undefined || frame === undefined) return;
    const nowMs = this.#options.clock.monotonicMs();
    const key = `${name.centre}.${name.number}`;
    const open = this.#open.get(key);
    if (open !== undefined) {
      open.heardMs = nowMs;
      if (nowMs > frame.untilMs && frame.kind !== frameKind.reset) open.stream.destroy(late());
      else open.stream.receive(frame);
      return;
    }
    if (frame.kind === frameKind.head && frame.number === 0) this.#begin(name, key, frame, nowMs);
    // Another start of the site had it, or it has ended.
    else if (frame.kind !== frameKind.reset)
      this.#send(name, { ...noFrame, kind: frameKind.reset, bytes: Buffer.from('it is not known here') });
  }

  #begin(name: ExchangeName, key: string, frame: Frame, nowMs: number): void {
    const asked = readAsked(frame.head);
    const refused =
      asked === undefined ? 'the site does not understand it' : this.#refusalOf(asked, frame.untilMs, nowMs);
    if (asked === undefined || refused !== undefined) {
      this.#send(name, { ...noFrame, kind: frameKind.head, head: JSON.stringify({ refused }), isEnd: true });
      return;
    }
    if (asked.kind === 'request' && !safeMethods.has(asked.method)) {
      // Whoever sent it twice hears of the first one.
      const { id } = asked;
      if (this.#seen.has(id) || this.#askedFor.has(id) || this.#options.outcomes.of(id) !== undefined) return;
      this.#seen.set(id, frame.untilMs);
    }
    const stream = new ExchangeStream({
      send: (sent) => this.#send(name, sent),
      mostBytes: () => this.#options.bus.mostBytes,
      onHead: () => undefined,
    });
    this.#open.set(key, { stream, heardMs: nowMs });
    stream.once('close', () => this.#open.delete(key));
    stream.receive(frame);
    if (asked.kind === 'outcome') this.#tellOutcome(asked.of, frame.untilMs, stream);
    else if (safeMethods.has(asked.method)) this.#handle(asked, frame.untilMs, stream);
    else void this.#beginNoted(asked, frame.untilMs, stream);
  }

  /** Nothing of it is begun, and nothing will be. */
  #refusalOf(asked: Asked, untilMs: number, nowMs: number): string | undefined {
    const { run: own, epoch: present } = this.#options;
    const { kind, run, epoch } = asked;
    const changes = kind === 'request' && !safeMethods.has(asked.method);
    if (run !== own) return 'the site was started anew meanwhile';
    if (epoch !== present()) return 'another node acts for the site, or acts anew';
    if (nowMs > untilMs) return 'it came too late';
    if (untilMs > nowMs + longestMs) return 'its time is not that of the site';
    if (this.#open.size >= (changes ? mostOpen : mostOpenReads)) return 'the site has too much to do now';
    const [ids, most] = kind === 'outcome' ? [this.#askedFor, mostAskedFor] : [this.#seen, mostSeen];
    if (ids.size >= most) {
      for (const [id, until] of ids) if (nowMs > until) ids.delete(id);
      if (ids.size >= most) return 'the site has too much to do now';
    }
    return undefined;
  }

  /** On disk before it is begun; where it is late then, or not wanted any more, it is not. */
  async #beginNoted(request: ForwardedRequest, untilMs: number, stream: ExchangeStream): Promise<void> {
    const { outcomes, clock } = this.#options;
    const { id, method, path, caller } = request;
    try {
      await outcomes.begin({ id, time: new Date(clock.now() / 1000).toISOString(), method, path, caller });
    } catch (error) {
      stream.sendHead(
        { refused: `the site cannot note it on its disk: ${(error as Error).message}`.slice(0, 1000) },
        true,
      );
      return;
    }
    if (clock.monotonicMs() <= untilMs && !stream.destroyed) return this.#handle(request, untilMs, stream);
    outcomes.end(id, { state: 'not-begun' });
    stream.sendHead({ refused: 'it came too late' }, true);
  }

  #handle(request: ForwardedRequest, untilMs: number, stream: ExchangeStream): void {
    const { outcomes, handle } = this.#options;
    const answer = (head: AnswerHead, isEnd = false) => {
      if (!safeMethods.has(request.method)) outcomes.end(request.id, { state: 'done', status: head.status });
      stream.sendHead(head, isEnd);
    };
    try {
      handle({ request, untilMs, stream, answer });
    } catch (error) {
      // A path or a header that HTTP does not have.
      if (!safeMethods.has(request.method)) outcomes.end(request.id, { state: 'not-begun' });
      stream.sendHead(
        { refused: `the site cannot ask its server for it: ${(error as Error).message}`.slice(0, 1000) },
        true,
      );
    }
  }

  /** One that has not come will be taken for one that came before. */
  #tellOutcome(id: string, untilMs: number, stream: ExchangeStream): void {
    const { outcomes } = this.#options;
    const noted = outcomes.of(id);
    if (noted === undefined) this.#askedFor.set(id, untilMs + longestMs);
    const since = this.#since;
    const outcome = noted ?? (since === undefined ? { state: 'not-begun' } : { state: 'not-noted', since });
    stream.sendHead({ status: 200, headers: { 'content-type': 'application/json' } });
    stream.end(JSON.stringify(outcome));
    stream.resume(); // there is no body, which has to be read for it to end
  }

  /** The later one of both. */
  get #since(): string | undefined {
    const { outcomes, since } = this.#options;
    return [outcomes.since, since]
      .flatMap((each) => each ?? [])
      .sort()
      .at(-1);
  }

  #send({ site, centre, number }: ExchangeName, frame: Omit<Frame, 'untilMs'>): void {
    const { bus } = this.#options;
    bus.publish(exchanges.from(site, centre, number), encodeFrame({ ...frame, untilMs: 0 }));
  }

  #resetAll(reason: string): void {
    for (const { stream } of [...this.#open.values()]) stream.destroy(new ExchangeReset(reason));
  }

  #sweepLater(): void {
    const { clock } = this.#options;
    this.#cancel = clock.after(sweepMs, () => {
      const nowMs = clock.monotonicMs();
      for (const { stream, heardMs } of this.#open.values()) {
        if (nowMs - heardMs > idleMs) stream.destroy(new ExchangeReset('nothing was heard of the centre'));
      }
      this.#sweepLater();
    });
  }
}

const noFrame = { number: 0, isEnd: false, bytes: new Uint8Array(), head: '' } as const;

function late(): ExchangeReset {
  return new ExchangeReset('a part of it came too late');
}
