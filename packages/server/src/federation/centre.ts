// This server as a centre: knows the sites on the bus, has what they archive taken into its store, and serves each of them below
// `/sites/`, by forwarding what is asked for there.
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type BusState, type CentreSite, type Degradation, ProblemError, toTimestamp } from '@telltale/schema';
import { type Caller, callerAt, checkEverywhere, type Identities } from '../access/index.ts';
import { answerHeaders, type RoutesOfSite } from '../api/index.ts';
import type { Forwarder, SiteState, Sites } from '../bus/index.ts';
import { type AlarmsAtSite, type Asking, unknownSite } from '../operations/index.ts';
import { StoreArchive } from '../store/index.ts';
import type { ArchiverState } from './archiver-protocol.ts';
import { askSite, toldOf } from './ask-site.ts';
import { CentreArchiver } from './centre-archiver.ts';
import { checkForwarded } from './check-forwarded.ts';
import { LiveAlarms } from './live-alarms.ts';
import { NamedSites, type NamedSitesOptions, type StoredSite } from './named-sites.ts';
import { type BusSettings, busStateOf, logBus, type OpenedBus, openBus } from './open-bus.ts';
import { OpenForCallers } from './open-for-callers.ts';
import { type RecordAsked, recordChannel } from './recorded-channel.ts';
import { siteOnWire } from './site-on-wire.ts';
import { SiteViews, type SiteViewsOptions } from './site-views.ts';

export interface CentreOptions extends BusSettings, NamedSitesOptions {
  /** Of PostgreSQL; undefined: others take what sites send. */
  readonly store: string | undefined;
  readonly identities: Pick<Identities, 'onChanged'>;
}

/** How what is asked of sites is served. */
export interface ServedBy {
  readonly routesOf: SiteViewsOptions['routesOf'];
  /** Has what changes something at a site recorded: `work` answers with what it came to. */
  readonly record: (asked: RecordedRequest, work: () => Promise<SiteOutcome>) => Promise<void>;
  /** The same of what is asked over the channel of a site. */
  readonly recorderOf: (asking: Asking) => RecordAsked;
  /** Of a message of the channel. */
  readonly mostMessageBytes: number;
}

export interface RecordedRequest {
  readonly method: string;
  /** At the site. */
  readonly path: string;
  readonly caller: Caller;
  readonly source: string | undefined;
}

/** What has become of a request, and how it is answered. */
export interface SiteOutcome {
  readonly id: string;
  readonly status: number;
  readonly problem: string | undefined;
  answer(): void;
}

interface Opened extends OpenedBus {
  readonly sites: Sites;
  readonly forwarder: Forwarder;
  readonly views: SiteViews | undefined;
  readonly alarms: LiveAlarms;
  readonly sinceUs: number;
}

/** A change shows at the centre well within this time. */
const behindMs = 3000;
/** Within this time a server of the bus passes on what it is told. */
const echoMs = 500;
/** What has become of a request that was forwarded. */
const outcomePath = /^\/requests\/([0-9A-Za-z_-]{8,64})$/;
/** A page that a site answers has none of the rights that the centre's own have in a browser. */
const strangers = {
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox",
} as const;
/** Without anything behind it, it is an operation of the centre. */
const base = /^\/sites\/([^/?]+)(\/[^?]*)(\?.*)?$/;

export class Centre {
  readonly #options: CentreOptions;
  readonly #callers: OpenForCallers;
  readonly #named: NamedSites;
  /** Of this start, and of no other. */
  readonly #name = `centre-${randomBytes(6).toString('hex')}`;
  /** History of sites; undefined: there is no store. */
  readonly #archive: StoreArchive | undefined;
  #servedBy: ServedBy | undefined;
  #opened: Opened | undefined;
  /** When something of a site was changed from here last. */
  readonly #changed = new Map<string, number>();
  readonly #archiver: CentreArchiver | undefined;

  constructor(options: CentreOptions) {
    this.#options = options;
    this.#callers = new OpenForCallers(options.identities);
    this.#named = new NamedSites(options);
    const { store: address, clock, log, address: bus, files } = options;
    const onFailure = (err: Error) => log.error({ err }, 'what reads the store has ended');
    if (address === undefined) return;
    this.#archive = new StoreArchive({ address, clock, onFailure });
    const name = `${this.#name}-archiver`;
    const sites = (stored: readonly StoredSite[]) => this.#stored(stored);
    this.#archiver = new CentreArchiver({ store: address, bus: { address: bus, files }, name, clock, log, sites });
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
    const { routesOf } = this.#servedBy ?? {};
    const live = { bus: connection, clock, sites };
    const views =
      routesOf &&
      new SiteViews({
        clock,
        liveSiteOf: (site) => new library.LiveSite({ ...live, site }),
        archiveOf: archive && ((site) => archive.of(site)),
        stateOf: (site) => sites.of(site),
        routesOf,
      });
    const alarms = new LiveAlarms((site) => new library.LiveSite({ ...live, site, kinds: ['alarms'] }));
    this.#opened = { ...bus, sites, forwarder, views, alarms, sinceUs: clock.now() };
    for (const { role, name } of this.#options.members()) if (role === 'site') sites.expect(name);
    sites.observe((site) => this.#heard(site));
    sites.start();
    forwarder.start();
    connection.start();
    this.#archiver?.start();
  }

  async close(patienceMs: number): Promise<void> {
    const { sites, forwarder, views, alarms, connection } = this.#opened ?? {};
    await forwarder?.stop();
    await views?.stop();
    await alarms?.stop();
    await this.#archive?.close();
    await sites?.stop();
    await connection?.stop();
    await this.#archiver?.close(patienceMs);
  }

  /** Whether the server of the bus that it is connected to has read the list of members of this version. */
  async hasRead(version: string): Promise<boolean> {
    const { library, connection } = this.#opened ?? {};
    if (library === undefined || connection === undefined) return false;
    const { clock } = this.#options;
    const nonce = randomBytes(9).toString('base64url');
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const leave = connection.subscribe(library.rights.all, ({ data }) => {
      if (Buffer.from(data).toString() === nonce) resolve(true);
    });
    const cancel = clock.after(echoMs, () => resolve(false));
    try {
      connection.publish(library.rights.read(version), nonce);
      return await promise;
    } catch (error) {
      if (error instanceof library.BusError) return false;
      throw error;
    } finally {
      cancel();
      void leave();
    }
  }

  get sites(): CentreSite[] {
    const nowUs = this.#options.clock.now();
    const all = (this.#opened?.sites.all ?? []).map((site) => siteOnWire(site, this.#named.nameOf(site), nowUs));
    return all.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Undefined: the site is not known. */
  alarmsOf(site: string): AlarmsAtSite | undefined {
    return this.#opened?.alarms.of(site);
  }

  /** Of all sites, each name as `site/name`; undefined: there is no store. */
  get history(): StoreArchive | undefined {
    return this.#archive;
  }

  /** The text of an answer of the site. Rejects with an `Error`, whose message is for people. */
  async ask(site: string, path: string, caller: Caller, signal: AbortSignal): Promise<string> {
    if (this.#opened === undefined) throw new Error('the centre is not open yet');
    return askSite(this.#opened.forwarder, site, path, caller, signal);
  }

  /** What was taken since the start; undefined: nothing is taken here. */
  get archiver(): ArchiverState['counts'] | undefined {
    return this.#archiver?.counts;
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
    const ended = this.#archiver?.ended;
    if (ended !== undefined)
      return [{ since: toTimestamp(ended.sinceUs), text: `Nothing of the sites goes to the store: ${ended.reason}.` }];
    if (this.#named.isStoreRead || this.#opened === undefined) return [];
    return [
      {
        since: toTimestamp(this.#opened.sinceUs),
        text: 'Sites are called by their ids until the store has said which names are theirs: it could not be read yet.',
      },
    ];
  }

  get warnings(): readonly string[] {
    return [...this.#named.warnings, ...(this.#archive?.warnings ?? [])];
  }

  /** Whether the request is for a site. */
  isOfSite(url: string): boolean {
    return base.test(url);
  }

  /** What is answered here of the site that it is for; below its id. Throws `ProblemError`. */
  routesOf(url: string, caller: Caller): { readonly routes: RoutesOfSite; readonly url: string } | undefined {
    const [, wanted = '', path = '', query = ''] = base.exec(url) ?? [];
    const site = this.#find(decoded(wanted), caller);
    const views = this.#opened?.views;
    if (views === undefined || this.#isBehind(site)) return undefined;
    return { routes: views.routesOf(site), url: `/sites/${site}${path}${query}` };
  }

  /** Before it is opened. */
  serveBy(servedBy: ServedBy): void {
    this.#servedBy = servedBy;
  }

  /** Forwards what is asked for. Rejects with `ProblemError`: then nothing was answered. */
  async forward(
    request: IncomingMessage,
    response: ServerResponse,
    { caller, credentials: { source } }: Asking,
  ): Promise<void> {
    const { library, target } = this.#targetOf(request, caller);
    const { method = 'GET' } = request;
    checkForwarded(method, target.path);
    caller.used?.();
    const [, asked] = outcomePath.exec(target.path) ?? [];
    if (asked !== undefined) {
      checkEverywhere(callerAt(caller, target.site), 'view');
      const outcome = await this.#asProblem(target.forwarder.outcomeOf(target.site, asked));
      response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' });
      response.end(JSON.stringify(outcome));
      return;
    }
    const leave = this.#callers.enter(caller, () => response.destroy());
    response.once('close', leave);
    const headers = { ...answerHeaders(request.socket), ...strangers };
    const work = () => this.#asProblem(library.forwardRequest(request, response, { ...target, headers }));
    if (method === 'GET' || method === 'HEAD' || this.#servedBy === undefined) {
      (await work()).answer();
      return;
    }
    const changed = () => this.#changed.set(target.site, this.#options.clock.monotonicMs());
    changed();
    response.once('close', changed);
    const { path, site } = target;
    await this.#servedBy.record({ method, path, caller: callerAt(caller, site), source }, work);
  }

  /** The same of an upgrade, such as to the channel of the site. */
  async forwardUpgrade(request: IncomingMessage, socket: Socket, head: Buffer, asking: Asking): Promise<void> {
    const { caller, credentials } = asking;
    const { library, target } = this.#targetOf(request, caller);
    caller.used?.();
    const leave = this.#callers.enter(caller, () => socket.destroy());
    socket.once('close', leave);
    const served = this.#servedBy;
    const onUpgraded = (stream: Duplex) => {
      if (served === undefined) return;
      const record = served.recorderOf({ caller: callerAt(caller, target.site), credentials });
      recordChannel(socket, stream, served.mostMessageBytes, record);
    };
    await this.#asProblem(library.forwardUpgrade(request, socket, head, { ...target, onUpgraded }));
  }

  #targetOf({ url = '' }: IncomingMessage, caller: Caller) {
    const opened = this.#opened;
    if (opened === undefined) throw new ProblemError('starting', 'The centre is not open yet.');
    const [, wanted = '', path = '', query = ''] = base.exec(url) ?? [];
    const site = this.#find(decoded(wanted), caller);
    const target = { forwarder: opened.forwarder, site, path: `${path}${query}`, caller: toldOf(caller, site) };
    return { library: opened.library, target };
  }

  /** By its id or name. Throws `ProblemError`. */
  #find(wanted: string, { rights }: Caller): string {
    // One that the caller may not view is as if it were not there.
    const all = (this.#opened?.sites.all ?? []).filter(({ id }) => rights.at(id).has('view'));
    const found = this.#named.find(wanted, all);
    if (found === undefined) throw unknownSite(wanted);
    return found;
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

  #heard(site: SiteState): void {
    this.#opened?.alarms.heard(site.id);
    const name = this.#named.nameOf(site);
    if (this.#named.isStoreRead) this.#archiver?.nameSite(site.id, name);
  }

  /** The store is told what it does not know yet. */
  #stored(stored: readonly StoredSite[]): void {
    this.#named.stored(stored);
    for (const { id, name: known } of stored) {
      const site = this.#opened?.sites.of(id);
      const name = site && this.#named.nameOf(site);
      if (site?.beat !== undefined && name !== undefined && name !== known) this.#archiver?.nameSite(id, name);
    }
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
