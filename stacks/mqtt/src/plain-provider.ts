// The provider of plain topics: publishes the newest values, retained, and carries out what is written at command topics.
import { type Batch, formatText, formatTimestamp, isBad, isGood, type Value } from '@telltale/schema';
import {
  type InstanceDetail,
  NotConnected,
  type Provider,
  type ProviderOptions,
  propertyOf,
  type ServedPoint,
  ServedPoints,
  type StackPoint,
  type StackPoints,
  type WriteResult,
  written,
} from '@telltale/stack-kit';
import type { IPublishPacket } from 'mqtt';
import { parseSelector, type Selector } from './address.ts';
import { BrokerLink } from './broker-link.ts';
import { BrokerList } from './broker-list.ts';
import type { BrokerVariables } from './broker-variables.ts';
import { CommandIntake } from './command-intake.ts';
import { jsonOf } from './format-value.ts';
import { Forwarder, type PastValue } from './forward/forwarder.ts';
import { Payload } from './payload.ts';
import { type ProviderVariables, topicNames, type ValueName, valueNames } from './provider-variables.ts';
import { Publishing } from './publishing.ts';
import { readValue } from './read-value.ts';
import { compileTemplate, type Template } from './template.ts';
import { topicFault } from './topic.ts';

const maxAnswers = 1000;

type TopicTemplate = Template<(typeof topicNames)[number]>;

export class PlainProvider implements Provider {
  readonly #options: ProviderOptions<ProviderVariables>;
  readonly #brokers: BrokerList;
  readonly #points = new ServedPoints();
  /** What the broker does not have yet, in the order in which it changed first. */
  readonly #changed = new Set<ServedPoint>();
  readonly #commands = new Map<string, StackPoint>();
  readonly #intake: CommandIntake;
  readonly #templates: Record<'topic' | 'statusTopic' | 'commandTopic' | 'answerTopic', TopicTemplate>;
  readonly #payloadTemplate: Template<ValueName>;
  readonly #valueSelector: Selector;
  readonly #payload = new Payload();
  readonly #forwarder: Forwarder;
  /** Whose values of an outage are sent. */
  #forwarded: readonly ServedPoint[] = [];
  #link: BrokerLink | undefined;
  #publishing: Publishing<ServedPoint> | undefined;
  #subscribed = new Set<string>();
  /** Topics to which the provider publishes by itself. */
  #ownTopics = new Set<string>();
  #topics = new Map<string, ServedPoint>();
  /** By topic: points that are served there no more, of which the broker still has a value. */
  readonly #gone = new Map<string, ServedPoint>();
  /** That the broker has not acknowledged. */
  #answers = 0;

  /** The variables have been checked. */
  constructor(options: ProviderOptions<ProviderVariables>) {
    this.#options = options;
    const { variables } = options;
    this.#brokers = new BrokerList(variables, options.clock);
    const topic = (text: string) => need(compileTemplate(text, topicNames));
    this.#templates = {
      topic: topic(variables.topic),
      statusTopic: topic(variables.statusTopic),
      commandTopic: topic(variables.commandTopic),
      answerTopic: topic(variables.answerTopic),
    };
    this.#payloadTemplate = need(compileTemplate(variables.payload, valueNames));
    const { commandValue } = variables;
    this.#valueSelector = (commandValue === '' ? undefined : parseSelector(commandValue).selector) ?? { kind: 'plain' };
    this.#intake = new CommandIntake(options.write);
    this.#forwarder = new Forwarder({
      ...options,
      ...variables,
      points: () => this.#forwarded,
      send: (values) => this.#sendPast(values),
    });
  }

  setPoints(points: StackPoints): void {
    this.#points.setPoints(points);
    this.#forwarded = this.#points.all.filter(({ point }) => propertyOf(point, 'forward') === 'true');
    this.#changed.clear();
    this.#setTopics();
    this.#commands.clear();
    this.#setCommands(points.commands);
    if (this.#link === undefined) return;
    this.#markAll();
    this.#subscribe().catch(() => undefined);
    this.#publishing?.pump();
  }

  connect(signal: AbortSignal): Promise<void> {
    return this.#brokers.connect(signal, this.#connectTo.bind(this), () => this.close());
  }

  async run(signal: AbortSignal): Promise<void> {
    await this.#forwarder.begin();
    try {
      await this.#publishing?.run(signal);
    } catch (error) {
      this.#brokers.lost((error as Error).message);
      throw error;
    }
  }

  publish(batch: Batch): void {
    this.#points.take(batch, (served) => this.#changed.add(served));
    this.#publishing?.pump();
  }

  async close(): Promise<void> {
    const link = this.#link;
    this.#publishing?.stop();
    this.#publishing = undefined;
    await this.#forwarder.end(link?.isUp === true);
    this.#link = undefined;
    const statusTopic = this.#topic('statusTopic', undefined);
    // The last will does not come where the connection ends in order.
    if (link?.isUp && statusTopic !== '') {
      const published = link.publish(statusTopic, this.#options.variables.offlinePayload, { qos: 0, retain: true });
      await published.catch(() => undefined);
    }
    await link?.close();
  }

  detail(): InstanceDetail {
    const forwarding = this.#forwarder.detail();
    return { devices: this.#brokers.detail(), ...(forwarding !== undefined && { forwarding }) };
  }

  async #connectTo(broker: BrokerVariables, signal: AbortSignal): Promise<void> {
    const { name, variables, clock, folder, log } = this.#options;
    const statusTopic = this.#topic('statusTopic', undefined);
    const status = { topic: statusTopic, qos: 1 as const, retain: true };
    const will = statusTopic === '' ? {} : { will: { ...status, payload: Buffer.from(variables.offlinePayload) } };
    const onMessage = (topic: string, payload: Buffer | undefined, packet: IPublishPacket) => {
      this.#hear(topic, payload, packet);
      return undefined;
    };
    const link = await BrokerLink.open(
      { name, variables: broker, clock, names: this.#brokers.names, folder, log, cleanStart: true, ...will, onMessage },
      signal,
    );
    this.#link = link;
    this.#subscribed = new Set();
    await link.whileWanted(signal, async () => {
      await this.#subscribe();
      if (statusTopic !== '') await link.publish(statusTopic, variables.onlinePayload, status);
    });
    this.#publishing = new Publishing({
      link,
      clock,
      log,
      limit: variables.inFlight,
      queue: this.#changed,
      publish: (served) => this.#publish(link, served),
    });
    this.#markAll();
    this.#publishing.pump();
  }

  /** What the broker has retained of a point that is not served any more would stay there, good, for ever. */
  #setTopics(): void {
    const before = this.#topics;
    this.#topics = new Map();
    for (const served of this.#points.all) {
      const topic = this.#topic('topic', served.point);
      if (!this.#topics.has(topic)) this.#topics.set(topic, served);
      else
        this.#options.log.warn(`${served.point.name} is not published: another point already has the topic ${topic}`);
    }
    if (this.#options.variables.retain) for (const [topic, served] of before) this.#gone.set(topic, served);
    for (const topic of this.#topics.keys()) this.#gone.delete(topic);
  }

  /** Also points without a value: what the broker has retained of them from before may not be true any more. */
  #markAll(): void {
    for (const served of [...this.#points.all, ...this.#gone.values()]) this.#changed.add(served);
  }

  /** A topic to which the provider itself publishes takes no writes: it would write to itself. */
  #setCommands(commands: readonly StackPoint[]): void {
    const { variables, log } = this.#options;
    if (variables.commandTopic === '') return;
    const topics = this.#points.all.flatMap(({ point }) => [
      this.#topic('topic', point),
      this.#topic('answerTopic', point),
    ]);
    this.#ownTopics = new Set([...topics, this.#topic('statusTopic', undefined)]);
    for (const point of commands) {
      const topic = this.#topic('commandTopic', point);
      const isOwn = this.#ownTopics.has(topic);
      const wrong = topicFault(topic) ?? (isOwn ? `the provider publishes to ${topic} itself` : undefined);
      if (wrong !== undefined) log.warn(`${point.name} cannot be written: ${wrong}`);
      else this.#commands.set(topic, point);
    }
  }

  async #subscribe(): Promise<void> {
    const link = this.#link;
    if (link === undefined) return;
    const before = this.#subscribed;
    this.#subscribed = new Set(this.#commands.keys());
    const gone = [...before.difference(this.#subscribed)];
    const added = [...this.#subscribed.difference(before)];
    if (gone.length > 0) await link.unsubscribe(gone);
    const refused = await link.subscribe(added, 1);
    for (const [topic, why] of refused) this.#options.log.warn(`commands at ${topic} cannot be subscribed to: ${why}`);
  }

  #publish(link: BrokerLink, served: ServedPoint): Promise<number> | undefined {
    const { variables, log } = this.#options;
    const topic = this.#topic('topic', served.point);
    const wrong = topicFault(topic);
    if (wrong !== undefined) {
      log.warn(`${served.point.name} is not published: ${wrong}`);
      return undefined;
    }
    const isGone = this.#gone.get(topic) === served;
    if (!isGone && this.#topics.get(topic) !== served) return undefined;
    const isUnwritten = served.isCommand && served.value === undefined;
    if (isUnwritten && !variables.retain) return undefined;
    // An empty one makes the broker forget what it has retained.
    const payload =
      isGone || isUnwritten ? '' : this.#payloadTemplate.render((name) => this.#placeholder(name, served));
    const qos = Number(variables.qos) as 0 | 1 | 2;
    const published = link.publish(topic, payload, { qos, retain: variables.retain });
    if (isGone) published.then(() => this.#gone.delete(topic)).catch(() => undefined);
    return published;
  }

  /** Not retained: the broker keeps the present value. Half of what may be under way is left to present values. */
  async #sendPast(values: readonly PastValue[]): Promise<number> {
    const atOnce = Math.ceil(this.#options.variables.inFlight / 2);
    let count = 0;
    for (let at = 0; at < values.length; at += atOnce) {
      const sent = await Promise.all(values.slice(at, at + atOnce).map((value) => this.#publishPast(value)));
      count += sent.filter(Boolean).length;
    }
    return count;
  }

  /** False: it is not sent. */
  async #publishPast({ served, record }: PastValue): Promise<boolean> {
    const { datatype, value, quality, timeUs } = record;
    const topic = this.#topic('topic', served.point);
    if (this.#topics.get(topic) !== served || datatype !== served.point.datatype) return false;
    if (!this.#link?.isUp) throw new NotConnected('the link is lost');
    const past = { ...served, value, quality, timeUs };
    const payload = this.#payloadTemplate.render((name) => this.#placeholder(name, past, true));
    // A broker that has no room for more of quality 1 gets it as one of quality 0.
    const qos = this.#link.hasRoom ? (Number(this.#options.variables.qos) as 0 | 1 | 2) : 0;
    await this.#link.publish(topic, payload, { qos, retain: false });
    return true;
  }

  /** A write. What is retained or comes again was written before: it is not carried out now. */
  #hear(topic: string, payload: Buffer | undefined, packet: IPublishPacket): void {
    const command = this.#commands.get(topic);
    if (command === undefined) return;
    const { log } = this.#options;
    if (packet.retain || packet.dup) {
      log.warn(`a write at ${topic} is ignored: it is ${packet.retain ? 'retained' : 'a repetition'}`);
      return;
    }
    this.#write(command, payload).then((result) => this.#answer(command, packet, result));
  }

  async #write(command: StackPoint, payload: Buffer | undefined): Promise<WriteResult> {
    if (payload === undefined) return written.refused('the message is too large');
    const form = { datatype: command.datatype, on: undefined, off: undefined };
    const value = readValue(this.#payload.load(payload), this.#valueSelector, form);
    return this.#intake.write(command, typeof value === 'symbol' ? undefined : (value as Value));
  }

  #answer(command: StackPoint, { properties }: IPublishPacket, result: WriteResult): void {
    const link = this.#link;
    const asked = properties?.responseTopic;
    const topic = asked ?? this.#topic('answerTopic', command);
    if (!link?.isUp || topic === '' || !this.#mayAnswerAt(topic, command)) return;
    // If the broker does not accept answers, it is flooded with writes: further answers are discarded.
    if (this.#answers >= maxAnswers) return;
    this.#answers++;
    const correlationData = asked === undefined ? undefined : properties?.correlationData;
    const sent = link.publish(topic, JSON.stringify(answerOf(result)), {
      qos: link.hasRoom ? 1 : 0,
      ...(correlationData !== undefined && { properties: { correlationData } }),
    });
    const settled = () => {
      this.#answers--;
      this.#publishing?.pump();
    };
    sent.then(settled, settled);
  }

  /** A client that may write one command must not make the provider write another, or fake a value by an answer. */
  #mayAnswerAt(topic: string, command: StackPoint): boolean {
    if (topic.startsWith('$') || topicFault(topic) !== undefined || this.#commands.has(topic)) return false;
    return !this.#ownTopics.has(topic) || topic === this.#topic('answerTopic', command);
  }

  #topic(which: 'topic' | 'statusTopic' | 'commandTopic' | 'answerTopic', point: StackPoint | undefined): string {
    const { name: provider } = this.#options;
    const names = { address: point?.address ?? '', name: point?.name ?? '', provider };
    return this.#templates[which].render((name) => names[name]);
  }

  #placeholder(name: ValueName, { point, value, quality, timeUs }: ServedPoint, isPast = false): string {
    switch (name) {
      case 'value':
        return value === undefined ? 'null' : jsonOf(point.datatype, value);
      case 'text':
        return value === undefined ? '' : formatText(point.datatype, value);
      case 'quality':
        return String(quality);
      case 'status':
        return isGood(quality) ? 'good' : isBad(quality) ? 'bad' : 'uncertain';
      case 'time':
        return formatTimestamp(timeUs);
      case 'timeMs':
        return String(Math.floor(timeUs / 1000));
      case 'timeUs':
        return String(timeUs);
      case 'datatype':
        return point.datatype;
      case 'historical':
        return String(isPast);
      case 'address':
        return point.address;
      case 'name':
        return point.name;
      case 'provider':
        return this.#options.name;
    }
  }
}

/** A client that reads only the result must not take an unknown outcome for a refusal. */
function answerOf(result: WriteResult): { result: string; reason?: string } {
  if (result.kind === 'accepted') return { result: 'accepted' };
  return { result: result.kind === 'notSent' ? 'not-sent' : result.kind, reason: result.reason };
}

function need<T>({ template, fault }: { template?: T; fault?: string }): T {
  if (template === undefined) throw new Error(fault);
  return template;
}
