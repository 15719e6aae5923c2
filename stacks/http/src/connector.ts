// stub
import type { Connector, ConnectorOptions } from '@telltale/stack-kit';
import type { ConnectorVariables } from './connector-variables.ts';
export function createConnector(_options: ConnectorOptions<ConnectorVariables>): Connector {
  throw new Error('not yet');
}
