// This server as a centre: knows the sites on the bus, has what they archive taken into its store, and serves each of them below
// `/sites/`, by forwarding what is asked for there.
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type BusState, type CentreSite, type Degradation, ProblemError, toTimestamp } from '@telltale/schema';
import { type Caller, checkEverywhere, type Identities } from '../access/index.ts';
import { answerHeaders, type Route } from '../api/index.ts';
import type { Beat, Forwarder, SiteState, Sites } from '../bus/index.ts';
import { StoreArchive } from '../store/index.ts';
import { startThread, threadPort, WorkerLink } from '../threads/index.ts';
import type { ArchiverClient, ArchiverState, ArchiverThread } from './archiver-protocol.ts';
import { type BusSettings, busStateOf, logBus, type OpenedBus, openBus } from './open-bus.ts';
import { OpenForCallers } from './open-for-callers.ts';
import { SiteViews, type SiteViewsOptions } from './site-views.ts';

export interface CentreOptions extends BusSettings {
  /** Of PostgreSQL; undefined: others take what sites send. */
  readonly store: string | undefined;
  readonly identities: Pick<Identities, 'onChanged'>;
}

interface Opened extends OpenedBus {
  readonly sites: Sites;
  readonly forwarder: Forwarder;
  readonly views: SiteViews | undefined;
}

/** A change shows at the centre well within this time. */
const behindMs = 3000;
/** Between an archiver that ended and the next one. */
const pauseMs = 5000;
/** What has become of a request that was forwarded. */
const outcomePath = /^\/requests\/([0-9A-Za-z_-]{8,64})$/;
/** A page that a site answers has none of the rights that the centre's own have in a browser. */
const strangers = {
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox",
} as const;
const base = /^\/sites\/([^/?]+)(\/[^?]*)(\?.*)?$/;

export class Centre {
  readonly #options: CentreOptions;
  readonly #callers: OpenForCallers;
  /** Of this start, and of no other. */
  readonly #name = `centre-${randomBytes(6).toString('hex')}`;
  /** History of sites; undefined: there is no store. */
  readonly #archive: StoreArchive | undefined;
  #routesOf: SiteViewsOptions['routesOf'] | undefined;
  #opened: Opened | undefined;
  /** When something of a site was changed from here last. */
  readonly #changed = new Map<string, number>();
  #archiver: WorkerLink<ArchiverThread, ArchiverClient> | undefined;
  #archiverState: ArchiverState | undefined;
  /** Why the thread of the archiver has ended; undefined: it runs. */
  #archiverEnded: { readonly sinceUs: number; readonly reason: string } | undefined;
  #cancel = () => {};

  constructor(options: CentreOptions) {
    this.#options = options;
    this.#callers = new OpenForCallers(options.identities);
    const { store: address, clock, log } = options;
    const onFailure = (err: Error) => log.error({ err }, 'what reads the store has ended');
    this.#archive = address === undefined ? undefined : new StoreArchive({ address, clock, onFailure });
  }

  /** Does not wait for the bus. Rejects with `UnusableBus`. */
  async open(): Promise<void> {
    const { clock, log } = this.#options;
    const bus = await openBus(this.#options, this.#name);
    const { library, connection } = bus;
    logBus(connection, log);
    const sites = new library.Sites({ bus: connection, clock });
    const forwarder = new library.Forwarder({ bus: connection, clock, sites, centre: this.#name });
    const archive = this.#archive;
    const routesOf = this.#routesOf;
    const views =
      routesOf &&
      new SiteViews({
        clock,
        liveSiteOf: (site) => new library.LiveSite({ bus: connection, clock, sites, site }),
        archiveOf: archive && ((site) => archive.of(site)),
        routesOf,
      });
    this.#opened = { ...bus, sites, forwarder, views };
    sites.observe((site) => this.#heard(site));
    sites.start();
    forwarder.start();
    connection.start();
    const { store } = this.#options;
    if (store !== undefined) this.#startArchiver(store);
  }

  async close(patienceMs: number): Promise<void> {
    this.#cancel();
    const archiver = this.#archiver;
    this.#archiver = undefined;
    const { sites, forwarder, views, connection } = this.#opened ?? {};
    await forwarder?.stop();
    await views?.stop();
    await this.#archive?.close();
    await sites?.stop();
    await connection?.stop();
    await archiver?.close(patienceMs, () => archiver.call('close', []));
  }

  get sites(): CentreSite[] {
    return (this.#opened?.sites.all ?? []).map(siteOnWire).sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** By its id, or by a name that only one has. Throws `ProblemError`. */
  site(wanted: string): CentreSite {
    return siteOnWire(this.#find(wanted));
  }

  /** What was taken since the start; undefined: nothing is taken here. */
  get archiver(): ArchiverState['counts'] | undefined {
    return this.#archiverState?.counts;
  }

  get bus(): BusState | undefined {
    return this.#opened && busStateOf(this.#opened, 'centre');
  }

  get degraded(): Degradation[] {
    const { isUp, text, sinceUs } = this.#opened?.connection.state ?? { isUp: true };
    if (!isUp && text !== undefined) {
      return [
        {
          since: toTimestamp(sinceUs ?? 0),
          text: `Nothing is heard of the sites, the bus cannot be reached: ${text}.`,
        },
      ];
    }
    const ended = this.#archiverEnded;
    if (ended === undefined) return [];
    return [{ since: toTimestamp(ended.sinceUs), text: `Nothing of the sites goes to the store: ${ended.reason}.` }];
  }

  /** Whether the request is for a site. */
  isOfSite(url: string): boolean {
    return base.test(url);
  }

  /** What is answered here of the site that it is for; below its id. Throws `ProblemError`. */
  routesOf(url: string): { readonly routes: readonly Route[]; readonly url: string } | undefined {
    const [, wanted = '', path = '', query = ''] = base.exec(url) ?? [];
    const views = this.#opened?.views;
    if (views === undefined) return undefined;
    const { id: site } = this.#find(decoded(wanted));
    if (this.#isBehind(site)) return undefined;
    return { routes: views.routesOf(site), url: `/sites/${site}${path}${query}` };
  }

  /** How what is answered here is served; before it is opened. */
  serveBy(routesOf: SiteViewsOptions['routesOf']): void {
    this.#routesOf = routesOf;
  }

  /** Forwards what is asked for. Rejects with `ProblemError`: then nothing was answered. */
  async forward(request: IncomingMessage, response: ServerResponse, caller: Caller): Promise<void> {
    const { library, target } = this.#targetOf(request, caller);
    const [, asked] = outcomePath.exec(target.path) ?? [];
    if (asked !== undefined) {
      checkEverywhere(caller, 'view');
      const outcome = await this.#asProblem(target.forwarder.outcomeOf(target.site, asked));
      response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' });
      response.end(JSON.stringify(outcome));
      return;
    }
    const leave = this.#callers.enter(caller, () => response.destroy());
    response.once('close', leave);
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      const changed = () => this.#changed.set(target.site, this.#options.clock.monotonicMs());
      changed();
      response.once('close', changed);
    }
    const headers = { ...answerHeaders(request.socket), ...strangers };
    await this.#asProblem(library.forwardRequest(request, response, { ...target, headers }));
  }

  /** The same of an upgrade, such as to the channel of the site. */
  async forwardUpgrade(request: IncomingMessage, socket: Socket, head: Buffer, caller: Caller): Promise<void> {
    const { library, target } = this.#targetOf(request, caller);
    const leave = this.#callers.enter(caller, () => socket.destroy());
    socket.once('close', leave);
    await this.#asProblem(library.forwardUpgrade(request, socket, head, target));
  }

  #targetOf({ url = '' }: IncomingMessage, { author, session, rights }: Caller) {
    const opened = this.#opened;
    if (opened === undefined) throw new ProblemError('starting', 'The centre is not open yet.');
    const [, wanted = '', path = '', query = ''] = base.exec(url) ?? [];
    const { id: site } = this.#find(decoded(wanted));
    const caller = { author, ...(session !== undefined && { session }), granted: rights.granted };
    return { library: opened.library, target: { forwarder: opened.forwarder, site, path: `${path}${query}`, caller } };
  }

  #find(wanted: string): SiteState {
    const all = this.#opened?.sites.all ?? [];
    const found = all.find(({ id }) => id === wanted);
    if (found !== undefined) return found;
    const named = all.filter(({ beat }) => beat?.name === wanted);
    if (named.length === 1) return named[0] as SiteState;
    const shown = JSON.stringify(wanted.slice(0, 80));
    if (named.length === 0) throw new ProblemError('unknown-site', `There is no site ${shown}; /sites lists them.`);
    throw new ProblemError(
      'unknown-site',
      `Several sites are named ${shown}: ${named.map(({ id }) => id).join(', ')}.`,
    );
  }

  /** Whoever has changed something reads what has become of it: at the site, until the mirror has it for sure. */
  #isBehind(site: string): boolean {
    const changedMs = this.#changed.get(site);
    if (changedMs === undefined) return false;
    const isBehind =
      this.#options.clock.monotonicMs() - changedMs < behindMs && this.#opened?.sites.of(site)?.isUp === true;
    if (!isBehind) this.#changed.delete(site);
    return isBehind;
  }

  async #asProblem<T>(done: Promise<T>): Promise<T> {
    try {
      return await done;
    } catch (error) {
      const { library } = this.#opened as Opened;
      if (!(error instanceof library.ForwardError)) throw error;
      const text = `${error.message[0]?.toUpperCase()}${error.message.slice(1)}.`;
      if (error.word !== 'unknown') throw new ProblemError('site-away', `${text} Nothing was done.`);
      throw new ProblemError('outcome-unknown', `${text} Ask for what has become of request ${error.id}.`);
    }
  }

  #heard({ id, beat }: SiteState): void {
    if (beat !== undefined) this.#archiver?.notify('nameSite', [id, beat.name]);
  }

  #startArchiver(store: string): void {
    const { address, files, clock, log } = this.#options;
    const ended = ({ message }: Error) => {
      if (this.#archiver !== link) return;
      this.#archiver = undefined;
      this.#archiverEnded = { sinceUs: clock.now(), reason: message };
      log.error(`what takes parcels of sites has ended, and is started again: ${message}`);
      this.#cancel = clock.after(pauseMs, () => this.#startArchiver(store));
      void link.kill();
    };
    const thread = startThread(new URL('./archiver-thread.ts', import.meta.url), 'store');
    const link: WorkerLink<ArchiverThread, ArchiverClient> = new WorkerLink<ArchiverThread, ArchiverClient>(
      threadPort(thread),
      {
        handlers: {
          state: (state) => {
            this.#archiverState = state;
            this.#archiverEnded = undefined;
          },
          fault: (err) => log.error({ err }, 'a parcel of a site could not be taken'),
        },
        onDeath: ended,
      },
    );
    this.#archiver = link;
    link.call('open', [{ store, bus: { address, files }, name: `${this.#name}-archiver` }]).catch(ended);
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function siteOnWire({ id, isUp, sinceUs, cause, beat, aheadUs, isTwice }: SiteState): CentreSite {
  return {
    id,
    name: beat?.name ?? id,
    state: isUp ? 'up' : 'down',
    since: toTimestamp(sinceUs),
    error: cause === '' ? null : cause,
    version: beat?.version ?? null,
    epoch: beat?.epoch ?? null,
    'clock-ahead-seconds': aheadUs / 1e6,
    'is-twice': isTwice,
    uplink: beat?.uplink === null || beat?.uplink === undefined ? null : uplinkOnWire(beat.uplink),
  };
}

function uplinkOnWire(uplink: NonNullable<Beat['uplink']>): NonNullable<CentreSite['uplink']> {
  const { failure, sentAtUs, sent, waiting, oldestUnsentUs, stored, dropped, discarded } = uplink;
  return {
    error: failure,
    'last-sent': sentAtUs === null ? null : toTimestamp(sentAtUs),
    'sent-records': sent,
    'waiting-records': waiting,
    'oldest-waiting': oldestUnsentUs === 0 ? null : toTimestamp(oldestUnsentUs),
    'stored-records': stored,
    'dropped-records': dropped,
    'lost-records': discarded.count,
  };
}
