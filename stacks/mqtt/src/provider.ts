// The provider of MQTT.
import type { Provider } from '@telltale/stack-kit';
export function createProvider(): Provider {
  throw new Error('not there yet');
}
