// stub
import type { Provider, ProviderOptions } from '@telltale/stack-kit';
import type { ProviderVariables } from './provider-variables.ts';
export function createProvider(_options: ProviderOptions<ProviderVariables>): Provider {
  throw new Error('not yet');
}
