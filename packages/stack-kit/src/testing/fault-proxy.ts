// A TCP proxy on loopback between a client and a device, with faults that are switched while connections are open.
import { once } from 'node:events';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import type { Endpoint } from './conformance-world.ts';
import { type Direction, type FaultCounts, type FaultDice, FaultSwitch, type Faults } from './fault.ts';
import { FaultyPipe } from './faulty-pipe.ts';
import { onFreePort } from './free-port.ts';

interface Pair {
  readonly client: Socket;
  readonly device: Socket;
  readonly pipes: readonly FaultyPipe[];
}

export interface ProxyCounts extends FaultCounts {
  /** Accepted since the start, and open now. */
  readonly connections: number;
  readonly open: number;
}

export class FaultProxy implements AsyncDisposable {
  readonly host = '127.0.0.1';
  readonly port: number;
  readonly #target: Endpoint;
  readonly #pairs = new Set<Pair>();
  readonly #bytes: Record<Direction, number> = { toDevice: 0, toClient: 0 };
  readonly #faults = new FaultSwitch();
  #connections = 0;
  #server: Server | undefined;

  static async start(target: Endpoint): Promise<FaultProxy> {
    return onFreePort(async (port) => {
      const proxy = new FaultProxy(target, port);
      await proxy.listen();
      return proxy;
    });
  }

  private constructor(target: Endpoint, port: number) {
    this.#target = target;
    this.port = port;
  }

  get counts(): ProxyCounts {
    return {
      connections: this.#connections,
      open: this.#pairs.size,
      bytes: { ...this.#bytes },
      struck: this.#faults.struck,
    };
  }

  /**
   * From now on, for open connections as well; a direction that is left out passes everything. A connection that has
   * lost bytes is reset when another fault takes the place of `discard`: no stream goes on after a hole.
   */
  setFaults(faults: Faults): void {
    this.#faults.set(faults);
    for (const pair of this.#pairs) {
      const isHole = (pipe: FaultyPipe | undefined, dice: FaultDice) => pipe?.hasLost && dice.fault.kind !== 'discard';
      if (isHole(pair.pipes[0], this.#faults.dice('toDevice')) || isHole(pair.pipes[1], this.#faults.dice('toClient')))
        this.#reset(pair);
      for (const pipe of pair.pipes) pipe.faultChanged();
    }
  }

  /** Ends every connection as a device does that loses its power: both sides are reset. Returns how many. */
  reset(): number {
    const count = this.#pairs.size;
    for (const pair of this.#pairs) this.#reset(pair);
    return count;
  }

  /** Ends every connection as a device does that closes it in order. */
  hangUp(): void {
    for (const { client, device } of this.#pairs) {
      client.end();
      device.end();
    }
  }

  /** Whoever connects is refused until it listens again; connections that are open stay. */
  async refuse(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    server?.close();
  }

  async listen(): Promise<void> {
    if (this.#server !== undefined) return;
    const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => this.#accept(client));
    server.listen(this.port, this.host);
    await once(server, 'listening');
    this.#server = server;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.refuse();
    const closed = [...this.#pairs].flatMap(({ client, device }) => [closing(client), closing(device)]);
    this.reset();
    await Promise.all(closed);
  }

  #accept(client: Socket): void {
    this.#connections++;
    const device = createConnection({ ...this.#target, allowHalfOpen: true, noDelay: true });
    const pipe = (from: Socket, to: Socket, direction: Direction) =>
      new FaultyPipe({
        from,
        to,
        dice: () => this.#faults.dice(direction),
        onBytes: (count) => {
          this.#bytes[direction] += count;
        },
      });
    const pair: Pair = {
      client,
      device,
      pipes: [pipe(client, device, 'toDevice'), pipe(device, client, 'toClient')],
    };
    this.#pairs.add(pair);
    for (const socket of [client, device]) {
      socket.on('error', () => this.#broken(pair));
      socket.on('close', () => {
        if (client.destroyed && device.destroyed) this.#pairs.delete(pair);
      });
    }
  }

  /** One side is gone without an end: the other is notified, unless a fault keeps it from hearing. */
  #broken(pair: Pair): void {
    const isDeaf = ({ fault }: FaultDice) => fault.kind === 'discard' || fault.kind === 'stall';
    const isHeard = pair.client.destroyed
      ? !isDeaf(this.#faults.dice('toDevice'))
      : !isDeaf(this.#faults.dice('toClient'));
    if (isHeard) this.#reset(pair);
    // Until the fault changes: then the half that is left is reset.
    else for (const pipe of pair.pipes) pipe.hasLost = true;
  }

  #reset({ client, device, pipes }: Pair): void {
    for (const pipe of pipes) pipe.close();
    cut(client);
    cut(device);
  }
}

/** One that is being shut down cannot be reset: Node would never close it, and spin at its end. */
function cut(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}

async function closing(socket: Socket): Promise<void> {
  if (!socket.closed) await new Promise<void>((resolve) => socket.once('close', () => resolve()));
}
