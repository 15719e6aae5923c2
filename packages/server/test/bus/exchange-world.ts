// A site and a centre on one bus, with what the site is asked to carry out.
import { ManualClock } from '@telltale/schema/testing';
import { cleanupOf, type Scope, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { Forwarder, OutcomeLog, SiteBeats, type SiteExchange, SiteExchanges, Sites } from '../../src/bus/index.ts';
import { PlainBus } from './plain-bus.ts';

export const siteId = 'works';

export class ExchangeWorld {
  readonly clock = new ManualClock();
  readonly bus = new PlainBus();
  readonly sites: Sites;
  readonly forwarder: Forwarder;
  readonly folder: string;
  /** What was carried out: method and path. */
  readonly done: string[] = [];
  epoch: number | null = 7;
  /** Answers 204 unless it is told otherwise. */
  handle: (exchange: SiteExchange) => void = ({ answer, stream }) => {
    stream.resume();
    answer({ status: 204, headers: {} }, true);
  };
  outcomes: OutcomeLog | undefined;
  #site: { beats: SiteBeats; exchanges: SiteExchanges } | undefined;
  #runs = 0;

  static async start(scope: Scope): Promise<ExchangeWorld> {
    const world = new ExchangeWorld(scope);
    await world.startSite();
    return world;
  }

  private constructor(scope: Scope) {
    const { bus, clock } = this;
    this.folder = temporaryFolder(scope);
    this.sites = new Sites({ bus, clock });
    this.forwarder = new Forwarder({ bus, clock, sites: this.sites, centre: 'centre1' });
    this.sites.start();
    this.forwarder.start();
    cleanupOf(scope).defer(() => this.forwarder.stop());
    cleanupOf(scope).defer(() => this.stopSite());
  }

  get open(): number {
    return this.#site?.exchanges.open ?? 0;
  }

  async startSite(): Promise<void> {
    const { bus, clock } = this;
    const run = `run${++this.#runs}`;
    const outcomes = await OutcomeLog.open(this.folder);
    this.outcomes = outcomes;
    const facts = () => ({ name: 'Works', epoch: this.epoch, uplink: null });
    const beats = new SiteBeats({ bus, clock, site: siteId, run, version: '1', facts });
    const exchanges = new SiteExchanges({
      bus,
      clock,
      site: siteId,
      run,
      epoch: () => this.epoch,
      outcomes,
      handle: (exchange) => {
        this.done.push(`${exchange.request.method} ${exchange.request.path}`);
        this.handle(exchange);
      },
    });
    exchanges.start();
    beats.start();
    this.#site = { beats, exchanges };
  }

  async stopSite(): Promise<void> {
    const { beats, exchanges } = this.#site ?? {};
    this.#site = undefined;
    beats?.stop();
    await exchanges?.stop();
    await this.outcomes?.close();
    this.outcomes = undefined;
  }

  /** As after `kill -9`: nothing is said, and another start follows. */
  async killSite(): Promise<void> {
    this.bus.isUp = false;
    await this.stopSite();
    this.bus.isUp = true;
  }

  put(path: string, body?: string, beginMs = 4000) {
    const request = { method: 'PUT', path, headers: {}, caller: { author: 'ann' } };
    const forwarded = this.forwarder.forward(siteId, request, {
      isEnd: body === undefined,
      times: { beginMs, answerMs: 15_000 },
    });
    if (body !== undefined) forwarded.stream.end(body);
    forwarded.stream.resume();
    return forwarded;
  }
}
