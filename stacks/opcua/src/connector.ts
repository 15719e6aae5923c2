// The connector: a client of one server, whose values come by subscription, and by reads where the server monitors no
// more. A lost link is not repaired: the host reconnects, and all subscriptions are created again.
import { Batch, onAbort, pause, quality, untilAborted, type Value } from '@telltale/schema';
import {
  BackOff,
  type BrowseAnswer,
  type BrowseRequest,
  type Connector,
  type ConnectorOptions,
  type DeviceAlarm,
  type InstanceDetail,
  NotConnected,
  Poller,
  type ReadingTrace,
  Refused,
  SourceTimes,
  type StackCommand,
  type StackPoint,
  type StackPoints,
  type WriteResult,
  written,
} from '@telltale/stack-kit';
import { AttributeIds, ReadRequest, type ReadResponse, TimestampsToReturn } from 'node-opcua-client';
import { Backfill } from './backfill.ts';
import { BadReadings } from './bad-readings.ts';
import { browse } from './browse.ts';
import { applicationUriOf } from './certificate-folder.ts';
import { Conditions } from './conditions.ts';
import { type ItemSettings, parseDeadband } from './item-settings.ts';
import { ItemTable } from './item-table.ts';
import { type NodeItem, type Readings, republish, traceOf } from './node-item.ts';
import { readItems } from './node-reader.ts';
import { NodeWriter } from './node-writer.ts';
import { type Health, healthOf, ServerList } from './server-list.ts';
import { ServiceFault, Unanswered } from './service-fault.ts';
import { Subscriptions } from './subscriptions.ts';
import { UaLink } from './ua-link.ts';
import { type ConnectorVariables, endpointsOf } from './variables.ts';

export function createConnector(options: ConnectorOptions<ConnectorVariables>): Connector {
  return new UaConnector(options);
}

/** Nodes that the server did not know are asked for again. */
const retryMs = 60_000;
/** ServerState and ServiceLevel. */
const healthNodes = [2259, 2267].map((id) => ({ nodeId: `ns=0;i=${id}`, attributeId: AttributeIds.Value }));
/** Where another server can take over, silence is not waited for as long: with a look every second, it is noticed within 3 s. */
const aliveMs = 2000;
/** Before the next server is tried. */
const failoverMs = 500;

interface Polled {
  readonly points: readonly StackPoint[];
  readonly items: readonly NodeItem[];
}

class UaConnector implements Connector {
  readonly #options: ConnectorOptions<ConnectorVariables>;
  readonly #sourceTimes: SourceTimes;
  readonly #badReadings: BadReadings;
  readonly #backfill: Backfill;
  readonly #settings: ItemSettings;
  #points: StackPoints = { measurements: [], commands: [] };
  readonly #items: ItemTable;
  readonly #servers: ServerList;
  #health: Health = 'healthy';
  readonly #conditions: Conditions;
  #link: UaLink | undefined;
  #writer: NodeWriter | undefined;
  #subscriptions: Subscriptions | undefined;
  #poller: Poller<Polled> | undefined;
  #polled = new Set<NodeItem>();
  /** Ends the wait for the next change of the points. */
  #wake = () => {};

  constructor(options: ConnectorOptions<ConnectorVariables>) {
    this.#options = options;
    const { clock, maxClockSkewMs, variables, log } = options;
    this.#sourceTimes = new SourceTimes({ clock, maxSkewMs: maxClockSkewMs });
    this.#badReadings = new BadReadings(clock, log);
    const { backfill, backfillMaxHours: maxHours } = variables;
    this.#backfill = new Backfill({ ...options, isOn: backfill === 'auto', maxHours });
    this.#settings = { ...variables, deadband: parseDeadband(variables.deviceDeadband) };
    this.#items = new ItemTable(this.#settings);
    this.#servers = new ServerList(endpointsOf(variables), clock);
    this.#conditions = new Conditions(options);
  }

  setPoints(points: StackPoints): void {
    this.#points = points;
    const isServed = this.#subscriptions !== undefined;
    if (isServed && this.#link !== undefined) this.#follow(this.#link);
    this.#wake();
  }

  setAlarms(alarms: readonly DeviceAlarm[]): void {
    this.#conditions.setAlarms(alarms);
  }

  async connect(signal: AbortSignal): Promise<void> {
    const { name, variables, folder, clock, meter, log, mayWrite } = this.#options;
    const applicationUri = applicationUriOf(variables.applicationUri, name);
    const options = { name, variables, applicationUri, folder, clock, meter, log, mayWrite };
    this.#link = await this.#servers.connect(
      signal,
      (endpointUrl, attempt) => UaLink.open({ ...options, endpointUrl }, attempt),
      async (link) => {
        this.#health = await this.#look(link);
        return this.#health;
      },
    );
    this.#writer = new NodeWriter(this.#link);
    await this.#backfill.look(this.#points.measurements);
  }

  async run(signal: AbortSignal): Promise<void> {
    const link = this.#link;
    if (link === undefined) throw new NotConnected('there is no link');
    const { clock, log, variables, publish } = this.#options;
    const ended = new AbortController();
    const end = () => ended.abort();
    const stopListening = onAbort(signal, end);
    const subscriptions = new Subscriptions({
      link,
      settings: this.#settings,
      sessionTimeoutMs: variables.sessionTimeoutMs,
      clock,
      log,
      sourceTimes: this.#sourceTimes,
      badReadings: this.#badReadings,
      publish,
      onGap: (items) => this.#readAgain(link, items),
    });
    this.#subscriptions = subscriptions;
    const poller = this.#newPoller(link);
    this.#poller = poller;
    const tasks = [
      untilAborted(ended.signal, this.#whileAlive(link, ended.signal)),
      untilAborted(ended.signal, this.#serve(link, subscriptions, poller, ended.signal)),
      untilAborted(ended.signal, poller.run(ended.signal)),
      untilAborted(
        ended.signal,
        link.types.run(ended.signal, () => this.#republishParts()),
      ),
      untilAborted(ended.signal, this.#conditions.run(link, subscriptions, ended.signal)),
      untilAborted(
        ended.signal,
        this.#backfill.run(link, () => this.#items.all, ended.signal),
      ),
      untilAborted(ended.signal, subscriptions.lost),
      untilAborted(ended.signal, link.lost).then((reason) => {
        if (reason !== undefined) throw new NotConnected(reason);
      }),
    ];
    try {
      await Promise.all(tasks);
    } catch (error) {
      if (!signal.aborted) throw this.#leave(link, lossOf(error));
    } finally {
      stopListening();
      end();
      subscriptions.close();
      await Promise.allSettled(tasks);
    }
  }

  async write(command: StackCommand, value: Value, signal: AbortSignal): Promise<WriteResult> {
    return this.#writer?.write(command, value, signal) ?? written.notSent('there is no link');
  }

  acknowledge(alarm: DeviceAlarm, authority: string): Promise<WriteResult> {
    return this.#conditions.acknowledge(alarm, authority);
  }

  async close(): Promise<void> {
    const link = this.#link;
    this.#link = undefined;
    this.#writer = undefined;
    this.#subscriptions = undefined;
    this.#poller = undefined;
    this.#polled = new Set();
    this.#items.clear();
    await link?.close();
    await this.#backfill.close();
  }

  /** Where there is another server, it is tried soon. */
  #leave(link: UaLink, loss: unknown): unknown {
    const reason = loss instanceof Error ? loss.message : String(loss);
    this.#servers.lost(reason);
    if (!this.#servers.isRedundant || !(loss instanceof NotConnected)) return loss;
    link.abandon(reason);
    return new BackOff(failoverMs, reason);
  }

  detail(): InstanceDetail {
    const scanGroups = this.#polled.size === 0 ? undefined : this.#poller?.detail().scanGroups;
    const devices = this.#servers.detail();
    return { ...(scanGroups && { scanGroups }), ...(devices.length > 0 && { devices }) };
  }

  explain(measurement: StackPoint): ReadingTrace | undefined {
    const item = this.#items.get(measurement.id);
    if (item === undefined) return undefined;
    const device = this.#servers.isRedundant ? this.#servers.used : undefined;
    return this.#polled.has(item)
      ? traceOf(item, 'read of', this.#poller?.groupOf(measurement), device)
      : traceOf(item, 'monitored item', undefined, device);
  }

  async browse(request: BrowseRequest, signal: AbortSignal): Promise<BrowseAnswer> {
    if (this.#link === undefined) throw new Refused('there is no link to the server');
    return browse(this.#link, request, signal);
  }

  /** Looks at the server again and again: a link on which nothing comes back is lost. */
  async #whileAlive(link: UaLink, signal: AbortSignal): Promise<void> {
    const { clock, variables } = this.#options;
    while (!signal.aborted) {
      const health = await this.#look(link);
      const isWorse = health === 'unusable' || (health === 'degraded' && this.#health === 'healthy');
      if (this.#servers.isRedundant && isWorse) {
        throw new NotConnected(`the server says that it is ${health}, by its ServerState or ServiceLevel`);
      }
      this.#health = health;
      this.#subscriptions?.check();
      this.#badReadings.flush();
      await pause(clock, variables.keepAliveMs, signal);
    }
  }

  /** Throws where the server is silent. */
  async #look(link: UaLink): Promise<Health> {
    const { timeoutMs } = this.#options.variables;
    const limitMs = this.#servers.isRedundant ? Math.min(timeoutMs, aliveMs) : timeoutMs;
    const timestampsToReturn = TimestampsToReturn.Neither;
    const request = new ReadRequest({ nodesToRead: healthNodes, timestampsToReturn, maxAge: 0 });
    const { results } = await link.transact<ReadResponse>(request, limitMs);
    const [state, level] = results?.map(({ value }) => value?.value as unknown) ?? [];
    return healthOf(state, level);
  }

  /** Has all measurements monitored or read; when they change, unchanged ones are only published again. */
  async #serve(link: UaLink, subscriptions: Subscriptions, poller: Poller<Polled>, signal: AbortSignal): Promise<void> {
    const { clock, variables } = this.#options;
    this.#follow(link);
    while (!signal.aborted) {
      const points = this.#points;
      const items = this.#items.all;
      this.#republish(items);
      const known = items.filter(({ node }) => node !== undefined);
      const polled = variables.subscriptions ? await subscriptions.follow(known) : known;
      this.#polled = new Set(polled);
      poller.setPoints(polled.map(({ point }) => point));
      await this.#writer?.learn(points.commands, variables.itemsAtOnce);
      while (this.#points === points && !signal.aborted) {
        const { promise, resolve } = Promise.withResolvers<void>();
        this.#wake = resolve;
        const cancel = clock.after(retryMs, resolve);
        await untilAborted(signal, promise);
        cancel();
        if (this.#points !== points || signal.aborted) break;
        if (link.types.forgetFailures()) this.#republishParts();
        if ((await subscriptions.retry()) || (await this.#findNodes(link))) break;
      }
    }
  }

  #follow({ namespaces, types }: UaLink): void {
    this.#items.follow(this.#points.measurements, namespaces, types);
  }

  /** Whether addresses that meant nothing at this server may mean something now. */
  async #findNodes(link: UaLink): Promise<boolean> {
    if (this.#items.all.every(({ node }) => node !== undefined)) return false;
    const known = link.namespaces.length;
    await link.getToKnow();
    if (link.namespaces.length === known) return false;
    this.#follow(link);
    return true;
  }

  /** What is known of them already: the last readings, and addresses that mean nothing at this server. */
  #republish(items: readonly NodeItem[]): void {
    const { clock, publish } = this.#options;
    const batch = new Batch();
    for (const item of items) {
      if (item.node === undefined) {
        batch.none(item.point.id, quality.bad.configurationError, clock.now());
        if (item.error !== undefined) this.#badReadings.note(item.point.name, item.error);
      } else if (!this.#polled.has(item)) republish(item, batch);
    }
    if (batch.count > 0) publish(batch);
  }

  /** Of structures, when more is known of their types. */
  #republishParts(): void {
    this.#republish(this.#items.all.filter(({ path }) => path.length > 0));
  }

  async #readAgain(link: UaLink, items: readonly NodeItem[]): Promise<void> {
    const { publish, variables } = this.#options;
    for (let at = 0; at < items.length; at += variables.itemsAtOnce) {
      const batch = new Batch();
      const slice = items.slice(at, at + variables.itemsAtOnce);
      await readItems(link, slice, this.#readings(batch));
      publish(batch);
    }
  }

  #readings(batch: Batch): Readings {
    return {
      batch,
      clock: this.#options.clock,
      sourceTimes: this.#sourceTimes,
      badReadings: this.#badReadings,
    };
  }

  #newPoller(link: UaLink): Poller<Polled> {
    const { clock, meter, log, publish, reconnectMaxMs, variables } = this.#options;
    // The link counts its requests itself.
    const uncounted = { answered: () => undefined, failed: () => undefined, overrun: () => meter.overrun() };
    return new Poller<Polled>({
      clock,
      meter: uncounted,
      log,
      publish,
      reconnectMaxMs,
      scanPeriodMs: variables.scanPeriodMs,
      deviceOf: () => this.#servers.used ?? variables.endpointUrl,
      plan: (points) => {
        const requests: Polled[] = [];
        for (let at = 0; at < points.length; at += variables.itemsAtOnce) {
          const slice = points.slice(at, at + variables.itemsAtOnce);
          const items = slice.flatMap(({ id }) => this.#items.get(id) ?? []);
          requests.push({ points: items.map(({ point }) => point), items });
        }
        return requests;
      },
      read: ({ items }, batch) => readItems(link, items, this.#readings(batch)),
    });
  }
}

function lossOf(error: unknown): unknown {
  return error instanceof Unanswered || error instanceof ServiceFault ? new NotConnected(error.message) : error;
}
