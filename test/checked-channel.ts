// A client of the channel for tests that holds every message of the server against its schema, and keeps them in the
// order in which they came.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  answerSchema,
  type ChannelNotification,
  type ChannelRequestFields,
  type ChannelRequestName,
  type Checker,
  channelNotifications,
  channelRequestNames,
  checker,
  type ItemResult,
  type Problem,
  type ProblemName,
  problemPage,
  titleOf,
} from '@telltale/schema';
import { type ClientOptions, WebSocket } from 'ws';
import { until } from './until.ts';

export interface Answer {
  readonly request_id: number | string | null;
  readonly result: boolean;
  readonly error?: Problem;
  readonly results?: ItemResult[];
  readonly [field: string]: unknown;
}

export type Message = Answer | ChannelNotification;

const answers = new Map<string, Checker>(channelRequestNames.map((name) => [name, checker(answerSchema(name))]));
const notifications = new Map<string, Checker>(channelNotifications.map((type) => [titleOf(type), checker(type)]));

export class CheckedChannel {
  readonly socket: WebSocket;
  /** Everything that has come, in order. */
  readonly messages: Message[] = [];
  readonly #asked = new Map<number | string, string>();
  readonly #faults: string[] = [];
  /** Far from the ids that tests choose. */
  #lastId = 1_000_000;

  static async open(url: string, options: ClientOptions = {}): Promise<CheckedChannel> {
    const channel = new CheckedChannel(new WebSocket(`${url.replace('http', 'ws')}/data/ws`, options));
    await once(channel.socket, 'open');
    return channel;
  }

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (bytes: Buffer, isBinary: boolean) => {
      const message = JSON.parse(bytes.toString()) as Message;
      this.messages.push(message);
      const wrong = isBinary ? ['it is binary'] : this.#faultsOf(message);
      if (wrong.length > 0) this.#faults.push(`${bytes.toString().slice(0, 500)}: ${JSON.stringify(wrong)}`);
    });
  }

  /** Sends it as it is, without waiting. */
  send(message: unknown): void {
    this.socket.send(typeof message === 'string' ? message : JSON.stringify(message));
  }

  /** Sends the request and gives its answer. */
  async ask<N extends ChannelRequestName>(request: N, fields: ChannelRequestFields<N>): Promise<Answer> {
    const id = ++this.#lastId;
    this.#asked.set(id, request);
    this.send({ request, id, ...(fields as object) });
    return this.answerTo(id);
  }

  /** Sends what must be carried out. */
  async done<N extends ChannelRequestName>(request: N, fields: ChannelRequestFields<N>): Promise<Answer> {
    const answer = await this.ask(request, fields);
    assert.equal(answer.result, true, JSON.stringify(answer.error));
    return answer;
  }

  /** Sends what must be refused by the problem of this name, and gives the answer. */
  async refused<N extends ChannelRequestName>(name: ProblemName, request: N, fields: unknown): Promise<Answer> {
    const answer = await this.ask(request, fields as ChannelRequestFields<N>);
    assert.deepEqual([answer.result, answer.error?.type], [false, problemPage(name)]);
    return answer;
  }

  answerTo(id: number | string | null): Promise<Answer> {
    return until(`the answer to ${id}`, async () => {
      assert.ok(this.socket.readyState === this.socket.OPEN, 'the channel is closed');
      return this.messages.find((each): each is Answer => 'request_id' in each && each.request_id === id);
    });
  }

  /** All answers, as soon as there are so many. */
  allAnswers(count: number): Promise<Answer[]> {
    return until(`${count} answers`, async () => {
      const found = this.messages.filter((each): each is Answer => 'request_id' in each);
      return found.length >= count && found;
    });
  }

  /** All updates, changes or lines of notifications that have come, in order. */
  reported<Item = Record<string, unknown>>(notification: string, name?: string): Item[] {
    const items = this.messages.flatMap((each) => {
      if (!('notification' in each) || each.notification !== notification) return [];
      if ('updates' in each) return each.updates as { name: string }[];
      return ('changes' in each ? each.changes : 'lines' in each ? each.lines : []) as { name: string }[];
    });
    return items.filter((item) => name === undefined || item.name === name) as Item[];
  }

  values(name: string): string[] {
    const updates = this.reported<{ vtq: [string] }>('MeasurementUpdateNotification', name);
    return updates.map(({ vtq }) => vtq[0]);
  }

  /** Everything that was sent before has been carried out, and its consequences have come. */
  async settled(): Promise<void> {
    await this.done('Heartbeat', {});
    assert.deepEqual(this.#faults, []);
  }

  /** Closes, and fails where a message did not fit its schema; answers to what `send` sent are not known by kind. */
  async close({ isStrict = true } = {}): Promise<void> {
    const closed = once(this.socket, 'close');
    this.socket.close();
    await closed;
    if (isStrict) assert.deepEqual(this.#faults, []);
  }

  #faultsOf(message: Message): unknown[] {
    if ('notification' in message) {
      return notifications.get(String(message.notification))?.faults(message) ?? ['there is no such notification'];
    }
    const request = this.#asked.get(message.request_id ?? '') ?? 'Heartbeat';
    const faults = answers.get(request)?.faults(message) ?? ['there is no such request'];
    const hasError = message.error !== undefined;
    return message.result === hasError ? [...faults, 'result and error contradict each other'] : faults;
  }
}

/** The code with which the server closes. */
export async function closeCodeOf({ socket }: CheckedChannel): Promise<number> {
  const [code] = (await once(socket, 'close')) as [number];
  return code;
}
