// The OpenAPI document of the server with its default settings, without running it: the parts are made, not opened.
import {
  configRoutes,
  HttpMetrics,
  type OpenApi,
  openApiDocument,
  serviceRoutes,
} from '../packages/server/src/api/index.ts';
import { ConfigurationDatabase } from '../packages/server/src/cfgdb/index.ts';
import { Executables } from '../packages/server/src/modules/index.ts';
import { readSettings } from '../packages/server/src/settings.ts';

export function describeApi(version: string): OpenApi {
  const settings = readSettings([], {});
  const routes = configRoutes({
    base: settings['config-path'],
    cfgdb: new ConfigurationDatabase({ folder: '', stackModules: [], onFailure: () => undefined }),
    executables: new Executables(''),
    stacks: { connector: new Map(), provider: new Map() },
    maxJsonBytes: settings['max-json-size'],
    maxDatabaseBytes: settings['max-database-size'],
    maxExecutableBytes: settings['max-executable-size'],
  });
  const service = serviceRoutes({ version, routes, metrics: new HttpMetrics(), unavailable: () => undefined });
  return openApiDocument({ version, routes: [...routes, ...service] });
}
