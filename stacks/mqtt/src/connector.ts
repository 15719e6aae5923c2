// The connector of MQTT.
import type { Connector } from '@telltale/stack-kit';
export function createConnector(): Connector {
  throw new Error('not there yet');
}
