// The NATS library, loaded when a bus is set and not before. It speaks the protocol over sockets of ours.
import { BusTransport } from './bus-transport.ts';

export type NatsLibrary = typeof import('@nats-io/nats-core/internal');

export async function loadNats(): Promise<NatsLibrary> {
  const library = await import('@nats-io/nats-core/internal');
  library.setTransportFactory({ factory: () => new BusTransport() });
  return library;
}
