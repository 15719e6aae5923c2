// The provider of the Modbus stack.
import { Fatal, type Provider, type ProviderOptions } from '@telltale/stack-kit';
import type { ProviderVariables } from './variables.ts';

export function createProvider(_options: ProviderOptions<ProviderVariables>): Provider {
  throw new Fatal('not yet');
}
