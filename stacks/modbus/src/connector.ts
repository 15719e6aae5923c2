// The connector of the Modbus stack.
import { type Connector, type ConnectorOptions, Fatal } from '@telltale/stack-kit';
import type { ConnectorVariables } from './variables.ts';

export function createConnector(_options: ConnectorOptions<ConnectorVariables>): Connector {
  throw new Fatal('not yet');
}
