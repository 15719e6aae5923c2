// The clients of the traffic test: each asks again and again until it is told to stop, and judges what it is answered.
import type { LiveAlarm, LiveCommand, LiveMeasurement } from '@telltale/schema';
import type { RawClient } from '../stacks/modbus/test/raw-client.ts';
import type { ChannelSocket } from './channel-socket.ts';
import type { ConfigClient } from './config-client.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { Observer, Seen } from './traffic-observer.ts';
import { names, servedAt } from './traffic-plant.ts';
import type { Outcome } from './traffic-writes.ts';

interface Problem {
  readonly status: number;
  readonly detail: string;
}

interface ItemAnswer {
  readonly results: { readonly name: string; readonly result: boolean; readonly error?: Problem }[];
}

interface DatabaseAnswer {
  readonly database: { measurements: LiveMeasurement[]; commands: LiveCommand[]; alarms: LiveAlarm[] };
}

export class TrafficClients {
  readonly #observer: Observer;
  readonly #random: SeededRandom;
  readonly #data: ConfigClient;
  readonly #channel: ChannelSocket;
  /** When the last read from each provider was sent. */
  readonly #askedMs = { panel: performance.now(), metrics: performance.now() };

  constructor(observer: Observer, random: SeededRandom, data: ConfigClient, channel: ChannelSocket) {
    this.#observer = observer;
    this.#random = random;
    this.#data = data;
    this.#channel = channel;
  }

  async readByHttp(): Promise<void> {
    const family = this.#random.pick(['measurements', 'commands', 'alarms']);
    const name = this.#random.pick(names as [string, ...string[]]);
    const isOne = this.#random.chance(0.3);
    const fromMs = performance.now();
    const { status, text } = await this.#ask('GET', isOne ? `/${family}/${name}` : `/${family}/?names=${names}`);
    const body = status === 404 ? undefined : JSON.parse(text);
    const seen: Seen = { [family]: isOne ? { [name]: body } : body };
    this.#observer.see(`GET ${family}`, { fromMs, untilMs: performance.now() }, seen, isOne ? [name] : names);
  }

  /** All of it is read at one moment. */
  async readByChannel(): Promise<void> {
    const fromMs = performance.now();
    const select = { measurements: names, commands: names, alarms: names };
    const { database } = (await this.#channel.ask({ request: 'ReadDatabase', select })) as unknown as DatabaseAnswer;
    const seen = {
      measurements: byName(database.measurements),
      commands: byName(database.commands),
      alarms: byName(database.alarms),
    };
    this.#observer.see('ReadDatabase', { fromMs, untilMs: performance.now() }, seen);
  }

  async writeByHttp(): Promise<void> {
    const name = this.#nameOf('commands');
    const { value, done } = this.#observer.writes.ask(name);
    const { status, text } = await this.#ask(
      'PUT',
      `/commands/${name}?value=${this.#prefixOf('commands', name)}${value}`,
    );
    if (status === 204) done('accepted', '204');
    else done(outcomeOf({ status, detail: JSON.parse(text).detail }), text);
  }

  /** Several of one command, which wait for each other. */
  async writeByChannel(): Promise<void> {
    const written = [this.#nameOf('commands'), this.#nameOf('commands')] as const;
    const asked = Array.from({ length: this.#random.between(1, 8) }, () => {
      const name = this.#random.pick(written);
      return { name, ...this.#observer.writes.ask(name) };
    });
    const writes = asked.map(({ name, value }) => ({ name, value: `${this.#prefixOf('commands', name)}${value}` }));
    const answer = (await this.#channel.ask({ request: 'WriteCommands', writes })) as unknown as ItemAnswer;
    for (const [at, { done }] of asked.entries()) {
      const { result, error } = answer.results[at] as ItemAnswer['results'][number];
      if (result) done('accepted', 'true');
      else done(outcomeOf(error as Problem), JSON.stringify(error));
    }
  }

  /** By the Modbus provider, whose exceptions do not tell whether the device has it. */
  async writeByProvider(panel: RawClient): Promise<void> {
    const name = this.#nameOf('commands');
    const { value, done } = this.#observer.writes.ask(name);
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleBE(value);
    const at = servedAt.command(name).toString(16).padStart(4, '0');
    const answer = await panel.ask(`10${at}000408${bytes.toString('hex')}`);
    done(answer.startsWith('10') ? 'accepted' : answer === '9002' ? 'notSent' : 'unknown', answer);
  }

  /** A value, or none any more; of names that nobody else simulates. */
  async simulate(mine: readonly string[], isByChannel: boolean): Promise<void> {
    const name = this.#nameOf('measurements', mine);
    const { simulations } = this.#observer;
    if (this.#random.chance(0.5)) {
      const done = simulations.ask(name, undefined);
      if (isByChannel) done(isDone(await this.#items({ request: 'StopSimulation', measurements: [name] })));
      else done((await this.#ask('DELETE', `/measurements/${name}`)).status === 204);
      return;
    }
    const seconds = this.#random.chance(0.3) ? this.#random.next() / 5 + 0.001 : undefined;
    const number = simulations.nextValue();
    const value = `${this.#prefixOf('measurements', name)}${number}`;
    const done = simulations.ask(name, number, seconds !== undefined);
    if (isByChannel) {
      const simulation = { name, value, ...(seconds !== undefined && { 'valid-for': seconds }) };
      done(isDone(await this.#items({ request: 'SimulateMeasurements', simulations: [simulation] })));
    } else {
      const validFor = seconds === undefined ? '' : `&valid-for=${seconds.toFixed(3)}`;
      done((await this.#ask('PUT', `/measurements/${name}?value=${value}${validFor}`)).status === 204);
    }
  }

  async acknowledge(): Promise<void> {
    await this.#items({ request: 'AckAlarms', alarms: names });
  }

  /** Value and quality of each point, from the registers of the Modbus provider. */
  async readByPanel(panel: RawClient): Promise<void> {
    const fromMs = this.#knownSince('panel');
    const answer = Buffer.from(await panel.ask(`040000${(5 * names.length).toString(16).padStart(4, '0')}`), 'hex');
    const moment = { fromMs, untilMs: performance.now() };
    if (answer[0] !== 4) throw new Error(`the Modbus provider answered ${answer.toString('hex')}`);
    for (const name of names) {
      const at = 2 + 2 * servedAt.measurement(name);
      const [value, quality] = [answer.readDoubleBE(at), answer.readUInt16BE(at + 8)];
      if (quality === 0 && value === 0) continue;
      this.#observer.timeline.judge(`panel: ${name} = ${value} (${quality})`, moment, (version) =>
        this.#observer.faultOfValue(version, name, value, quality, moment),
      );
    }
  }

  /** The same from the HTTP provider; a bad one is not there. */
  async readByMetrics(url: string): Promise<void> {
    const fromMs = this.#knownSince('metrics');
    const text = await (await fetch(url)).text();
    const moment = { fromMs, untilMs: performance.now() };
    const qualities = new Map(
      Array.from(text.matchAll(/^telltale_point_quality\{point="(\w+)"\} (\d+)$/gm), ([, name, q]) => [
        name,
        Number(q),
      ]),
    );
    for (const [, name = '', slot, digits] of text.matchAll(/^traffic\{name="(\w+)",slot="(\d+)"\} (\S+)$/gm)) {
      const [value, quality = 0] = [Number(digits), qualities.get(name)];
      this.#observer.timeline.judge(`metrics: ${name} = ${value} (${quality}), slot ${slot}`, moment, (version) => {
        const wanted = version.plant.measurements[name]?.slot;
        if (wanted !== Number(slot)) return `${name} has the slot ${wanted}`;
        return this.#observer.faultOfValue(version, name, value, quality, moment);
      });
    }
  }

  /**
   * When the read before was sent. What is published goes to the thread of a provider by another way than the requests of
   * its clients, so that a request may be a turn of its event loop ahead: it has what was there before the last one.
   */
  #knownSince(provider: 'panel' | 'metrics'): number {
    const sentMs = this.#askedMs[provider];
    this.#askedMs[provider] = performance.now();
    return sentMs;
  }

  /** Rather one that is being changed. */
  #nameOf(family: 'measurements' | 'commands', among: readonly string[] = names): string {
    const changing = this.#observer.timeline.changing(family).filter((name) => among.includes(name));
    const isAimed = changing.length > 0 && this.#random.chance(0.8);
    return this.#random.pick((isAimed ? changing : among) as [string, ...string[]]);
  }

  /** Of a configuration that may be over when it is used. */
  #prefixOf(family: 'measurements' | 'commands', name: string): string {
    return this.#observer.timeline.newest.plant[family][name]?.datatype ?? 'd';
  }

  async #ask(method: string, path: string) {
    const answer = await this.#data.ask(method, path);
    if (answer.status === 500) throw new Error(`${method} ${path} was answered by 500: ${answer.text}`);
    return answer;
  }

  async #items(request: object): Promise<ItemAnswer> {
    const answer = (await this.#channel.ask(request)) as unknown as ItemAnswer;
    for (const { error } of answer.results) if (error?.status === 500) throw new Error(error.detail);
    return answer;
  }
}

const isDone = ({ results }: ItemAnswer) => results[0]?.result === true;

const byName = <Live extends { readonly name: string }>(list: readonly Live[]): Record<string, Live> =>
  Object.fromEntries(list.map((live) => [live.name, live]));

/** The devices refuse nothing. */
function outcomeOf({ status, detail }: Problem): Outcome {
  if (status === 500) throw new Error(`a write was answered by 500: ${detail}`);
  if (status < 500 || status === 502 || /nothing was sent/i.test(detail)) return 'notSent';
  return 'unknown';
}
