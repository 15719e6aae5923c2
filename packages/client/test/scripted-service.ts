// A real WebSocket server that speaks the channel as a test wants it to: it can be silent, refuse, lie and hang up.
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { type WebSocket, WebSocketServer } from 'ws';

export interface Asked {
  readonly request: string;
  readonly id: number;
  readonly [field: string]: unknown;
}

type Answer = Record<string, unknown> | undefined;

/** What exists, by the field of a watch request: names that are not in it are refused. */
export class ScriptedService {
  readonly #server: WebSocketServer;
  readonly #pending = new Set<() => void>();
  readonly asked: Asked[] = [];
  /** Names and what a notification carries of each. */
  readonly measurements = new Map<string, Record<string, unknown>>();
  readonly commands = new Map<string, Record<string, unknown>>();
  /** What each connection says of who it is. */
  readonly authorizations: (string | undefined)[] = [];
  /** Answers a request; undefined: not at all. */
  answer: (asked: Asked) => Answer = (asked) => this.ordinary(asked);
  connections = 0;

  static async start(t: TestContext, port = 0): Promise<ScriptedService> {
    const server = new WebSocketServer({ host: '127.0.0.1', port });
    await once(server, 'listening');
    const service = new ScriptedService(server);
    t.after(() => service.stop());
    return service;
  }

  private constructor(server: WebSocketServer) {
    this.#server = server;
    server.on('connection', (socket, { headers }) => {
      this.connections++;
      this.authorizations.push(headers.authorization);
      socket.on('message', (data) => this.#hear(socket, JSON.parse(String(data)) as Asked));
      socket.on('error', () => undefined);
      this.#changed();
    });
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `ws://127.0.0.1:${this.port}/data/ws`;
  }

  /** The requests of one name, as far as they have come. */
  of(request: string): Asked[] {
    return this.asked.filter((asked) => asked.request === request);
  }

  /** Resolves when something that was heard makes it true. */
  async until(isTrue: () => boolean): Promise<void> {
    while (!isTrue()) await new Promise<void>((resolve) => this.#pending.add(resolve));
  }

  /** To everybody. */
  send(message: unknown): void {
    const text = typeof message === 'string' ? message : JSON.stringify(message);
    for (const socket of this.#server.clients) socket.send(text);
  }

  publish(...updates: { name: string; [field: string]: unknown }[]): void {
    this.send({ notification: 'MeasurementUpdateNotification', updates });
  }

  /** Everything that is sent meanwhile arrives at once. */
  inOnePacket(say: () => void): void {
    const streams = Array.from(this.#server.clients, (socket) => (socket as unknown as { _socket: Socket })._socket);
    for (const stream of streams) stream.cork();
    say();
    for (const stream of streams) stream.uncork();
  }

  /** Properly, with a close frame. */
  sayGoodbye(): void {
    for (const socket of this.#server.clients) socket.close(1001);
  }

  /** The session or token has ended. */
  revoke(): void {
    for (const socket of this.#server.clients) socket.close(1008);
  }

  hangUp(): void {
    for (const socket of this.#server.clients) socket.terminate();
  }

  async stop(): Promise<void> {
    this.hangUp();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  ordinary(asked: Asked): Answer {
    const { known, names } = this.#watched(asked);
    if (known === undefined || names === 'all') return { result: true };
    const results = names.map((name) =>
      known.has(name) ? { name, result: true } : { name, result: false, error: unknownObject(name) },
    );
    const failed = results.find(({ result }) => !result);
    return failed === undefined ? { result: true, results } : { result: false, error: failed.error, results };
  }

  #hear(socket: WebSocket, asked: Asked): void {
    this.asked.push(asked);
    const answer = this.answer(asked);
    if (answer !== undefined) socket.send(JSON.stringify({ request_id: asked.id, ...answer }));
    const { known, names, notification } = this.#watched(asked);
    if (known !== undefined && answer !== undefined) {
      const reported = names === 'all' ? [...known.keys()] : names;
      const updates = reported.filter((name) => known.has(name)).map((name) => known.get(name));
      if (updates.length > 0) socket.send(JSON.stringify({ notification, updates }));
    }
    this.#changed();
  }

  #watched({ request, measurements, commands }: Asked) {
    if (request === 'WatchMeasurements') {
      const names = measurements as string[] | 'all';
      return { known: this.measurements, names, notification: 'MeasurementUpdateNotification' };
    }
    if (request === 'WatchCommands') {
      return { known: this.commands, names: commands as string[] | 'all', notification: 'CommandUpdateNotification' };
    }
    return { known: undefined, names: [], notification: '' };
  }

  #changed(): void {
    for (const resolve of this.#pending) resolve();
    this.#pending.clear();
  }
}

export function unknownObject(name: string) {
  return {
    type: '/docs/#problem-unknown-object',
    title: 'The object does not exist',
    status: 404,
    detail: `There is no measurement ${name}.`,
  };
}
