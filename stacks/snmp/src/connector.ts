// Reads and sets the objects of SNMP agents.
import { type Connector, type ConnectorOptions, Fatal } from '@telltale/stack-kit';
import type { ConnectorVariables } from './variables.ts';

export function createConnector(_options: ConnectorOptions<ConnectorVariables>): Connector {
  throw new Fatal('the SNMP connector is not there yet');
}
