// The host application's side of Sparkplug B: measurements are metrics of edge nodes, commands are sent by NCMD and DCMD.
import { type Batch, type Clock, fitValue, isBad, quality, type Value } from '@telltale/schema';
import {
  type DeviceDetail,
  type ReadingTrace,
  Refused,
  type SourceTimes,
  type StackCommand,
  type StackLog,
  type StackPoint,
} from '@telltale/stack-kit';
import type { BrokerLink } from '../broker-link.ts';
import { type MetricAddress, namespace, parseMetricAddress } from './metric-address.ts';
import { fitType } from './metric-type.ts';
import { type NodeEvent, NodeSession } from './node-session.ts';
import { encodePayload, type Metric, metricQuality, metricType, typeOfDatatype } from './payload.ts';

export interface HostApplicationOptions {
  readonly clock: Clock;
  readonly log: StackLog;
  readonly times: SourceTimes;
  readonly batch: Batch;
  readonly flushSoon: () => void;
}

/** Births are asked for at most so often, and again as long as one is wanted. */
const askPauseMs = 5000;
const askAgainMs = 10_000;
/** After its edge node, a device is born within this time, or is not there. */
const deviceBirthMs = 5000;

interface MetricTap {
  point: StackPoint;
  readonly address: MetricAddress;
  metric: Metric | undefined;
  value: Value | undefined;
  quality: number;
  timeUs: number;
  heardUs: number | undefined;
  error: string | undefined;
}

interface EdgeNode {
  readonly group: string;
  readonly node: string;
  readonly session: NodeSession;
  /** By device and metric. */
  readonly taps: Map<string, Map<string, MetricTap[]>>;
  sinceUs: number;
  lastError: string | undefined;
  /** Something was missed since its last birth. */
  isUnclear: boolean;
  askedMs: number;
}

export class HostApplication {
  readonly #options: HostApplicationOptions;
  #nodes = new Map<string, EdgeNode>();
  #taps = new Map<number, MetricTap>();
  #link: BrokerLink | undefined;
  #cancelAsk = () => {};
  /** By edge node: what waits for the births of its devices. */
  readonly #cancelMissing = new Map<NodeSession, () => void>();

  constructor(options: HostApplicationOptions) {
    this.#options = options;
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
      const tap = same?.point.datatype === point.datatype ? same : emptyTap(point, address);
      tap.point = point;
      this.#taps.set(point.id, tap);
      const node = nodeOf(address);
      if (tap !== same) fresh.add(node);
      const { taps } = node;
      const ofDevice = taps.get(address.device) ?? new Map<string, MetricTap[]>();
      taps.set(address.device, ofDevice.set(address.metric, [...(ofDevice.get(address.metric) ?? []), tap]));
    }
    for (const point of commands) {
      const { address } = parseMetricAddress(point.address);
      if (address !== undefined) nodeOf(address);
    }
    this.#nodes = nodes;
    if (this.#link === undefined) return;
    for (const tap of this.#taps.values()) this.#put(tap);
    for (const node of fresh) {
      node.isUnclear = true;
      this.#ask(node);
    }
  }

  get subscriptions(): string[] {
    return Array.from(this.#nodes.values(), ({ group, node }) => `${namespace}${group}/+/${node}/#`);
  }

  /** The subscriptions are made. What edge nodes said before is not known: they are asked for their births. */
  begin(link: BrokerLink): void {
    this.#link = link;
    this.#askAll();
  }

  end(): void {
    this.#link = undefined;
    this.#cancelAsk();
    for (const cancel of this.#cancelMissing.values()) cancel();
    this.#cancelMissing.clear();
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
    try {
      if (payload === undefined) throw new RangeError('it is larger than maxPacketKiB allows');
      const event = node.session.hear(kind, device, payload);
      if (event !== undefined) this.#happen(node, event);
    } catch (error) {
      node.session.hasMissed = true;
      this.#unclear(node, `${topic} cannot be read: ${(error as Error).message}`);
    }
    this.#options.flushSoon();
  }

  askBirth(link: BrokerLink, group: string, node: string): void {
    const timestampMs = Math.floor(this.#options.clock.now() / 1000);
    const metric: Metric = { name: 'Node Control/Rebirth', timestampMs, type: metricType.boolean, value: true };
    const payload = encodePayload({ timestampMs, metrics: [metric] });
    link.publish(`${namespace}${group}/NCMD/${node}`, payload, { qos: 0 }).catch(() => undefined);
  }

  /** Sparkplug has no answer: a command is accepted when it was sent to an edge node that is there. */
  async write(link: BrokerLink, command: StackCommand, value: Value): Promise<void> {
    const { address, fault } = parseMetricAddress(command.address);
    if (address === undefined) throw new Refused(fault);
    const { group, node: nodeName, device, metric: name } = address;
    const node = this.#nodes.get(`${group}/${nodeName}`);
    if (!node?.session.isBorn || !node.session.hasDevice(device)) {
      throw new Refused(`${device || nodeName} is offline: no birth was received`);
    }
    const born = node.session.metric(device, name);
    if (born === undefined) throw new Refused(`${device || nodeName} has no metric ${name}`);
    if (node.session.hasMissed) throw new Refused(`a message of ${nodeName} was lost: waiting for its next birth`);
    // As it was born: what an edge node makes of another type is anybody's guess.
    const type = born.type ?? typeOfDatatype(command.datatype);
    const fitted = fitType(type, value);
    if (fitted === undefined) throw new Refused(`the value does not fit the metric, which is of type ${type}`);
    const isShort = type === metricType.uint32 && !born.isLong;
    const timestampMs = Math.floor(this.#options.clock.now() / 1000);
    // By name and, where it has one, alias: there are edge nodes that look at one of them alone.
    const metric = { name, alias: born.alias, timestampMs, type, value: isShort ? Number(fitted) : fitted };
    const payload = encodePayload({ timestampMs, metrics: [metric] });
    const topic = device === '' ? `${group}/NCMD/${nodeName}` : `${group}/DCMD/${nodeName}/${device}`;
    await link.publish(namespace + topic, payload, { qos: 0 });
  }

  explain({ id }: StackPoint): ReadingTrace | undefined {
    const tap = this.#taps.get(id);
    if (tap?.heardUs === undefined) return undefined;
    const { address, metric, value, error } = tap;
    return {
      timeUs: tap.heardUs,
      request: `metric ${address.metric} of ${address.group}/${address.node}${address.device && `/${address.device}`}`,
      raw: metric === undefined ? undefined : String(metric.value ?? 'null').slice(0, 1024),
      value,
      error,
      device: address.device || address.node,
      scanPeriodMs: undefined,
    };
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
    const nowUs = this.#options.clock.now();
    if (event.kind === 'unclear') this.#unclear(node, event.reason);
    else if (event.kind === 'dead') {
      if (event.device === '') {
        node.sinceUs = nowUs;
        node.lastError = 'it has said that it is dead';
      }
      for (const [device, taps] of node.taps) {
        if (event.device !== '' && event.device !== device) continue;
        for (const tap of [...taps.values()].flat()) {
          this.#set(tap, undefined, quality.bad.communicationFailure, nowUs, `${device || node.node} is dead`);
        }
      }
    } else {
      if (event.kind === 'born' && event.device === '') {
        node.sinceUs = nowUs;
        node.isUnclear = false;
        this.#expectDevices(node.session);
      }
      for (const [name, taps] of node.taps.get(event.device) ?? []) {
        const metric = event.metrics.get(name);
        for (const tap of taps) {
          if (metric !== undefined) this.#read(tap, metric, event.sentMs, nowUs);
          else if (event.kind === 'born') {
            this.#set(tap, undefined, quality.bad.configurationError, nowUs, 'its birth has no such metric');
          }
        }
      }
    }
  }

  /** With the birth of an edge node those of its devices before it count no longer: each has to be born as well. */
  #expectDevices(session: NodeSession): void {
    const { clock, flushSoon } = this.#options;
    this.#cancelMissing.get(session)?.();
    const cancel = clock.after(deviceBirthMs, () => {
      this.#cancelMissing.delete(session);
      const node = this.#nodes.values().find((each) => each.session === session);
      for (const [device, taps] of node?.taps ?? []) {
        if (session.hasDevice(device)) continue;
        for (const tap of [...taps.values()].flat()) {
          this.#set(tap, undefined, quality.bad.communicationFailure, clock.now(), `${device} was not born`);
        }
      }
      flushSoon();
    });
    this.#cancelMissing.set(session, cancel);
  }

  #read(tap: MetricTap, metric: Metric, sentMs: number | undefined, nowUs: number): void {
    tap.metric = metric;
    const value = metric.value === undefined ? undefined : fitValue(tap.point.datatype, metric.value);
    if (value === undefined) {
      const error = metric.value === undefined ? 'it has no value' : `it does not fit datatype ${tap.point.datatype}`;
      this.#set(tap, undefined, quality.bad.sensorFailure, nowUs, error);
      return;
    }
    const { times } = this.#options;
    const takenMs = metric.timestampMs ?? sentMs;
    if (takenMs === undefined) this.#set(tap, value, qualityOf(metric.quality), nowUs, undefined);
    else {
      times.judge(takenMs * 1000, sentMs === undefined ? undefined : sentMs * 1000, qualityOf(metric.quality));
      this.#set(tap, value, times.quality, times.timeUs, undefined);
    }
  }

  /** Something was missed: until the next birth nothing of the edge node is sure. */
  #unclear(node: EdgeNode, reason: string): void {
    const { log, clock } = this.#options;
    const nowUs = clock.now();
    if (node.session.isBorn) log.warn(`${node.group}/${node.node}: ${reason}; requesting a rebirth`);
    node.lastError = reason;
    node.isUnclear = true;
    for (const tap of [...node.taps.values()].flatMap((taps) => [...taps.values()].flat())) {
      if (tap.value === undefined || tap.heardUs === undefined) continue;
      const own = isBad(tap.quality) ? tap.quality : quality.uncertain.lastUsableValue;
      this.#set(tap, tap.value, own, nowUs, reason);
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

  #set(tap: MetricTap, value: Value | undefined, own: number, timeUs: number, error: string | undefined): void {
    tap.value = value;
    tap.quality = own;
    tap.timeUs = timeUs;
    tap.heardUs = this.#options.clock.now();
    tap.error = error;
    this.#put(tap);
  }

  #put({ point, value, quality: own, timeUs, heardUs }: MetricTap): void {
    if (heardUs === undefined) return;
    if (value === undefined) this.#options.batch.none(point.id, own, timeUs);
    else this.#options.batch.value(point.id, value, own, timeUs);
  }
}

function emptyTap(point: StackPoint, address: MetricAddress): MetricTap {
  const none = { metric: undefined, value: undefined, heardUs: undefined, error: undefined };
  return { point, address, quality: 0, timeUs: 0, ...none };
}

/** Sparkplug has three; others that are met are an OPC quality, or not to be trusted. */
function qualityOf(own: number | undefined): number {
  if (own === undefined || own === metricQuality.good) return quality.good;
  if (own === metricQuality.stale) return quality.uncertain.lastUsableValue;
  return own >= 0 && own < 0x80 ? own : quality.uncertain.nonSpecific;
}
