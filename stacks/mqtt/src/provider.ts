// Makes the provider that the variable `format` asks for.
import type { Provider, ProviderOptions } from '@telltale/stack-kit';
import { PlainProvider } from './plain-provider.ts';
import type { ProviderVariables } from './provider-variables.ts';
import { EdgeNode } from './sparkplug/edge-node.ts';

export function createProvider(options: ProviderOptions<ProviderVariables>): Provider {
  return options.variables.format === 'sparkplug' ? new EdgeNode(options) : new PlainProvider(options);
}
