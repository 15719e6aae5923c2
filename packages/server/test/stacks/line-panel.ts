// A provider that behaves: it tells a panel that the test plays (test/line-panel.ts) all that it is given, a line of JSON
// each, and writes and acknowledges what the panel asks for, under the ids that the panel names, old ones too.
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { type Batch, type Datatype, formatPrefixed, onAbort, parsePrefixed, type Value } from '@telltale/schema';
import {
  defineStack,
  NotConnected,
  type Provider,
  type ProviderOptions,
  Refused,
  type StackAlarm,
  type StackAlarmState,
  type StackPoint,
  type StackPoints,
  Type,
  type WriteResult,
} from '@telltale/stack-kit';
import type { ToPanel, ToProvider } from '../line-panel.ts';

const syntax = { regex: '^[a-z]+$', doc: 'A name.', examples: [{ address: 'level', meaning: 'the level' }] };

class LinePanel implements Provider {
  readonly #options: ProviderOptions<{ port: number; word: string }>;
  readonly #known = new Map<number, StackPoint>();
  #points: StackPoints = { measurements: [], commands: [] };
  #present = new Map<number, StackPoint>();
  #alarms: readonly StackAlarm[] = [];
  #socket: Socket | undefined;

  constructor(options: ProviderOptions<{ port: number; word: string }>) {
    this.#options = options;
  }

  setPoints(points: StackPoints): void {
    this.#points = points;
    this.#present = new Map([...points.measurements, ...points.commands].map((point) => [point.id, point]));
    for (const [id, point] of this.#present) this.#known.set(id, point);
    this.#sendPoints();
  }

  async connect(): Promise<void> {
    const socket = connect(this.#options.variables.port, '127.0.0.1');
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', (error) => reject(new NotConnected(error.message)));
    });
    this.#socket = socket;
    this.#send({ kind: 'hello', name: this.#options.name, word: this.#options.variables.word });
    this.#sendPoints();
    this.#sendAlarms();
  }

  run(signal: AbortSignal): Promise<void> {
    const socket = this.#socket as Socket;
    const lines = createInterface(socket).on('error', () => undefined); // it has the socket's errors, too
    lines.on('line', (line) => this.#ask(JSON.parse(line)));
    return new Promise((resolve, reject) => {
      onAbort(signal, () => resolve());
      socket.once('error', () => undefined);
      socket.once('close', () => reject(new NotConnected('the panel is gone')));
    });
  }

  publish(batch: Batch): void {
    const values: { name: string; text: string }[] = [];
    for (let at = 0; at < batch.count; at++) {
      const point = this.#present.get(batch.points[at] as number);
      if (point === undefined) continue; // of nobody
      const text = textOf(point.datatype, batch.valueAt(at) as Value);
      values.push({ name: point.name, text: `${text} ${batch.qualities[at]} ${batch.times[at]}` });
    }
    this.#send({ kind: 'values', values });
  }

  setAlarms(alarms: readonly StackAlarm[]): void {
    this.#alarms = alarms;
    this.#sendAlarms();
  }

  publishAlarms(states: readonly StackAlarmState[]): void {
    const reported = states.map(({ id, isActive, isAcknowledged, timeUs }) => {
      const name = this.#alarms.find((alarm) => alarm.id === id)?.name ?? 'nobody';
      return { name, text: `${isActive ? 'ACT' : 'INACT'}_${isAcknowledged ? 'ACK' : 'UNACK'} ${timeUs}` };
    });
    this.#send({ kind: 'states', states: reported });
  }

  async close(): Promise<void> {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  async #ask(wish: ToProvider): Promise<void> {
    const { write, acknowledge, history } = this.#options;
    let outcome = 'done';
    try {
      const point = this.#known.get(wish.id ?? -1);
      const alarm = this.#alarms.find(({ name }) => name === wish.alarm);
      if (point !== undefined && wish.read !== undefined) outcome = jsonOf(await history.read(point, wish.read));
      else if (point !== undefined && wish.aggregate !== undefined) {
        outcome = jsonOf(await history.aggregate(point, wish.aggregate));
      } else if (point !== undefined) outcome = wordsOf(await write(point, parsePrefixed(wish.value ?? '').value));
      else if (alarm !== undefined) outcome = wordsOf(await acknowledge(alarm, 'panel'));
      else throw new Refused('there is no such thing');
    } catch (error) {
      outcome = `${(error as Error).name} ${(error as Error).message}`;
    }
    this.#send({ kind: 'answer', number: wish.number, outcome });
  }

  #sendPoints(): void {
    const reported = (kind: 'measurement' | 'command') => (point: StackPoint) => {
      const { id, name, address, datatype, description = '' } = point;
      return { id, text: `${kind} ${name} ${address} ${datatype} ${description}` };
    };
    const { measurements, commands } = this.#points;
    this.#send({
      kind: 'points',
      points: [...measurements.map(reported('measurement')), ...commands.map(reported('command'))],
    });
  }

  #sendAlarms(): void {
    this.#send({ kind: 'alarms', names: this.#alarms.map(({ name }) => name) });
  }

  #send(message: ToPanel): void {
    this.#socket?.write(`${JSON.stringify(message)}\n`);
  }
}

function jsonOf(answer: unknown): string {
  return JSON.stringify(answer, (_, value) => (typeof value === 'bigint' ? String(value) : value));
}

function textOf(datatype: Datatype, value: Value): string {
  try {
    return formatPrefixed(datatype, value);
  } catch {
    return `${typeof value} ${value}, which is no ${datatype}`;
  }
}

export default defineStack({
  name: 'line_panel',
  title: 'Line panel',
  description: 'For tests.',
  provider: {
    variables: Type.Object({
      port: Type.Integer({ title: 'Port', minimum: 1, maximum: 65535 }),
      word: Type.String({ title: 'Word', default: '' }),
    }),
    measurement: syntax,
    command: syntax,
    load: async () => ({ createProvider: (options) => new LinePanel(options) }),
  },
});

function wordsOf(result: WriteResult): string {
  return result.kind === 'accepted' ? 'done' : `${result.kind} ${result.reason}`;
}
