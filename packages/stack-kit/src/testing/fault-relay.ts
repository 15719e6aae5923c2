// A UDP relay on loopback between clients and a device, with faults that are switched while datagrams go to and fro.
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import type { Endpoint } from './conformance-world.ts';
import { type Direction, type FaultCounts, FaultSwitch, type Faults, secondCopyMs } from './fault.ts';
import { onFreePort } from './free-port.ts';

export interface RelayCounts extends FaultCounts {
  readonly datagrams: Record<Direction, number>;
}

type Send = () => void;

/** Clients are remembered by their ports; the one that was quiet for longest is forgotten first. */
const maxClients = 64;
/** Datagrams that wait while a direction stalls; more are lost, as datagrams are. */
const maxHeld = 1000;

export class FaultRelay implements AsyncDisposable {
  readonly host = '127.0.0.1';
  readonly port: number;
  readonly #target: Endpoint;
  readonly #bytes: Record<Direction, number> = { toDevice: 0, toClient: 0 };
  readonly #datagrams: Record<Direction, number> = { toDevice: 0, toClient: 0 };
  readonly #held: Record<Direction, Send[]> = { toDevice: [], toClient: [] };
  readonly #timers = new Set<NodeJS.Timeout>();
  /** By the client's port: what speaks to the device for it. */
  readonly #clients = new Map<number, Socket>();
  readonly #faults = new FaultSwitch();
  #socket: Socket | undefined;

  static async start(target: Endpoint): Promise<FaultRelay> {
    return onFreePort(async (port) => {
      const relay = new FaultRelay(target, port);
      await relay.listen();
      return relay;
    });
  }

  private constructor(target: Endpoint, port: number) {
    this.#target = target;
    this.port = port;
  }

  get counts(): RelayCounts {
    return {
      bytes: { ...this.#bytes },
      datagrams: { ...this.#datagrams },
      struck: this.#faults.struck,
    };
  }

  /** From now on; what a stall has held is sent when it ends. A direction that is left out passes everything. */
  setFaults(faults: Faults): void {
    this.#faults.set(faults);
    for (const direction of ['toDevice', 'toClient'] as const) {
      if (this.#faults.dice(direction).fault.kind === 'stall') continue;
      for (const send of this.#held[direction].splice(0)) send();
    }
  }

  /** Nobody is at the port until it listens again. */
  async refuse(): Promise<void> {
    const socket = this.#socket;
    this.#socket = undefined;
    if (socket !== undefined) await ended(socket);
  }

  async listen(): Promise<void> {
    if (this.#socket !== undefined) return;
    const socket = createSocket('udp4');
    socket.bind(this.port, this.host);
    await once(socket, 'listening');
    socket.on('error', () => {});
    socket.on('message', (bytes, client) => {
      this.#befall('toDevice', bytes, (sent) =>
        this.#upstream(client).send(sent, this.#target.port, this.#target.host),
      );
    });
    this.#socket = socket;
  }

  /** What is kept for each client is given back; one that speaks again is a new one to the device. */
  async forgetClients(): Promise<void> {
    const sockets = [...this.#clients.values()];
    this.#clients.clear();
    await Promise.all(sockets.map(ended));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer);
    for (const held of Object.values(this.#held)) held.length = 0;
    await this.refuse();
    await this.forgetClients();
  }

  #upstream(client: RemoteInfo): Socket {
    const known = this.#clients.get(client.port);
    this.#clients.delete(client.port);
    const socket = known ?? createSocket('udp4');
    this.#clients.set(client.port, socket);
    if (known !== undefined) return known;
    const [oldestPort, oldest] = this.#clients.entries().next().value as [number, Socket];
    if (this.#clients.size > maxClients) {
      this.#clients.delete(oldestPort);
      oldest.close();
    }
    socket.on('error', () => {});
    socket.on('message', (bytes) => {
      this.#befall('toClient', bytes, (sent) => this.#socket?.send(sent, client.port, client.address));
    });
    return socket;
  }

  #befall(direction: Direction, bytes: Buffer, send: (bytes: Buffer) => void): void {
    const dice = this.#faults.dice(direction);
    const { fault } = dice;
    const pass = (passed: Buffer) => {
      this.#bytes[direction] += passed.length;
      this.#datagrams[direction]++;
      send(passed);
    };
    const later = (ms: number) => {
      const timer = setTimeout(() => {
        this.#timers.delete(timer);
        pass(bytes);
      }, ms);
      this.#timers.add(timer);
    };
    switch (fault.kind) {
      case 'discard':
        return;
      case 'stall':
        if (this.#held[direction].length < maxHeld) this.#held[direction].push(() => pass(bytes));
        return;
      case 'delay':
        later(fault.ms);
        return;
      case 'garble':
        pass(dice.strikes() ? dice.garbled(bytes) : bytes);
        return;
      case 'mangle':
        pass(dice.strikes() ? dice.mangled(bytes) : bytes);
        return;
      case 'truncate':
        pass(dice.strikes() ? dice.truncated(bytes) : bytes);
        return;
      case 'duplicate':
        pass(bytes);
        if (dice.strikes()) later(secondCopyMs);
        return;
      default:
        pass(bytes);
    }
  }
}

function ended(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.close(() => resolve()));
}
