// A way to a broker that keeps every packet that the client behind it sends, in order, as an independent parser reads it.
import { once } from 'node:events';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import type { IConnectPacket, IDisconnectPacket, IPublishPacket, ISubscribePacket, Packet } from 'mqtt-packet';
import mqttPacket from 'mqtt-packet';
import { decodeRaw } from '../sparkplug-decoder.ts';

export class Traffic {
  /** Of all connections. */
  readonly packets: Packet[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;

  static async to(port: number): Promise<Traffic> {
    const traffic = new Traffic(port);
    traffic.#server.listen(0, '127.0.0.1');
    await once(traffic.#server, 'listening');
    return traffic;
  }

  private constructor(port: number) {
    this.#server = createServer((client) => {
      const broker = createConnection({ port, host: '127.0.0.1', noDelay: true });
      const parser = mqttPacket.parser({ protocolVersion: 5 });
      parser.on('packet', (packet) => this.packets.push(packet));
      parser.on('error', (error) => client.destroy(error));
      for (const socket of [client, broker]) {
        this.#sockets.add(socket);
        socket.on('error', () => socket.destroy());
        socket.on('close', () => this.#sockets.delete(socket));
      }
      client.on('data', (bytes: Buffer) => {
        parser.parse(bytes);
        broker.write(bytes);
      });
      broker.on('data', (bytes) => client.write(bytes));
      client.on('end', () => broker.end());
      broker.on('end', () => client.end());
      client.on('close', () => broker.destroy());
      broker.on('close', () => client.destroy());
    });
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' ? (address?.port ?? 0) : 0;
  }

  /** The connections break, without a word. */
  cut(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  async stop(): Promise<void> {
    this.cut();
    this.#server.close();
    if (this.#server.listening) await once(this.#server, 'close');
  }

  get connects(): IConnectPacket[] {
    return this.packets.filter((packet) => packet.cmd === 'connect');
  }

  get subscriptions(): { topic: string; qos: number }[] {
    const requests = this.packets.filter((packet): packet is ISubscribePacket => packet.cmd === 'subscribe');
    return requests.flatMap(({ subscriptions }) => subscriptions);
  }

  get disconnects(): IDisconnectPacket[] {
    return this.packets.filter((packet) => packet.cmd === 'disconnect');
  }

  /** All of them, or those whose topic has this as its third level. */
  published(kind?: string): Published[] {
    const publishes = this.packets.filter((packet): packet is IPublishPacket => packet.cmd === 'publish');
    return publishes.map(publishedOf).filter((each) => kind === undefined || each.kind === kind);
  }

  /** Where among all packets the first is that fulfils it; -1: none. */
  at(isIt: (packet: Packet) => boolean): number {
    return this.packets.findIndex(isIt);
  }
}

export type Published = ReturnType<typeof publishedOf>;

function publishedOf({ topic, payload, qos, retain }: IPublishPacket) {
  const bytes = Buffer.from(payload);
  const [namespace, group = '', kind = '', node = '', device] = topic.split('/');
  if (group === 'STATE') {
    return { topic, namespace, group, kind: 'STATE', node, device, bytes, qos, retain, ...noPayload };
  }
  return { topic, namespace, group, kind, node, device, bytes, qos, retain, ...readPayload(bytes) };
}

const noPayload = { seq: undefined, timestamp: undefined, metrics: [] as ReturnType<typeof readPayload>['metrics'] };

/** What is not in the bytes is undefined. */
export function readPayload(bytes: Uint8Array) {
  const payload = decodeRaw(bytes);
  const own = <T extends object, K extends keyof T>(message: T, field: K) =>
    Object.hasOwn(message, field) ? message[field] : undefined;
  const number = (value: unknown) => (value === undefined ? undefined : Number(value));
  return {
    seq: number(own(payload, 'seq')),
    timestamp: number(own(payload, 'timestamp')),
    metrics: (payload.metrics ?? []).map((metric) => ({
      name: own(metric, 'name') ?? undefined,
      alias: number(own(metric, 'alias')),
      timestamp: number(own(metric, 'timestamp')),
      datatype: own(metric, 'datatype') ?? undefined,
      isNull: own(metric, 'isNull') ?? false,
      isHistorical: own(metric, 'isHistorical') ?? false,
      hasValue: Object.keys(metric).some((field) => field.endsWith('Value')),
      int: own(metric, 'intValue') ?? undefined,
      long: number(own(metric, 'longValue')),
      boolean: own(metric, 'booleanValue') ?? undefined,
      double: own(metric, 'doubleValue') ?? undefined,
      template: own(metric, 'templateValue') ?? undefined,
      dataSet: own(metric, 'datasetValue') ?? undefined,
      properties: own(metric, 'properties') ?? undefined,
    })),
  };
}

/** Of a STATE. */
export function readState(bytes: Uint8Array): { readonly [key: string]: unknown } {
  return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
}
