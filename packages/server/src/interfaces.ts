// What the service serves: every route of HTTP, and the channel, made from its parts and settings.
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { TlsOptions } from 'node:tls';
import { systemClock } from '@telltale/schema';
import type { Logger } from 'pino';
import packageJson from '../package.json' with { type: 'json' };
import {
  type Access,
  type FirstAdministrator,
  type Identities,
  modulesAlone,
  OriginGuard,
  ownerCaller,
} from './access/index.ts';
import {
  ChannelRequests,
  ChannelServer,
  type CredentialsReader,
  connectionLimits,
  createHttpServer,
  documentsOf,
  type Entrance,
  type HttpServer,
  isDocument,
  Metrics,
  mostFiles,
  operationRoutes,
  pageNavigation,
  pagePolicy,
  type ServedNodes,
  type ServedSites,
  setupPage,
  setupPolicy,
  signInPage,
  signInPolicy,
  Watches,
} from './api/index.ts';
import type { ConfigurationDatabase } from './cfgdb/index.ts';
import { diskSpace } from './disk-space.ts';
import type { Centre } from './federation/index.ts';
import type { FunctionModules } from './modules/index.ts';
import {
  type ArchiveParts,
  type ArchiveStorage,
  type AuditParts,
  access,
  actions,
  approvals,
  archive,
  audit,
  type BusAdmissionParts,
  busMembers,
  type ConfigurationParts,
  type Confirmations,
  certificates,
  configuration,
  configuredObjects,
  examplePlant,
  type Gate,
  type Implementations,
  type InstanceParts,
  instances,
  type LiveData,
  liveObjects,
  type OverviewParts,
  overview,
  pictures,
  revisions,
  type ServedCertificates,
  type ServedSecrets,
  type ServiceParts,
  type SitesParts,
  type StackAccess,
  type StandbyParts,
  secondFactors,
  secrets,
  service,
  sites,
  standby,
  tables,
  typicals,
} from './operations/index.ts';
import type { ShownFamilies } from './pictures/index.ts';
import { retentionOf } from './service-archive.ts';
import { servedSites } from './service-sites.ts';
import { type SettingSources, type Settings, timeZoneOf } from './settings.ts';
import { settingsInEffect } from './settings-in-effect.ts';

export interface Interfaces
  extends Omit<ArchiveParts, 'clock' | 'storage'>,
    Omit<ConfigurationParts, 'cfgdb' | 'mayUpload'>,
    Pick<InstanceParts, 'links'>,
    Pick<ServiceParts, 'unavailable' | 'diskFailure' | 'warnings' | 'degraded' | 'isStandby' | 'page'>,
    Pick<OverviewParts, 'store' | 'bus' | 'node'> {
  readonly settings: Settings;
  readonly sources: SettingSources;
  readonly archive: ArchiveParts['archive'] & OverviewParts['archive'];
  readonly log: Logger;
  readonly cfgdb: ConfigurationDatabase;
  readonly data: LiveData;
  readonly instances: StackAccess;
  readonly modules: FunctionModules;
  readonly shown: ShownFamilies;
  readonly certificates: ServedCertificates;
  readonly secrets: ServedSecrets;
  readonly access: Access;
  readonly confirmations: Confirmations;
  readonly first: FirstAdministrator;
  readonly metrics: Metrics;
  readonly trail: AuditParts['trail'];
  readonly gate: Gate;
  /** Of a centre; undefined: this server is none. */
  readonly sites: (ServedSites & SitesParts & Pick<Centre, 'serveBy'>) | undefined;
  /** Undefined: this server is the only one of its site. */
  readonly standby: StandbyParts | undefined;
  /** Other nodes of the site ask it; undefined: there are none. */
  readonly nodes: ServedNodes | undefined;
  readonly admission: BusAdmissionParts;
  readonly url: () => string;
  /** How the service is reached; without options of TLS, that is not spoken. */
  readonly tls: { readonly options: TlsOptions | undefined; readonly credentialsOf: CredentialsReader };
}

/** People at a terminal. */
const mostOwners = 8;

/** All that is served: to everybody, to function modules, and to the owner of the data folder; and the channel. */
export interface Served {
  readonly http: HttpServer;
  readonly modules: HttpServer;
  readonly owner: HttpServer;
  readonly channel: ChannelServer;
  /** Made where a centre forwards what it is asked of this site. */
  forwarded(identities: Identities): HttpServer;
}

export function serve(parts: Interfaces): Served {
  const implementations: Implementations = implementationsOf(parts, () => channel.size);
  const http = createHttp(parts, implementations);
  const modules = createProgramHttp(parts, implementations, moduleEntrance(parts));
  const channel: ChannelServer = createChannel(parts, implementations);
  channel.serve(http);
  channel.serve(modules, moduleEntrance(parts));
  const forwarded = (identities: Identities) => {
    const entrance = forwardedEntrance(identities);
    const served = createProgramHttp(parts, implementations, entrance);
    channel.serve(served, entrance);
    return served;
  };
  return { http, modules, owner: createOwnerHttp(parts, implementations), channel, forwarded };
}

function createHttp(parts: Interfaces, implementations: Implementations): HttpServer {
  const { settings, log, access: identities, metrics, gate } = parts;
  const paths = pathsOf(settings);
  const routes = operationRoutes({
    implementations,
    paths,
    gate,
    limits: settings,
    headers: {
      getReference: pagePolicy,
      getDocument: pagePolicy,
      getSetupPage: setupPolicy,
      getSignInPage: signInPolicy,
    },
  });
  parts.sites?.serveBy(servedSites({ settings, gate, instances: parts.instances, paths, routes }));
  return createHttpServer({
    routes,
    identities,
    log,
    metrics,
    gate,
    isDocument,
    navigation: pageNavigation({
      interfaces: [...Object.values(paths), settings['channel-path']],
      hasSites: parts.sites !== undefined,
    }),
    signInPage: `${settings['access-path']}/sign-in`,
    isCallback: callbackOf(settings),
    clock: systemClock,
    maxConnections: connectionLimits(mostFiles(), settings['max-clients']).maxConnections,
    largestBodyBytes: settings['max-json-size'],
    guard: guardOf(settings),
    sites: parts.sites,
    nodes: parts.nodes,
    tls: parts.tls.options,
    credentialsOf: parts.tls.credentialsOf,
  });
}

function callbackOf(settings: Settings): (url: string) => boolean {
  const path = `${settings['access-path']}/oidc/callback`;
  return (url) => url.startsWith(path) && (url.length === path.length || url[path.length] === '?');
}

function guardOf({ host, 'public-url': publicUrl }: Settings): OriginGuard {
  return new OriginGuard({ host, publicUrl });
}

/** Of the address for function modules alone. */
function moduleEntrance({ access }: Pick<Interfaces, 'access'>): Entrance {
  return {
    identities: modulesAlone(access),
    guard: new OriginGuard({ host: '127.0.0.1' }),
    credentialsOf: ({ headers: { authorization }, socket }) => ({ authorization, source: socket.remoteAddress }),
  };
}

/** Of what a centre forwards: it has looked at where a request comes from. */
function forwardedEntrance(identities: Identities): Entrance {
  return {
    identities,
    guard: { refusalOf: () => undefined },
    credentialsOf: ({ headers: { authorization } }) => ({ authorization, source: 'centre' }),
  };
}

/** For programs that come in at an address of their own: what they may ask for is decided as everywhere. */
function createProgramHttp(parts: Interfaces, implementations: Implementations, entrance: Entrance): HttpServer {
  const { settings, log, gate } = parts;
  return createHttpServer({
    routes: operationRoutes({ implementations, paths: pathsOf(settings), gate, limits: settings }),
    ...entrance,
    log,
    metrics: new Metrics(),
    gate,
    isDocument: () => false,
    clock: systemClock,
    maxConnections: connectionLimits(mostFiles(), settings['max-clients']).maxConnections,
    largestBodyBytes: settings['max-json-size'],
  });
}

/** What whoever owns the data folder may ask for, over the socket in it. */
function createOwnerHttp(parts: Interfaces, implementations: Implementations): HttpServer {
  const { settings, log, gate } = parts;
  const { initAccess, recoverAccess, getIdentity } = implementations;
  const routes = operationRoutes({
    implementations: { initAccess, recoverAccess, getIdentity },
    paths: pathsOf(settings),
    gate,
    limits: settings,
  });
  return createHttpServer({
    routes,
    identities: { identify: () => ownerCaller, onChanged: () => undefined },
    log,
    metrics: new Metrics(),
    gate,
    isDocument: () => false,
    clock: systemClock,
    maxConnections: mostOwners,
    largestBodyBytes: settings['max-json-size'],
    guard: guardOf(settings),
    credentialsOf: () => ({}),
  });
}

function pathsOf(settings: Settings) {
  return { data: settings['data-path'], config: settings['config-path'], access: settings['access-path'] };
}

async function storageOf(settings: Settings): Promise<ArchiveStorage> {
  const { defaultUs: retentionUs, maxBytes } = retentionOf(settings, new Map());
  return { maxBytes, retentionUs, disk: await diskSpace(settings.data, systemClock) };
}

function implementationsOf(parts: Interfaces, channelClients: () => number): Implementations {
  const { settings, data, instances: stacks } = parts;
  const paths = pathsOf(settings);
  const documents = documentsOf({ version: packageJson.version, paths }, (rights) => examplePlant(parts, rights));
  const unconfirmed = {
    ...liveObjects({ data, stacks, boot: randomUUID().slice(0, 8) }),
    ...instances({ stacks, links: parts.links, modules: parts.modules }),
    ...pictures(parts.shown, parts.cfgdb),
    ...certificates(parts.certificates),
    ...secrets(parts.secrets),
    ...archive({ ...parts, clock: systemClock, storage: () => storageOf(settings) }),
    ...configuredObjects(parts.cfgdb),
    ...tables(parts.cfgdb),
    ...revisions(parts.cfgdb),
    ...typicals(parts.cfgdb),
    ...access({ ...parts, setupPage, signInPage }),
    ...secondFactors({ access: parts.access, clock: systemClock }),
    ...actions({ trail: parts.trail, data, clock: systemClock }),
    ...audit({ trail: parts.trail, clock: systemClock }),
    ...configuration({ ...parts, mayUpload: settings['module-uploads'] }),
    ...overview({
      ...parts,
      stacks,
      storage: () => storageOf(settings),
      channelClients,
      clock: systemClock,
      service: { name: hostname(), version: packageJson.version, startedUs: systemClock.now() },
      timeZone: timeZoneOf(settings),
    }),
    ...sites(parts.sites, { slices: data.slices, clock: systemClock, dataPath: paths.data }),
    ...standby(parts.standby),
    ...busMembers(parts.admission),
    ...service({
      ...parts,
      paths,
      documents,
      settings: settingsInEffect(settings, parts.sources),
      metricsText: () => parts.metrics.registry.metrics(),
    }),
  };
  return parts.confirmations.guarding({
    ...unconfirmed,
    ...approvals({
      ...parts,
      implementations: unconfirmed,
      basisOf: (operation) => `${operation === 'render' ? parts.cfgdb.figures?.version : parts.cfgdb.figures?.running}`,
      clock: systemClock,
    }),
  });
}

function createChannel(parts: Interfaces, implementations: Implementations): ChannelServer {
  const { settings, data, instances: stacks, modules, access: identities, unavailable, gate } = parts;
  const watches = new Watches({ data, modules, stacks, clock: systemClock, maxWatches: settings['max-watches'] });
  return new ChannelServer({
    path: settings['channel-path'],
    requests: new ChannelRequests({ implementations, watches, slices: data.slices, gate }),
    watches,
    clock: systemClock,
    maxMessageBytes: settings['max-message-size'],
    maxClients: connectionLimits(mostFiles(), settings['max-clients']).maxClients,
    unavailable,
    identities,
    gate,
    modules,
    guard: guardOf(settings),
    sites: parts.sites,
    credentialsOf: parts.tls.credentialsOf,
  });
}
