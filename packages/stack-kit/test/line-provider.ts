// A sound provider that speaks lines over TCP, and the one that the flawed ones differ from: `7 get level` is answered by
// `7 is good 12`, `8 set valve 3` by `8 done` or `8 no` and the reason.
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { type Batch, form, isGood, type Value } from '@telltale/schema';
import {
  type Provider,
  type ProviderOptions,
  ServedClients,
  ServedStream,
  type StackPoint,
  type StackPoints,
  type WriteResult,
  written,
} from '../src/index.ts';
import { lineLength, lineOf, readLine } from './line-codec.ts';

export interface LineProviderVariables {
  readonly host: string;
  readonly port: number;
}

export interface Served {
  readonly point: StackPoint;
  readonly isCommand: boolean;
  value: Value | undefined;
  isGood: boolean;
}

const maxClients = 50;

export class LineProvider implements Provider {
  protected readonly options: ProviderOptions<LineProviderVariables>;
  protected readonly served = new Map<string, Served>();
  protected readonly sockets = new Set<Socket>();
  protected server: Server | undefined;
  readonly #clients: ServedClients;
  readonly #byId = new Map<number, Served>();

  constructor(options: ProviderOptions<LineProviderVariables>) {
    this.options = options;
    const variables = { maxClientRequestsPerSecond: 2000, maxRequestsPerSecond: 10_000 };
    this.#clients = new ServedClients({ ...options, variables });
  }

  setPoints({ measurements, commands }: StackPoints): void {
    this.served.clear();
    this.#byId.clear();
    const serve = (point: StackPoint, isCommand: boolean) => {
      const served: Served = { point, isCommand, value: undefined, isGood: false };
      this.served.set(point.address, served);
      this.#byId.set(point.id, served);
    };
    for (const point of measurements) serve(point, false);
    for (const point of commands) serve(point, true);
  }

  async connect(signal: AbortSignal): Promise<void> {
    const { host, port } = this.options.variables;
    const server = createServer({ noDelay: true }, (socket) => this.accept(socket));
    server.maxConnections = maxClients;
    server.listen(port, host);
    this.server = server;
    await once(server, 'listening', { signal });
  }

  async run(signal: AbortSignal): Promise<void> {
    if (!signal.aborted) await once(signal, 'abort');
  }

  publish(batch: Batch): void {
    for (let at = 0; at < batch.count; at++) {
      const served = this.#byId.get(batch.points[at] ?? 0);
      if (served === undefined) continue;
      if (batch.forms[at] !== form.none) served.value = batch.valueAt(at);
      served.isGood = isGood(batch.qualities[at] ?? 0);
    }
  }

  async close(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    if (server === undefined) return;
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  protected accept(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('close', () => this.sockets.delete(socket)).on('error', () => {});
    const stream = new ServedStream({
      clients: this.#clients,
      socket,
      cut: lineLength,
      take: async (line) => {
        const text = readLine(line.toString('latin1'));
        if (text !== undefined) socket.write(lineOf(await this.answer(text)));
      },
      onWrong: () => {},
    });
    socket.on('data', (bytes: Buffer) => stream.hear(bytes));
  }

  protected async answer(line: string): Promise<string> {
    const [, number = '', verb = '', name = '', text = ''] = /^(\d+) (get|set) (\w+)(?: (.*))?$/.exec(line) ?? [];
    const served = this.served.get(name);
    if (served === undefined) return `${number} no such thing`;
    if (verb === 'get') return `${number} is ${served.isGood ? 'good' : 'bad'} ${served.value ?? ''}`;
    const result = await this.write(served, served.point.datatype === 's' ? text : Number(text));
    return `${number} ${result.kind === 'accepted' ? 'done' : `no, ${result.kind}: ${result.reason}`}`;
  }

  protected async write({ point, isCommand }: Served, value: Value): Promise<WriteResult> {
    if (!isCommand) return written.refused('it cannot be written');
    return this.options.write(point, value);
  }
}
