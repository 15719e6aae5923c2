// The composition: makes every part, hands them to each other, starts and stops them in order. The only file that
// knows them all.
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ProblemError, systemClock, type Value } from '@telltale/schema';
import type { Logger } from 'pino';
import { Alarms } from './alarms/index.ts';
import { Metrics } from './api/index.ts';
import { type Archive, Archiving } from './archive/index.ts';
import { Auditing } from './auditing.ts';
import { Certificates } from './certificates/index.ts';
import { ConfigurationDatabase, type Rename } from './cfgdb/index.ts';
import { type DataFolder, takeDataFolder } from './data-folder.ts';
import { centreMetrics, nodeMetrics, storeMetrics } from './federation-metrics.ts';
import { type FolderWatch, watchDataFolder } from './folder-watch.ts';
import { type Interfaces, type Served, serve } from './interfaces.ts';
import { loadDemo } from './load-demo.ts';
import { ModuleListener, moduleUrls } from './module-listener.ts';
import { Executables, ModuleService } from './modules/index.ts';
import { Imports, LiveData, StackAccess } from './operations/index.ts';
import { Page } from './page/index.ts';
import { Commands, Measurements } from './points/index.ts';
import { RenameHistory } from './rename-history.ts';
import { Runtime } from './runtime/index.ts';
import { SealedFolder } from './secrets/index.ts';
import { ServiceAccess } from './service-access.ts';
import { createArchive, recordsWhile, retentionOf } from './service-archive.ts';
import { logDisk, ServiceCondition } from './service-condition.ts';
import { Federation } from './service-federation.ts';
import { createGate } from './service-gate.ts';
import { serviceMetrics } from './service-metrics.ts';
import { createNode, isOwn, nodeRefusal } from './service-node.ts';
import { ServiceTls } from './service-tls.ts';
import type { SettingSources, Settings } from './settings.ts';
import { SharedConfiguration } from './shared-configuration.ts';
import { SharedLive } from './shared-live.ts';
import { SiteLacks } from './site-lacks.ts';
import { catalogueOf, type Discovery, discoverStacks, eventsTo, StackHost } from './stacks/index.ts';
import type { Acting, SiteNode } from './standby/index.ts';
import { cannotListen, cannotStart, startable } from './start-failed.ts';
import { LiveState } from './state/index.ts';
import { stateFormat, upgradeFolder } from './upgrade/index.ts';

/** Of a build, or of the sources. */
const stacksUrl = new URL(import.meta.url.endsWith('.ts') ? '../../../stacks' : './stacks', import.meta.url);
const builtInStacks = fileURLToPath(stacksUrl);

/** Requests in progress when the server must stop have this long to finish, of the 5 s that stopping may take. */
const finishMs = 3000;
const closeMs = 1000;
/** Function modules have this long, or what termToKill says where that is less. */
const modulesMs = 2000;

export interface ServerOptions {
  readonly settings: Settings;
  readonly sources: SettingSources;
  readonly log: Logger;
  /** The folder with the credentials that systemd hands over. */
  readonly credentials?: string | undefined;
  /** A part died and the server cannot go on. */
  readonly onFailure: (error: Error) => void;
}

/** What is loaded where a setting wants it. */
interface Libraries {
  readonly standby: typeof import('./standby/index.ts') | undefined;
  readonly federation: typeof import('./federation/index.ts') | undefined;
  readonly exchange: typeof import('./nodes/index.ts') | undefined;
}

async function librariesFor({ lease, bus }: Settings): Promise<Libraries> {
  const standby = lease === undefined ? undefined : import('./standby/index.ts');
  const federation = bus === undefined ? undefined : import('./federation/index.ts');
  const exchange = lease === undefined ? undefined : import('./nodes/index.ts');
  return { standby: await standby, federation: await federation, exchange: await exchange };
}

export class Server {
  readonly #settings: Settings;
  readonly #log: Logger;
  readonly #cfgdb: ConfigurationDatabase;
  readonly #executables: Executables;
  readonly #modules: ModuleService;
  readonly #state: LiveState;
  readonly #secrets: SealedFolder;
  readonly #host: StackHost;
  readonly #certificates: Certificates;
  readonly #runtime: Runtime;
  readonly #measurements: Measurements;
  readonly #commands: Commands;
  readonly #alarms: Alarms;
  readonly #archive: Archive;
  readonly #federation: Federation;
  /** Undefined: it is the only one of its site. */
  readonly #node: SiteNode | undefined;
  readonly #siteConfiguration: SharedConfiguration | undefined;
  readonly #lacks: SiteLacks;
  readonly #auditing: Auditing;
  readonly #imports: Imports;
  readonly #renameHistory: RenameHistory;
  readonly #archiving: Archiving;
  readonly #watch: FolderWatch;
  readonly #condition: ServiceCondition;
  readonly #access: ServiceAccess;
  readonly #tls: ServiceTls;
  readonly #served: Served;
  readonly #moduleListener: ModuleListener;
  readonly #page: Page;
  #phase: 'starting' | 'ready' | 'stopping' = 'starting';
  #folder: DataFolder | undefined;
  #live: Promise<void> | undefined;

  static async start(options: ServerOptions): Promise<Server> {
    const { stacks } = options.settings;
    const discovery = await discoverStacks([builtInStacks, ...(stacks === undefined ? [] : [resolve(stacks)])]);
    const libraries = await librariesFor(options.settings);
    const server = startable(options.settings.data, () => new Server(options, discovery, libraries));
    await server.#start();
    return server;
  }

  private constructor(
    { settings, sources, log, credentials, onFailure }: ServerOptions,
    { stacks, faults }: Discovery,
    { standby, federation, exchange }: Libraries,
  ) {
    this.#settings = settings;
    this.#log = log;
    this.#tls = new ServiceTls({ settings, log });
    this.#page = new Page({ log });
    for (const { folder, message } of faults) log.error({ folder }, `a stack cannot be used: ${message}`);
    const stackModules = stacks.map(({ moduleUrl }) => moduleUrl);
    const clock = systemClock;
    this.#node = createNode({
      settings,
      library: standby,
      clock,
      log,
      url: () => this.url,
      fingerprint: () => this.#tls.fingerprint,
      identity: {
        own: () => this.#federation.ownIdentity(),
        onAgreed: (identity) => this.#federation.agree(identity),
        onSecret: (secret) => this.#federation.agreeOnSecret(secret),
      },
    });
    const isActing = () => this.#node?.isActing ?? true;
    this.#secrets = new SealedFolder({ data: settings.data, file: settings['secret-key-file'], credentials, log });
    this.#cfgdb = new ConfigurationDatabase({
      folder: settings.data,
      whileReplacing: (replace) => this.#watch.whileReplacing('cfgdb.sqlite', replace),
      stackModules,
      secretKeys: this.#secrets.keys,
      prepare: (rendering, renames) => this.#openLive(renames).then(() => runtime.prepare(rendering, renames)),
      onFailure,
      onFault: (reason) => logDisk(log, 'changes of the configuration', reason),
      share: this.#node && ((entries) => this.#siteConfiguration?.share(entries)),
    });
    this.#lacks = new SiteLacks({
      cfgdb: this.#cfgdb,
      files: this.#secrets.files,
      isDisabled: (role, name) => this.#runtime.links.find(role, name) !== undefined,
      clock,
      log,
    });
    this.#siteConfiguration =
      this.#node && new SharedConfiguration({ cfgdb: this.#cfgdb, node: this.#node, lacks: this.#lacks, clock, log });
    this.#state = new LiveState({
      folder: settings.data,
      onFailure,
      onFault: (reason) => {
        logDisk(log, 'writes of the live state', reason);
        if (reason === undefined) this.#alarms.diskWorks();
      },
      share: (entries) => this.#node?.share(entries),
    });
    const { keys: secretKeys } = this.#secrets;
    this.#access = new ServiceAccess({ settings, clock, log, secretKeys, url: () => this.url, onFailure });
    const { access, store: accessStore, tokens } = this.#access;
    const onFault = (reason: string | undefined) => logDisk(log, 'records of the archive', reason);
    this.#archive = createArchive({ settings, log, onFailure, onFault });
    this.#auditing = new Auditing({ settings, clock, log, onFailure });
    const { trail } = this.#auditing;
    // Their threads load their code while the rest is made.
    for (const part of [this.#cfgdb, this.#state, accessStore, this.#archive, trail]) part.prepare();
    this.#measurements = new Measurements({ clock, store: this.#state });
    this.#commands = new Commands({
      clock,
      store: this.#state,
      writeToDevice: (connector, handle, raw) => this.#writeToDevice(connector, handle, raw),
    });
    this.#alarms = new Alarms({
      measurements: this.#measurements,
      store: this.#state,
      clock,
      acknowledgeAtDevice: (name, authority) => this.#runtime.acknowledge(name, authority),
    });
    this.#federation = new Federation({
      settings,
      library: federation,
      exchange,
      clock,
      log,
      archive: this.#archive,
      access,
      live: { measurements: this.#measurements, commands: this.#commands, alarms: this.#alarms },
      forwarded: (callers) => this.#served.forwarded(callers),
      url: () => this.url,
      fingerprint: () => this.#tls.fingerprint,
      otherNodes: () => this.#node?.others ?? [],
    });
    this.#archiving = new Archiving({
      clock,
      measurements: this.#measurements,
      commands: this.#commands,
      sink: recordsWhile(isActing, this.#archive.records),
      onJump: ({ byUs }) => log.warn(`the time of day was set by ${(byUs / 1e6).toFixed(1)} s`),
    });
    this.#executables = new Executables({
      folder: join(settings.data, 'executables'),
      store: this.#state,
      onDamage: (text) => this.#condition.logMissing(text),
    });
    this.#modules = new ModuleService({
      folder: settings.data,
      user: settings['module-user'],
      memoryBytes: settings['module-memory'],
      clock,
      log,
      executables: this.#executables,
      tokens,
      urls: () => moduleUrls(this.#moduleListener.url ?? this.url, settings),
    });
    const { modules } = this.#modules;
    this.#host = new StackHost({
      stackModules,
      threads: settings['stack-threads'],
      writeTimeoutMs: settings['write-timeout'],
      maxClockSkewMs: settings['max-clock-skew'],
      folder: join(settings.data, 'stacks'),
      secretsFolder: this.#secrets.folder,
      secretKeys: this.#secrets.keys,
      log,
      lease: this.#node?.deadline.buffer,
      events: eventsTo(() => runtime),
      onFailure,
    });
    const runtime = new Runtime({
      clock,
      isActing,
      measurements: this.#measurements,
      commands: this.#commands,
      alarms: this.#alarms,
      archiving: this.#archiving,
      onRenames: (renames) => this.#renameHistory.follow(renames),
      onRetentions: (ofSeries) => this.#archive.setRetention(retentionOf(settings, ofSeries)),
      modules,
      host: this.#host,
      disabledLinkStore: this.#state,
      archive: this.#archive,
      wholeRendering: () => this.#cfgdb.call('rendering'),
      clients: () => clients,
      log,
    });
    this.#runtime = runtime;
    this.#watch = watchDataFolder({ path: settings.data, clock, log });
    const catalogue = catalogueOf(stacks);
    this.#certificates = new Certificates({ folder: settings.data, host: this.#host, stacks: catalogue, clock, log });
    this.#condition = new ServiceCondition({
      folder: settings.data,
      log,
      watch: this.#watch,
      disks: [this.#state, this.#cfgdb, accessStore, this.#archive, trail],
      stores: [this.#cfgdb, this.#state, accessStore, this.#executables, this.#archive, trail],
      warners: [this.#auditing, this.#certificates, this.#tls, access, this.#federation],
    });
    const data = new LiveData({ measurements: this.#measurements, commands: this.#commands, alarms: this.#alarms });
    this.#renameHistory = new RenameHistory({
      clock,
      renameSeries: (renames) => this.#archive.rename(renames),
      stateWritten: () => this.#state.written(),
      confirm: (renames) => this.#cfgdb.call('confirmRenames', renames),
    });
    this.#imports = new Imports({ clock, take: (key, batch) => this.#archive.backfill(key, batch) });
    const metrics = new Metrics();
    const instances = new StackAccess({
      host: this.#host,
      measurements: this.#measurements,
      commands: this.#commands,
      runtime,
      cfgdb: this.#cfgdb,
      clock,
    });
    const unavailable = () => (this.#phase === 'ready' ? undefined : this.#phase);
    const { gate, clients, confirmations } = createGate({
      settings,
      data,
      instances,
      modules,
      shown: runtime.shown,
      access,
      trail,
      cfgdb: this.#cfgdb,
      unavailable,
      clock,
      log,
      writeRefusal: (operation) => this.#condition.writeRefusal ?? nodeRefusal(this.#node, operation),
      onChanging: (operation, work) => !isOwn(operation) && this.#node?.during(work),
    });
    access.providers.onEnded((provider, session) => this.#host.endUser(provider, session));
    const interfaces: Interfaces = {
      settings,
      sources,
      confirmations,
      log,
      data,
      archive: this.#archive,
      archiving: this.#archiving,
      imports: this.#imports,
      instances,
      links: runtime.links,
      shown: runtime.shown,
      modules,
      cfgdb: this.#cfgdb,
      executables: this.#executables,
      stacks: catalogue,
      certificates: this.#certificates,
      secrets: this.#secrets.served({ cfgdb: this.#cfgdb, host: this.#host, stacks: catalogue }),
      access,
      first: this.#access.first,
      metrics,
      unavailable,
      diskFailure: () => this.#condition.failure,
      warnings: () => this.#condition.warnings(),
      degraded: () =>
        [this.#node, this.#federation, this.#siteConfiguration, this.#lacks].flatMap((part) => part?.degraded ?? []),
      isStandby: () => !isActing(),
      store: () => this.#federation.store?.state,
      bus: () => this.#federation.bus,
      node: () => this.#node && { ...this.#node.state, records: this.#federation.records?.states ?? [] },
      standby: this.#node,
      nodes: this.#federation.records,
      sites: this.#federation.centre,
      admission: this.#federation.admission,
      losses: this.#condition,
      trail,
      gate,
      page: this.#page,
      url: () => this.url,
      tls: this.#tls,
    };
    this.#served = serve(interfaces);
    this.#moduleListener = new ModuleListener(this.#served.modules);
    metrics.watch(
      serviceMetrics({
        ...interfaces,
        archive: this.#archive,
        archiving: this.#archiving,
        imports: this.#imports,
        state: this.#state,
        audit: trail,
        missing: () => this.#condition.missing(),
        host: this.#host,
        channel: this.#served.channel,
      }),
    );
    metrics.watch(this.#tls.metrics());
    const { store } = this.#federation;
    if (store !== undefined) metrics.watch(storeMetrics(store));
    const { centre } = this.#federation;
    if (centre !== undefined) metrics.watch(centreMetrics(centre, this.#federation.admission));
    if (this.#node !== undefined) metrics.watch(nodeMetrics(this.#node, () => this.#federation.records?.states ?? []));
  }

  /** Where it listens, such as http://127.0.0.1:8080. */
  get url(): string {
    return this.#tls.urlOf(this.#served.http);
  }

  /** The port before the folder: a server that cannot listen leaves no trace. */
  async #start(): Promise<void> {
    const { host, port, data } = this.#settings;
    try {
      await this.#tls.read(this.#served.http);
      await this.#served.http.listen({ host, port }).catch((error: unknown) => {
        throw cannotListen(error, { host, port });
      });
      this.#folder = await takeDataFolder(data);
      upgradeFolder(data, this.#log);
      await this.#secrets.open();
      await this.#federation.prepare();
      await this.#cfgdb.open();
      const { access } = this.#access;
      await access.open();
      await this.#tls.serve(this.#served.http, access);
      if (this.#tls.options !== undefined) await this.#moduleListener.open();
      await this.#openLive();
      await this.#federation.open();
      await this.#node?.open();
      await this.#auditing.open();
      await this.#auditing.tellInterrupted(await access.approvals.takeInterrupted());
      if (this.#settings.demo ?? (this.#folder.isNew && this.#node === undefined))
        await loadDemo(this.#cfgdb, data, this.#log);
      await this.#watch.open();
      await this.#access.serveOwner(this.#served.owner);
      stateFormat(data);
    } catch (error) {
      await this.#discard();
      throw cannotStart(error, data);
    }
    if (this.#phase !== 'starting') return;
    const { openTo } = this.#folder;
    if (openTo !== undefined) this.#log.warn(`${data} can be read by others (${openTo}): chmod 700 it`);
    this.#condition.logAllMissing();
    this.#phase = 'ready';
    this.#access.offerFirst();
    if (this.#node === undefined || this.#siteConfiguration === undefined) this.#modules.begin();
    else await this.#node.begin(this.#acting, this.#shared, this.#siteConfiguration);
    this.#certificates.begin();
    void this.#executables.checkAll();
    void this.#page.begin();
  }

  /** The live state of before; after the configuration, so that a folder of another program stays as it is. */
  #openLive(renames: readonly Rename[] = []): Promise<void> {
    this.#live ??= (async () => {
      const stored = await this.#state.open(renames);
      this.#runtime.links.restore(stored.disabledLinks);
      this.#measurements.restore(stored.simulations);
      this.#commands.restore(stored.commands);
      this.#alarms.restore(stored.alarms);
      await this.#executables.open(stored.uploads);
      await this.#modules.open();
      const retentions = await this.#archive.open(renames.map(({ family: kind, ...names }) => ({ kind, ...names }))); // last: it starts to write on its own
      this.#archiving.restore(retentions, stored.alarms);
    })();
    return this.#live;
  }

  /** Takes no more work, finishes what runs, closes the files. */
  async stop(): Promise<void> {
    // While the service still answers: a module may have something to write before it ends.
    await this.#modules.close(modulesMs);
    this.#phase = 'stopping';
    this.#watch.close();
    const cutOff = setTimeout(() => this.#served.http.server.closeAllConnections(), finishMs);
    await Promise.all([this.#served.channel.close(), this.#served.http.close(), this.#moduleListener.close()]);
    clearTimeout(cutOff);
    await this.#access.end();
    await this.#imports.close();
    await this.#certificates.close();
    await this.#page.close();
    await this.#tls.close();
    await this.#host.close(closeMs);
    await this.#alarms.close();
    this.#commands.close();
    this.#measurements.close();
    this.#runtime.links.close();
    this.#siteConfiguration?.close();
    this.#lacks.close();
    await this.#node?.close();
    this.#archiving.close();
    this.#renameHistory.close();
    await this.#cfgdb.close(closeMs);
    await this.#state.close(closeMs);
    await this.#access.close(closeMs);
    await this.#auditing.close(closeMs);
    await this.#federation.close(closeMs);
    await this.#archive.close(closeMs);
    this.#folder?.release();
  }

  /** Nothing was acknowledged yet: the next start of a new folder is a first one again. */
  async #discard(): Promise<void> {
    const folder = this.#folder;
    this.#folder = undefined; // held until all is gone
    await this.stop();
    await folder?.discard();
    folder?.release();
  }

  /** What /readyz reports. */
  get failure(): ProblemError | undefined {
    return this.#condition.failure;
  }

  get #shared(): SharedLive {
    const [state, log] = [this.#state, this.#log];
    const live = { commands: this.#commands, alarms: this.#alarms, measurements: this.#measurements };
    return new SharedLive({ ...live, links: this.#runtime.links, state, log });
  }

  get #acting(): Acting {
    return {
      begin: async (epoch) => {
        await this.#federation.lead(epoch);
        this.#host.setEpoch(epoch);
        this.#modules.begin();
      },
      end: async () => {
        this.#host.setEpoch(undefined);
        this.#federation.rest();
        this.#alarms.stopDelays();
        await this.#modules.hold(modulesMs);
      },
      pause: () => this.#modules.hold(modulesMs),
      resume: () => this.#modules.begin(),
      rest: () => this.#modules.hold(modulesMs),
      ended: () => this.#host.allEnded(),
      problem: () => this.failure?.message ?? this.#siteConfiguration?.degraded[0]?.text ?? this.#lacks.problem,
    };
  }

  /** A device whose watchdog says that it is not there gets no command. */
  async #writeToDevice(connector: string, handle: number, raw: Value): Promise<void> {
    const notLeading = this.#node?.refusal;
    if (notLeading !== undefined) throw notLeading;
    const refusal = this.#measurements.refusalOf(connector);
    if (refusal === undefined) {
      const written = this.#runtime.write(connector, handle, raw);
      this.#node?.during(written);
      return written;
    }
    throw new ProblemError('connector-down', `Connector ${connector} is down: ${refusal}. Nothing was sent.`);
  }
}
