// The provider.
import { Fatal, type Provider, type ProviderOptions } from '@telltale/stack-kit';
import type { ProviderVariables } from './variables.ts';

export function createProvider(_options: ProviderOptions<ProviderVariables>): Provider {
  throw new Fatal('it is not there yet');
}
