// The routes of the server with its default settings, and their OpenAPI document, without running it: the parts are made,
// not opened.
import { systemClock } from '@telltale/schema';
import { Alarms } from '../packages/server/src/alarms/index.ts';
import {
  ArchiveOperations,
  archiveRoutes,
  configRoutes,
  DataAccess,
  dataRoutes,
  diagnosticRoutes,
  Metrics,
  type ModuleAccess,
  moduleRoutes,
  type OpenApi,
  openApiDocument,
  type Route,
  type StackAccess,
  serviceRoutes,
} from '../packages/server/src/api/index.ts';
import type { ArchiveAccess, Archiving } from '../packages/server/src/archive/index.ts';
import { ConfigurationDatabase } from '../packages/server/src/cfgdb/index.ts';
import { Executables, type UploadKeeper } from '../packages/server/src/modules/index.ts';
import { Commands, Measurements } from '../packages/server/src/points/index.ts';
import { readSettings } from '../packages/server/src/settings.ts';
import { LiveState } from '../packages/server/src/state/index.ts';

export function describeApi(version: string): OpenApi {
  return openApiDocument({ version, routes: allRoutes(version) });
}

export function allRoutes(version: string): Route[] {
  const settings = readSettings([], {});
  const keeper = new LiveState({ folder: '', onFailure: () => undefined });
  const measurements = new Measurements({ clock: systemClock, keeper });
  const commands = new Commands({ clock: systemClock, keeper, writeToDevice: () => Promise.resolve() });
  const alarms = new Alarms({ clock: systemClock, keeper, measurements });
  const data = new DataAccess({ measurements, commands, alarms });
  const live = dataRoutes({ base: settings['data-path'], data, boot: '' });
  const diagnostics = diagnosticRoutes({
    base: settings['data-path'],
    stacks: {} as StackAccess,
    maxJsonBytes: settings['max-json-size'],
  });
  const modules = moduleRoutes({ base: settings['data-path'], modules: {} as ModuleAccess });
  const history = archiveRoutes({
    base: settings['data-path'],
    archive: new ArchiveOperations({
      archive: {} as ArchiveAccess,
      archiving: {} as Archiving,
      data,
      clock: systemClock,
    }),
    maxBackfillBytes: settings['max-backfill-size'],
  });
  const configuration = configRoutes({
    base: settings['config-path'],
    cfgdb: new ConfigurationDatabase({
      folder: '',
      stackModules: [],
      prepare: () => Promise.reject(),
      onFailure: () => undefined,
    }),
    losses: { missing: () => [], acknowledge: () => Promise.resolve() },
    executables: new Executables({ folder: '', keeper: {} as UploadKeeper }),
    modules: { executableReplaced: () => undefined },
    mayUpload: true,
    stacks: { connector: new Map(), provider: new Map() },
    maxJsonBytes: settings['max-json-size'],
    maxDatabaseBytes: settings['max-database-size'],
    maxExecutableBytes: settings['max-executable-size'],
  });
  const routes = [...live, ...diagnostics, ...modules, ...history, ...configuration];
  const never = () => undefined;
  const service = serviceRoutes({ version, routes, metrics: new Metrics(), unavailable: never, diskTrouble: never });
  return [...routes, ...service];
}
