// The way between what is tested and its peer: a fault proxy, a fault relay, or nothing at all.
import type { Endpoint, Transport } from './conformance-world.ts';
import type { Faults } from './fault.ts';
import { FaultProxy } from './fault-proxy.ts';
import { FaultRelay } from './fault-relay.ts';

export interface Way extends AsyncDisposable {
  readonly endpoint: Endpoint;
  setFaults(faults: Faults): void;
  /** Nobody can be reached, and whoever was is gone. */
  cut(): Promise<void>;
  /** Everything passes again. */
  repair(): Promise<void>;
  /** Ends every connection, in order or not; a relay has none. */
  reset(): void;
  hangUp(): void;
  /** Whatever the client has done here is in this number: connections, bytes. */
  readonly touched: number;
  /** Connections that are open. */
  readonly open: number;
  /** Chunks or datagrams that a fault has struck. */
  readonly struck: number;
  /** Gives back what it keeps for clients that are gone. */
  forget(): Promise<void>;
}

export async function openWay(transport: Transport, target: Endpoint): Promise<Way> {
  if (transport === 'tcp') return throughProxy(await FaultProxy.start(target));
  if (transport === 'udp') return throughRelay(await FaultRelay.start(target));
  const nothing = async () => {};
  return {
    endpoint: target,
    setFaults: () => {},
    cut: nothing,
    repair: nothing,
    reset: () => {},
    hangUp: () => {},
    touched: 0,
    open: 0,
    struck: 0,
    forget: nothing,
    [Symbol.asyncDispose]: nothing,
  };
}

function throughProxy(proxy: FaultProxy): Way {
  return {
    endpoint: { host: proxy.host, port: proxy.port },
    setFaults: (faults) => proxy.setFaults(faults),
    async cut() {
      await proxy.refuse();
      proxy.reset();
    },
    async repair() {
      proxy.setFaults({});
      await proxy.listen();
    },
    reset: () => proxy.reset(),
    hangUp: () => proxy.hangUp(),
    get touched() {
      return proxy.counts.connections + proxy.counts.bytes.toDevice;
    },
    get open() {
      return proxy.counts.open;
    },
    get struck() {
      return proxy.counts.struck;
    },
    forget: async () => {},
    [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose](),
  };
}

function throughRelay(relay: FaultRelay): Way {
  return {
    endpoint: { host: relay.host, port: relay.port },
    setFaults: (faults) => relay.setFaults(faults),
    cut: () => relay.refuse(),
    async repair() {
      relay.setFaults({});
      await relay.listen();
    },
    reset: () => {},
    hangUp: () => {},
    get touched() {
      return relay.counts.datagrams.toDevice;
    },
    open: 0,
    get struck() {
      return relay.counts.struck;
    },
    forget: () => relay.forgetClients(),
    [Symbol.asyncDispose]: () => relay[Symbol.asyncDispose](),
  };
}
