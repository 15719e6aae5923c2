// The host application's side of Sparkplug B: measurements are metrics of edge nodes, commands are sent by NCMD and DCMD.
import { type Batch, type Clock, isBad, quality, type Value } from '@telltale/schema';
import {
  type ConnectorHistory,
  type DeviceDetail,
  NotConnected,
  type ReadingTrace,
  type SourceTimes,
  type StackCommand,
  type StackLog,
  type StackPoint,
  type WriteResult,
  written,
} from '@telltale/stack-kit';
import type { BrokerLink } from '../broker-link.ts';
import type { Birth } from './birth-points.ts';
import { commandMetric } from './command-metric.ts';
import { encodePayload } from './encode-payload.ts';
import type { Metric } from './metric.ts';
import { type MetricAddress, namespace, parseMetricAddress } from './metric-address.ts';
import { locatePart } from './metric-part.ts';
import { MetricTap, type TapContext } from './metric-tap.ts';
import { type NodeEvent, NodeSession } from './node-session.ts';
import { PastMetrics } from './past-metrics.ts';

export interface HostApplicationOptions {
  readonly clock: Clock;
  readonly log: StackLog;
  readonly times: SourceTimes;
  readonly batch: Batch;
  readonly history: ConnectorHistory;
  readonly flushSoon: () => void;
  readonly mayWrite: () => boolean;
  /** How long a message that is missing may be late before a birth is asked for; 0: not at all. */
  readonly reorderTimeoutMs: number;
  /** How much older than its message a metric of data may be; 0: as old as it likes. */
  readonly maxMetricAgeMs: number;
}

/** Births are asked for at most so often, and again as long as one is wanted. */
const askPauseMs = 5000;
const askAgainMs = 10_000;
/** After its edge node, a device is born within this time, or is not there. */
const deviceBirthMs = 5000;

interface DeviceTaps {
  readonly all: MetricTap[];
  /** By the metric that they are in, as the birth of the device has it. */
  byRoot: Map<string, MetricTap[]>;
}

interface EdgeNode {
  readonly group: string;
  readonly node: string;
  readonly session: NodeSession;
  /** By device; the edge node itself is the one without a name. */
  readonly taps: Map<string, DeviceTaps>;
  sinceUs: number;
  lastError: string | undefined;
  /** Something was missed since its last birth. */
  isUnclear: boolean;
  askedMs: number;
}

export class HostApplication {
  readonly #options: HostApplicationOptions;
  readonly #context: TapContext;
  readonly #past: PastMetrics;
  #nodes = new Map<string, EdgeNode>();
  #taps = new Map<number, MetricTap>();
  #link: BrokerLink | undefined;
  #cancelAsk = () => {};
  /** By edge node: what waits for the births of its devices. */
  readonly #cancelMissing = new Map<NodeSession, () => void>();
  /** By edge node: what waits for messages that others have overtaken. */
  readonly #cancelReorder = new Map<NodeSession, () => void>();

  constructor(options: HostApplicationOptions) {
    this.#options = options;
    const { clock, times, batch, maxMetricAgeMs: maxAgeMs } = options;
    this.#past = new PastMetrics({ ...options, isServed: (owner) => this.#taps.get(owner.point.id) === owner });
    this.#context = { clock, times, batch, maxAgeMs, past: this.#past };
  }

  setPoints(measurements: readonly StackPoint[], commands: readonly StackPoint[]): void {
    const before = this.#taps;
    const known = new Map([...before.values()].map((tap) => [`${tap.point.name} ${tap.point.address}`, tap]));
    const nodes = new Map<string, EdgeNode>();
    this.#taps = new Map();
    const nodeOf = ({ group, node }: MetricAddress) => {
      const key = `${group}/${node}`;
      const session = this.#nodes.get(key) ?? {
        session: new NodeSession(),
        sinceUs: this.#options.clock.now(),
        lastError: undefined,
        isUnclear: false,
        askedMs: Number.NEGATIVE_INFINITY,
      };
      const found = nodes.get(key) ?? { ...session, group, node, taps: new Map() };
      nodes.set(key, found);
      return found;
    };
    /** Edge nodes with new points: only a birth has their values. The others need no rebirth. */
    const fresh = new Set<EdgeNode>();
    for (const point of measurements) {
      const { address } = parseMetricAddress(point.address);
      if (address === undefined) continue;
      const same = known.get(`${point.name} ${point.address}`);
      const tap = same?.point.datatype === point.datatype ? same : new MetricTap(point, address);
      tap.point = point;
      this.#taps.set(point.id, tap);
      const node = nodeOf(address);
      if (tap !== same) fresh.add(node);
      const ofDevice = node.taps.get(address.device) ?? { all: [], byRoot: new Map() };
      ofDevice.all.push(tap);
      node.taps.set(address.device, ofDevice);
    }
    for (const point of commands) {
      const { address } = parseMetricAddress(point.address);
      if (address !== undefined) nodeOf(address);
    }
    this.#nodes = nodes;
    for (const { session, taps } of nodes.values()) {
      for (const [device, ofDevice] of taps) locate(ofDevice, session.metrics(device));
    }
    if (this.#link === undefined) return;
    for (const tap of this.#taps.values()) tap.put(this.#options.batch);
    for (const node of fresh) {
      node.isUnclear = true;
      this.#ask(node);
    }
  }

  get subscriptions(): string[] {
    return Array.from(this.#nodes.values(), filterOf);
  }

  /** Of edge nodes that are there; not where something was missed since. */
  births(): Birth[] {
    const sure = [...this.#nodes.values()].filter(({ session }) => session.isBorn && !session.hasMissed);
    return sure.flatMap(({ group, node, session }) =>
      session.devices().map((device) => ({ group, node, device, metrics: [...session.metrics(device).values()] })),
    );
  }

  /** The broker will not have the subscription to an edge node: nothing will be heard of it. */
  refuse(subscription: string, why: string): void {
    const node = this.#nodes.values().find((each) => filterOf(each) === subscription);
    if (node === undefined) return;
    node.lastError = why;
    for (const tap of [...node.taps.values()].flatMap(({ all }) => all)) {
      tap.set(undefined, quality.bad.configurationError, undefined, why, this.#context);
    }
  }

  /** The subscriptions are made. What edge nodes said before is not known: they are asked for their births. */
  begin(link: BrokerLink): void {
    this.#link = link;
    this.#past.begin();
    this.#askAll();
  }

  end(): void {
    this.#link = undefined;
    this.#past.end();
    this.#cancelAsk();
    for (const cancel of [...this.#cancelMissing.values(), ...this.#cancelReorder.values()]) cancel();
    this.#cancelMissing.clear();
    this.#cancelReorder.clear();
    for (const node of this.#nodes.values()) {
      node.session.forget();
      node.askedMs = Number.NEGATIVE_INFINITY;
    }
    for (const tap of this.#taps.values()) tap.heardUs = undefined;
  }

  /** Undefined payload: it was too large. */
  hear(topic: string, payload: Buffer | undefined): void {
    const [, group, kind = '', name, device = ''] = topic.split('/');
    const node = this.#nodes.get(`${group}/${name}`);
    if (node === undefined) return;
    const { session } = node;
    try {
      if (payload === undefined) throw new RangeError('it is larger than maxPacketKiB allows');
      const events = session.hear(kind, device, payload, this.#options.reorderTimeoutMs > 0);
      for (const event of events) this.#happen(node, event);
      if (events.some((event) => event.kind !== 'early')) this.#stopWaiting(session);
      if (session.isWaiting) this.#awaitMissing(session, events);
    } catch (error) {
      session.giveUp();
      this.#unclear(node, `${topic} cannot be read: ${(error as Error).message}`);
    }
    this.#options.flushSoon();
  }

  askBirth(link: BrokerLink, group: string, node: string): void {
    const timestampMs = Math.floor(this.#options.clock.now() / 1000);
    const payload = encodePayload({
      timestampMs,
      metrics: [{ name: 'Node Control/Rebirth', timestampMs, value: true }],
    });
    link.publish(`${namespace}${group}/NCMD/${node}`, payload, { qos: 0 }).catch(() => undefined);
  }

  /** Sparkplug has no answer: a command is accepted when it was sent to an edge node that is there. */
  async write(link: BrokerLink, command: StackCommand, value: Value): Promise<WriteResult> {
    const { address, fault } = parseMetricAddress(command.address);
    if (address === undefined) return written.refused(fault);
    const { group, node: nodeName, device, metric: path } = address;
    const { session } = this.#nodes.get(`${group}/${nodeName}`) ?? {};
    if (!session?.isBorn || !session.hasDevice(device)) {
      return written.refused(`${device || nodeName} is offline: no birth was received`);
    }
    if (session.hasMissed) return written.refused(`a message of ${nodeName} was lost: waiting for its next birth`);
    const timestampMs = Math.floor(this.#options.clock.now() / 1000);
    const { metric, fault: wrong } = commandMetric(session.metrics(device), path, value, command.datatype, timestampMs);
    if (metric === undefined) return written.refused(`${device || nodeName} ${wrong}`);
    const payload = encodePayload({ timestampMs, metrics: [metric] });
    const topic = device === '' ? `${group}/NCMD/${nodeName}` : `${group}/DCMD/${nodeName}/${device}`;
    if (!this.#options.mayWrite()) return written.notPermitted;
    let published: Promise<number>;
    try {
      published = link.publish(namespace + topic, payload, { qos: 0 });
    } catch (error) {
      if (error instanceof NotConnected) return written.notSent(error.message);
      throw error;
    }
    await published;
    return written.accepted;
  }

  explain({ id }: StackPoint): ReadingTrace | undefined {
    return this.#taps.get(id)?.trace();
  }

  detail(): DeviceDetail[] {
    return Array.from(this.#nodes.values(), ({ group, node, session, sinceUs, lastError }) => ({
      name: `${group}/${node}`,
      isUp: session.isBorn,
      sinceUs,
      lastError,
    }));
  }

  #happen(node: EdgeNode, event: NodeEvent): void {
    if (event.kind === 'unclear') this.#unclear(node, event.reason);
    else if (event.kind === 'dead') this.#die(node, event.device, event.sentMs);
    else if (event.kind === 'born') this.#bear(node, event.device, event.metrics, event.sentMs);
    else if (event.kind === 'data') {
      const { byRoot } = node.taps.get(event.device) ?? {};
      for (const metric of byRoot === undefined ? [] : event.metrics) {
        const { name = '' } = metric;
        for (const tap of byRoot?.get(name) ?? []) {
          // Only parts need the type: a whole value was read by it.
          const type = tap.located?.rest === '' ? undefined : node.session.metric(event.device, name)?.type;
          tap.read(metric, type, event, this.#context);
        }
      }
    }
  }

  #bear(node: EdgeNode, device: string, metrics: readonly Metric[], sentMs: number | undefined): void {
    if (device === '') {
      node.sinceUs = this.#options.clock.now();
      node.isUnclear = false;
      this.#expectDevices(node.session);
    }
    const taps = node.taps.get(device);
    if (taps === undefined) return;
    locate(taps, node.session.metrics(device));
    const message = { kind: 'born', sentMs } as const;
    for (const metric of metrics) {
      for (const tap of taps.byRoot.get(metric.name ?? '') ?? []) tap.read(metric, metric.type, message, this.#context);
    }
    for (const tap of taps.all) {
      if (tap.located !== undefined) continue;
      tap.set(undefined, quality.bad.configurationError, undefined, 'its birth has no such metric', this.#context);
    }
  }

  /** The death of a device has the time at which it was lost; that of an edge node was written before it lived. */
  #die(node: EdgeNode, dead: string, sentMs: number | undefined): void {
    const { clock, times } = this.#options;
    if (dead === '') {
      node.sinceUs = clock.now();
      node.lastError = 'it has said that it is dead';
    } else if (sentMs !== undefined) times.judge(sentMs * 1000, undefined, quality.bad.communicationFailure);
    const timeUs = dead === '' || sentMs === undefined ? undefined : times.timeUs;
    for (const [device, { all }] of node.taps) {
      if (dead !== '' && dead !== device) continue;
      for (const tap of all) {
        tap.set(undefined, quality.bad.communicationFailure, timeUs, `${device || node.node} is dead`, this.#context);
      }
    }
  }

  /** With the birth of an edge node those of its devices before it count no longer: each has to be born as well. */
  #expectDevices(session: NodeSession): void {
    const { clock, flushSoon } = this.#options;
    this.#cancelMissing.get(session)?.();
    const cancel = clock.after(deviceBirthMs, () => {
      this.#cancelMissing.delete(session);
      for (const [device, { all }] of this.#nodeOf(session)?.taps ?? []) {
        if (session.hasDevice(device)) continue;
        const error = `${device} was not born`;
        for (const tap of all) {
          tap.set(undefined, quality.bad.communicationFailure, undefined, error, this.#context);
        }
      }
      flushSoon();
    });
    this.#cancelMissing.set(session, cancel);
  }

  /** From the first message that came too early on. */
  #awaitMissing(session: NodeSession, events: readonly NodeEvent[]): void {
    if (this.#cancelReorder.has(session)) return;
    const { clock, reorderTimeoutMs, flushSoon } = this.#options;
    const reason = events.find((event) => event.kind === 'early')?.reason ?? 'a message is missing';
    const cancel = clock.after(reorderTimeoutMs, () => {
      this.#cancelReorder.delete(session);
      const node = this.#nodeOf(session);
      if (node === undefined || !session.isWaiting) return;
      session.giveUp();
      this.#unclear(node, reason);
      flushSoon();
    });
    this.#cancelReorder.set(session, cancel);
  }

  #stopWaiting(session: NodeSession): void {
    this.#cancelReorder.get(session)?.();
    this.#cancelReorder.delete(session);
  }

  /** Something was missed: until the next birth nothing of the edge node is sure. */
  #unclear(node: EdgeNode, reason: string): void {
    const { log } = this.#options;
    if (node.session.isBorn) log.warn(`${node.group}/${node.node}: ${reason}; requesting a rebirth`);
    node.lastError = reason;
    node.isUnclear = true;
    for (const tap of [...node.taps.values()].flatMap(({ all }) => all)) {
      if (tap.value === undefined || tap.heardUs === undefined) continue;
      const own = isBad(tap.quality) ? tap.quality : quality.uncertain.lastUsableValue;
      tap.set(tap.value, own, undefined, reason, this.#context);
    }
    this.#ask(node);
  }

  #ask(edgeNode: EdgeNode): void {
    const { clock } = this.#options;
    const { group, node } = edgeNode;
    const nowMs = clock.monotonicMs();
    if (!this.#link?.isUp || nowMs - edgeNode.askedMs < askPauseMs) return;
    edgeNode.askedMs = nowMs;
    edgeNode.session.expectBirth();
    this.askBirth(this.#link, group, node);
  }

  #askAll(): void {
    for (const node of this.#nodes.values()) if (!node.session.isBorn || node.isUnclear) this.#ask(node);
    this.#cancelAsk();
    this.#cancelAsk = this.#options.clock.after(askAgainMs, () => this.#askAll());
  }

  #nodeOf(session: NodeSession): EdgeNode | undefined {
    return this.#nodes.values().find((each) => each.session === session);
  }
}

function filterOf({ group, node }: EdgeNode): string {
  return `${namespace}${group}/+/${node}/#`;
}

/** Where in the birth the points of a device are. */
function locate(taps: DeviceTaps, metrics: ReadonlyMap<string, Metric>): void {
  taps.byRoot = new Map();
  for (const tap of taps.all) {
    tap.located = locatePart(metrics, tap.address.metric);
    if (tap.located === undefined) continue;
    const { root } = tap.located;
    const beside = taps.byRoot.get(root);
    if (beside === undefined) taps.byRoot.set(root, [tap]);
    else beside.push(tap);
  }
}
