// The NATS library, which speaks the protocol over sockets of ours. The whole part is loaded when a bus is set and not before.
import * as library from '@nats-io/nats-core/internal';
import { BusTransport } from './bus-transport.ts';

export type NatsLibrary = typeof library;

// Of a build, an import at run time would have the default export alone.
export function loadNats(): NatsLibrary {
  library.setTransportFactory({ factory: () => new BusTransport() });
  return library;
}
