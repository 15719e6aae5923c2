// The connector of MQTT: subscribes to the topics of its measurements and publishes what their messages say.
import { Batch, quality, untilAborted, type Value } from '@telltale/schema';
import {
  type BrowseAnswer,
  type BrowseRequest,
  type Connector,
  type ConnectorOptions,
  type InstanceDetail,
  NotConnected,
  type ReadingTrace,
  Refused,
  SourceTimes,
  type StackCommand,
  type StackPoint,
  type StackPoints,
  type WriteResult,
  written,
} from '@telltale/stack-kit';
import type { IPublishPacket } from 'mqtt';
import { BrokerLink } from './broker-link.ts';
import { BrokerList } from './broker-list.ts';
import type { BrokerVariables } from './broker-variables.ts';
import { Browser } from './browser.ts';
import { CommandWriter } from './command-writer.ts';
import type { ConnectorVariables } from './connector-variables.ts';
import { type Device, Devices } from './devices.ts';
import { dropMoved } from './drop-moved.ts';
import { Intake, type Message } from './intake.ts';
import { Payload } from './payload.ts';
import { keepMessage, Routes } from './routes.ts';
import { HostApplication } from './sparkplug/host-application.ts';
import { HostState } from './sparkplug/host-state.ts';
import { isMetricAddress, namespace } from './sparkplug/metric-address.ts';
import { Subscriptions } from './subscriptions.ts';
import { Tap, type TapContext } from './tap.ts';

/** Readings are gathered for so long, or until there are so many. */
const gatherMs = 5;
const gatherCount = 1000;
/** Before it runs, the host would keep the newest reading of each point alone: so many are held back until it does. */
const heldCount = 100_000;
/** A connection has 10 s to be made: with very many topics, or a slow way to the broker, subscriptions take longer. */
const subscribeMs = 5000;
const longestSweepMs = 1000;
const warnEveryMs = 60_000;

export function createConnector(options: ConnectorOptions<ConnectorVariables>): Connector {
  return new MqttConnector(options);
}

class MqttConnector implements Connector {
  readonly #options: ConnectorOptions<ConnectorVariables>;
  readonly #context: TapContext;
  readonly #brokers: BrokerList;
  readonly #batch = new Batch();
  readonly #payload = new Payload();
  readonly #writer: CommandWriter;
  readonly #browser: Browser;
  readonly #intake: Intake;
  readonly #host: HostApplication;
  readonly #state: HostState;
  readonly #subscriptions: Subscriptions;
  #measurements = new Map<number, StackPoint>();
  #taps = new Map<string, Tap>();
  #byId = new Map<number, Tap>();
  #routes = new Routes([]);
  #devices: Devices;
  #link: BrokerLink | undefined;
  #isRunning = false;
  /** That have come. */
  #messages = 0;
  #cancelFlush: (() => void) | undefined;
  #cancelSweep = () => {};
  #warnedMs = Number.NEGATIVE_INFINITY;

  constructor(options: ConnectorOptions<ConnectorVariables>) {
    const { clock, variables, maxClockSkewMs, meter, mayWrite } = options;
    this.#options = options;
    this.#brokers = new BrokerList(variables, clock);
    this.#state = new HostState({ clock, hostId: variables.hostId });
    this.#context = {
      clock,
      times: new SourceTimes({ clock, maxSkewMs: maxClockSkewMs }),
      allowsLate: variables.lateReadings || !variables.cleanStart,
    };
    const qos = Number(variables.subscribeQos) as 0 | 1 | 2;
    this.#subscriptions = new Subscriptions({
      clock,
      qos,
      // Who is there comes first, so that no value is shown of a device that is not.
      wanted: () => [
        ...this.#state.subscriptions,
        ...this.#devices.statusTopics,
        ...this.#host.subscriptions,
        ...this.#writer.ackTopics,
        ...this.#routes.all.keys(),
      ],
      onRefused: (subscription, why) => this.#refuse(subscription, why),
    });
    const { refused } = this.#subscriptions;
    this.#writer = new CommandWriter({ variables, version: variables.version, clock, refused, mayWrite });
    this.#browser = new Browser({
      clock,
      // Of the same quality: where the connector has the same subscription, this one takes its place.
      subscribe: async (filter) => (await this.#up().subscribe([filter], qos)).get(filter),
      unsubscribe: async (filter) => {
        if (!this.#subscriptions.has(filter)) await this.#up().unsubscribe([filter]);
      },
      askBirth: (group, node) => this.#host.askBirth(this.#up(), group, node),
      births: () => this.#host.births(),
    });
    this.#intake = new Intake({
      clock,
      maxPerSecond: variables.maxMessagesPerSecond,
      take: (message) => this.#take(message),
      onOverrun: () => {
        meter.overrun();
        this.#warnOverrun();
      },
    });
    this.#devices = new Devices([], variables);
    this.#host = new HostApplication({
      clock,
      mayWrite,
      log: options.log,
      times: this.#context.times,
      batch: this.#batch,
      history: options.history,
      flushSoon: () => this.#flushSoon(),
      reorderTimeoutMs: variables.reorderTimeoutMs,
      maxMetricAgeMs: variables.maxMetricAgeMs,
    });
  }

  setPoints(points: StackPoints): void {
    const { variables } = this.#options;
    const former = this.#measurements;
    this.#measurements = new Map(points.measurements.map((point) => [point.id, point]));
    dropMoved(this.#batch, former, this.#measurements);
    const isPlain = ({ address }: StackPoint) => !isMetricAddress(address);
    const isMetric = ({ address }: StackPoint) => isMetricAddress(address);
    const measurements = points.measurements.filter(isPlain);
    const commands = points.commands.filter(isPlain);
    this.#host.setPoints(points.measurements.filter(isMetric), points.commands.filter(isMetric));
    const before = this.#taps;
    this.#taps = new Map();
    for (const point of measurements) {
      const known = before.get(point.name);
      const tap = known?.isFor(point) ? known : new Tap(point, variables);
      tap.point = point;
      this.#taps.set(point.name, tap);
      if (tap !== known && tap.settings !== undefined) this.#subscriptions.renew(tap.settings.address.topic);
    }
    const taps = [...this.#taps.values()];
    this.#byId = new Map(taps.map((tap) => [tap.point.id, tap]));
    this.#routes = new Routes(taps, this.#routes);
    this.#devices = new Devices(taps, variables, this.#devices);
    this.#writer.setCommands(commands);
    if (this.#link === undefined) return;
    for (const tap of taps) this.#putPresent(tap);
    this.#flush();
    this.#subscriptions.changed();
  }

  connect(signal: AbortSignal): Promise<void> {
    return this.#brokers.connect(signal, this.#connectTo.bind(this), () => this.close());
  }

  async run(signal: AbortSignal): Promise<void> {
    const link = this.#up();
    this.#isRunning = true;
    this.#sweep();
    const reason = await untilAborted(signal, link.ended);
    if (reason === undefined) return;
    this.#brokers.lost(reason.message);
    throw reason;
  }

  async write(command: StackCommand, value: Value, signal: AbortSignal): Promise<WriteResult> {
    const link = this.#link;
    if (!link?.isUp) return written.notSent('the broker is not connected');
    if (isMetricAddress(command.address)) return this.#host.write(link, command, value);
    return this.#writer.write(link, command, value, signal);
  }

  async close(): Promise<void> {
    const link = this.#link;
    this.#link = undefined;
    this.#isRunning = false;
    this.#intake.stop();
    this.#browser.end();
    this.#host.end();
    this.#writer.answers.end();
    this.#cancelSweep();
    this.#subscriptions.end();
    this.#cancelFlush?.();
    this.#cancelFlush = undefined;
    this.#batch.clear();
    // The link waits for a while that the broker has it; else its last will says the same.
    const isSaid = this.#state.end();
    await link?.close(!isSaid);
  }

  detail(): InstanceDetail {
    const devices = [...this.#brokers.detail(), ...this.#devices.detail(), ...this.#host.detail()];
    return devices.length === 0 ? {} : { devices };
  }

  explain(point: StackPoint): ReadingTrace | undefined {
    if (isMetricAddress(point.address)) return this.#host.explain(point);
    const tap = this.#byId.get(point.id);
    const route = this.#routes.all.get(tap?.settings?.address.topic ?? '');
    if (tap === undefined || route === undefined || route.timeUs === 0) return undefined;
    const { raw, size, topic, timeUs } = route;
    const text = raw.toString(tap.settings?.address.selector.kind === 'binary' ? 'hex' : 'utf8');
    return {
      timeUs,
      request: `message of ${topic}${topic === route.subscription ? '' : `, subscribed by ${route.subscription}`}`,
      raw: size > raw.length ? `${text}… (${size} bytes)` : text,
      value: tap.value,
      error: this.#subscriptions.refused.get(route.subscription) ?? tap.error,
      device: tap.device?.name,
      scanPeriodMs: undefined,
    };
  }

  browse(request: BrowseRequest, signal: AbortSignal): Promise<BrowseAnswer> {
    if (this.#link === undefined) throw new Refused('the broker is not connected');
    return this.#browser.browse(request, signal);
  }

  async #connectTo(variables: BrokerVariables, signal: AbortSignal): Promise<void> {
    const { name, clock, folder, log, meter } = this.#options;
    const { cleanStart } = this.#options.variables;
    for (const tap of this.#taps.values()) tap.forget();
    this.#devices.forget(clock.now());
    const onMessage = this.#hear.bind(this);
    const link = await BrokerLink.open(
      {
        name,
        variables,
        clock,
        names: this.#brokers.names,
        folder,
        log,
        meter,
        cleanStart,
        ...this.#state.will(),
        onMessage,
      },
      signal,
    );
    this.#link = link;
    this.#writer.answers.begin();
    await link.whileWanted(signal, () => this.#subscribe(link));
    for (const tap of this.#taps.values()) if (tap.settings === undefined) this.#putPresent(tap);
    this.#flush();
    // Nothing else is published before: neither a request for a birth nor a command.
    this.#state.begin(link);
    this.#host.begin(link);
  }

  /** Until all are made; where that takes long they are made on while the link is up, or it is lost. */
  async #subscribe(link: BrokerLink): Promise<void> {
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const cancel = this.#options.clock.after(subscribeMs / this.#brokers.count, resolve);
    const made = this.#subscriptions.begin(link);
    made.catch(() => undefined);
    await Promise.race([made, late]).finally(cancel);
  }

  #up(): BrokerLink {
    if (this.#link === undefined || !this.#link.isUp) throw new NotConnected('the broker is not connected');
    return this.#link;
  }

  /** The broker will not have it; it is asked again. */
  #refuse(subscription: string, why: string): void {
    const { clock, log } = this.#options;
    log.warn(`${subscription}: ${why}`);
    const nowUs = clock.now();
    for (const tap of this.#routes.all.get(subscription)?.taps ?? []) {
      tap.error = why;
      this.#batch.none(tap.point.id, quality.bad.configurationError, nowUs);
    }
    this.#host.refuse(subscription, why);
    this.#flush();
  }

  #hear(
    topic: string,
    bytes: Buffer | undefined,
    packet: IPublishPacket,
    mayBeRetained: boolean,
  ): Promise<void> | undefined {
    const delivery = { isRetained: packet.retain, mayBeRetained, order: ++this.#messages };
    this.#browser.hear(topic, bytes);
    if (bytes !== undefined) {
      this.#payload.load(bytes);
      this.#writer.answers.hear(topic, this.#payload, packet);
      const device = this.#devices.hear(topic, this.#payload, delivery, this.#options.clock);
      if (device !== undefined) this.#turn(device);
      this.#state.hear(topic, this.#payload);
    }
    if (topic.startsWith(namespace) && !packet.retain) this.#host.hear(topic, bytes);
    if (this.#routes.of(topic).length === 0) return undefined;
    return this.#intake.offer({ topic, payload: bytes, ...delivery });
  }

  #take(message: Message): void {
    const { topic, payload } = message;
    const { clock, variables } = this.#options;
    if (payload !== undefined) this.#payload.load(payload);
    for (const route of this.#routes.of(topic)) {
      const heard = route.taps.filter((tap) =>
        payload === undefined
          ? tap.refuse(`the message has more than ${variables.maxPacketKiB} KiB`, message, clock)
          : tap.read(this.#payload, message, this.#context),
      );
      for (const tap of heard) if (tap.device?.isUp !== false) tap.put(this.#batch);
      // A retained message without anything new is not shown as the last message.
      if (heard.length > 0 || !message.isRetained) keepMessage(route, topic, payload, clock.now());
    }
    this.#flushSoon();
  }

  /** A device has come or gone. */
  #turn(device: Device): void {
    const { clock, log } = this.#options;
    const nowUs = clock.now();
    log.info(`${device.name} is ${device.isUp ? 'online' : 'offline'}`);
    for (const tap of device.taps) {
      if (device.isUp === false) this.#batch.none(tap.point.id, quality.bad.communicationFailure, nowUs);
      else if (tap.heardMs !== undefined) {
        // Its values from before it went offline are stale; its retained messages, if any, have the current ones.
        if (device.wentMs !== undefined && tap.heardMs <= device.wentMs) tap.outlive(nowUs);
        else tap.vouch(nowUs);
        tap.put(this.#batch);
      }
    }
    this.#flushSoon();
    if (device.isUp !== true || device.wentMs === undefined) return;
    for (const { settings } of device.taps) {
      if (settings !== undefined) this.#subscriptions.renew(settings.address.topic);
    }
    this.#subscriptions.changed();
  }

  #putPresent(tap: Tap): void {
    const nowUs = this.#options.clock.now();
    const isRefused = tap.settings === undefined || this.#subscriptions.refused.has(tap.settings.address.topic);
    if (isRefused) this.#batch.none(tap.point.id, quality.bad.configurationError, nowUs);
    else if (tap.device?.isUp === false) this.#batch.none(tap.point.id, quality.bad.communicationFailure, nowUs);
    else tap.put(this.#batch);
  }

  /** Looks for measurements of which nothing was heard for too long. */
  #sweep(): void {
    const { clock } = this.#options;
    const nowMs = clock.monotonicMs();
    const nowUs = clock.now();
    let shortestMs = longestSweepMs;
    for (const tap of this.#taps.values()) {
      const staleAfter = tap.settings?.staleAfter ?? 0;
      if (staleAfter === 0) continue;
      shortestMs = Math.min(shortestMs, Math.max(10, staleAfter / 4));
      if (tap.turnsStale(nowMs, nowUs) && tap.device?.isUp !== false) tap.put(this.#batch);
    }
    this.#flush();
    this.#cancelSweep = clock.after(shortestMs, () => this.#sweep());
  }

  #flushSoon(): void {
    if (this.#batch.count >= gatherCount) this.#flush();
    else this.#cancelFlush ??= this.#options.clock.after(gatherMs, () => this.#flush());
  }

  #flush(): void {
    this.#cancelFlush?.();
    this.#cancelFlush = undefined;
    const { count } = this.#batch;
    if (count > 0 && (this.#isRunning || count >= heldCount)) this.#options.publish(this.#batch);
  }

  #warnOverrun(): void {
    const { clock, log, variables } = this.#options;
    if (clock.monotonicMs() - this.#warnedMs < warnEveryMs) return;
    this.#warnedMs = clock.monotonicMs();
    log.warn(`more than ${variables.maxMessagesPerSecond} messages per second: only the newest of each topic is read`);
  }
}
