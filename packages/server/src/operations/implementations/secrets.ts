// Implements the operations on secrets.
import type { InstanceSecrets } from '../../secrets/index.ts';
import type { Implementations } from './implementation.ts';

export type ServedSecrets = Pick<InstanceSecrets, 'set' | 'delete' | 'list'>;

export function secrets(served: ServedSecrets) {
  return {
    listSecrets: (_, { caller: { rights } }) => served.list((owner, area) => rights.on('set-secret', owner, area)),
    setConnectorSecret: ({ name, secret, value }) => served.set('connector', name, secret, value),
    deleteConnectorSecret: ({ name, secret }) => served.delete('connector', name, secret),
    setProviderSecret: ({ name, secret, value }) => served.set('provider', name, secret, value),
    deleteProviderSecret: ({ name, secret }) => served.delete('provider', name, secret),
  } satisfies Partial<Implementations>;
}
