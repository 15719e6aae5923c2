// The provider of the simulator: so far without a bus, and says so.
import { Fatal, type Provider, type ProviderOptions } from '@telltale/stack-kit';

export function createProvider({ name }: ProviderOptions<unknown>): Provider {
  const absent = async () => {
    throw new Fatal(`${name}: this simulator does not run yet`);
  };
  return { setPoints() {}, connect: absent, run: absent, publish() {}, async close() {} };
}
