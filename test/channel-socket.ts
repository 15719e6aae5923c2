// A bare client of the channel: requests with their answers, and notifications as they come. It never comes back by
// itself, and it can stop reading.
import { once } from 'node:events';
import { WebSocket } from 'ws';

export interface ChannelAnswer {
  readonly request_id: number;
  readonly result: boolean;
  readonly error?: { readonly status: number; readonly detail: string };
  /** Of a batch. */
  readonly results?: readonly { readonly result: boolean }[];
}

/** The channel was closed before the answer. */
export class CutOff extends Error {}

export class ChannelSocket {
  readonly #socket: WebSocket;
  readonly #pending = new Map<number, { resolve: (answer: ChannelAnswer) => void; reject: (error: Error) => void }>();
  #lastId = 0;

  /** `url` is the server's. `onNotification` gets whole messages that are no answers. */
  static async open(
    url: string,
    onNotification: (message: Buffer) => void = () => undefined,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<ChannelSocket> {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/data/ws`, { perMessageDeflate: false, headers });
    const channel = new ChannelSocket(socket, onNotification);
    await once(socket, 'open');
    return channel;
  }

  private constructor(socket: WebSocket, onNotification: (message: Buffer) => void) {
    this.#socket = socket;
    socket.on('error', () => undefined);
    socket.on('close', () => {
      for (const { reject } of this.#pending.values()) reject(new CutOff());
      this.#pending.clear();
    });
    socket.on('message', (message: Buffer) => {
      if (message[2] === 0x6e /* {"notification */) onNotification(message);
      else this.#settle(JSON.parse(message.toString()) as ChannelAnswer);
    });
  }

  ask(request: object): Promise<ChannelAnswer> {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      if (this.#socket.readyState !== this.#socket.OPEN) throw new CutOff();
      this.#pending.set(id, { resolve, reject });
      this.#socket.send(JSON.stringify({ ...request, id }));
    });
  }

  /** Takes nothing any more, until `resume`. */
  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  async close(): Promise<void> {
    const closed = once(this.#socket, 'close');
    this.#socket.close();
    await closed;
  }

  #settle(answer: ChannelAnswer): void {
    this.#pending.get(answer.request_id)?.resolve(answer);
    this.#pending.delete(answer.request_id);
  }
}
