// What the service serves: every route of HTTP, and the channel, made from its parts and settings.
import { randomUUID } from 'node:crypto';
import { type ProblemError, systemClock } from '@telltale/schema';
import type { Logger } from 'pino';
import packageJson from '../package.json' with { type: 'json' };
import type { ModuleTokens } from './access/index.ts';
import {
  type ArchiveOperations,
  archiveRoutes,
  ChannelRequests,
  ChannelServer,
  configRoutes,
  connectionLimits,
  createHttpServer,
  type DataAccess,
  dataRoutes,
  diagnosticRoutes,
  documents,
  type HttpServer,
  type Losses,
  type Metrics,
  ModuleAccess,
  moduleRoutes,
  mostFiles,
  probes,
  type StackAccess,
  type StackCatalogue,
  serviceRoutes,
  Watches,
} from './api/index.ts';
import type { ConfigurationDatabase } from './cfgdb/index.ts';
import type { Executables, FunctionModules } from './modules/index.ts';
import type { Settings } from './settings.ts';

export interface Interfaces {
  readonly settings: Settings;
  readonly log: Logger;
  readonly data: DataAccess;
  readonly archive: ArchiveOperations;
  readonly instances: StackAccess;
  readonly modules: FunctionModules;
  readonly cfgdb: ConfigurationDatabase;
  readonly executables: Executables;
  readonly stacks: StackCatalogue;
  readonly tokens: ModuleTokens;
  readonly metrics: Metrics;
  /** Why the service cannot answer now; undefined where it can. */
  readonly unavailable: () => 'starting' | 'stopping' | undefined;
  /** What is wrong with what is kept on disk; undefined where nothing is. */
  readonly diskTrouble: () => ProblemError | undefined;
  /** Why nothing may be written now; undefined where it may. */
  readonly writeRefusal: () => ProblemError | undefined;
  readonly losses: Losses;
}

export function createHttp(parts: Interfaces): HttpServer {
  const { settings, log, data, archive, instances, modules, tokens, metrics, unavailable, diskTrouble } = parts;
  const base = settings['data-path'];
  const routes = [
    ...dataRoutes({ base, data, boot: randomUUID().slice(0, 8) }),
    ...diagnosticRoutes({ base, stacks: instances, maxJsonBytes: settings['max-json-size'] }),
    ...moduleRoutes({ base, modules: new ModuleAccess(modules) }),
    ...archiveRoutes({ base, archive, maxBackfillBytes: settings['max-backfill-size'] }),
    ...configRoutes({
      base: settings['config-path'],
      cfgdb: parts.cfgdb,
      losses: parts.losses,
      executables: parts.executables,
      modules,
      mayUpload: settings['module-uploads'],
      stacks: parts.stacks,
      maxJsonBytes: settings['max-json-size'],
      maxDatabaseBytes: settings['max-database-size'],
      maxExecutableBytes: settings['max-executable-size'],
    }),
  ];
  const service = serviceRoutes({ version: packageJson.version, routes, metrics, unavailable, diskTrouble });
  return createHttpServer({
    routes: [...routes, ...service],
    tokens,
    log,
    metrics,
    unavailable,
    alwaysAvailable: probes,
    writeRefusal: parts.writeRefusal,
    documents,
    clock: systemClock,
    maxConnections: connectionLimits(mostFiles(), settings['max-clients']).maxConnections,
    largestBodyBytes: settings['max-json-size'],
  });
}

export function createChannel(parts: Interfaces): ChannelServer {
  const { settings, log, data, archive, instances: stacks, modules, tokens, unavailable, writeRefusal } = parts;
  const watches = new Watches({ data, modules, stacks, clock: systemClock, maxWatches: settings['max-watches'] });
  const access = new ModuleAccess(modules);
  return new ChannelServer({
    path: settings['channel-path'],
    requests: new ChannelRequests({ data, archive, stacks, modules: access, watches, log, unavailable, writeRefusal }),
    watches,
    clock: systemClock,
    maxMessageBytes: settings['max-message-size'],
    maxClients: connectionLimits(mostFiles(), settings['max-clients']).maxClients,
    unavailable,
    tokens,
    modules,
  });
}
