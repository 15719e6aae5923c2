// Measurements that the server reports by itself: one subscription a publishing interval. When the measurements change,
// what stays is not touched. What the server refuses turns bad alone, or is handed back to be read. Events have a
// subscription of their own.
import { Batch, type Clock, quality } from '@telltale/schema';
import type { SourceTimes, StackLog } from '@telltale/stack-kit';
import {
  CreateSubscriptionRequest,
  type CreateSubscriptionResponse,
  DataChangeNotification,
  DeleteSubscriptionsRequest,
  EventNotificationList,
  type StatusCode,
  StatusCodes,
} from 'node-opcua-client';
import type { BadReadings } from './bad-readings.ts';
import { createItems, deleteItems, fullStatuses, type ItemResult } from './item-requests.ts';
import { type ItemSettings, settingsOf } from './item-settings.ts';
import { adopt, type NodeItem, type Readings, takeReading, takeRefusal } from './node-item.ts';
import { type Hearer, type NotificationData, Notifications } from './notifications.ts';
import { isOneOf, unlessRefused } from './service-fault.ts';
import { hasOverflown, qualityOfStatus } from './status-quality.ts';
import type { UaLink } from './ua-link.ts';

export interface SubscriptionsOptions {
  readonly link: UaLink;
  readonly settings: ItemSettings;
  readonly sessionTimeoutMs: number;
  readonly clock: Clock;
  readonly log: StackLog;
  readonly sourceTimes: SourceTimes;
  readonly badReadings: BadReadings;
  readonly publish: (batch: Batch) => void;
  /** Notifications were lost: reads the current values. If it rejects, they are unknown: the link is lost. */
  readonly onGap: (items: readonly NodeItem[]) => Promise<void>;
}

/** Hears events, and undefined where some were lost. `deviceNowUs`: what the server's clock said when it sent them. */
export type EventListener = (events: EventNotificationList | undefined, deviceNowUs: number | undefined) => void;

interface Group {
  readonly id: number;
  readonly intervalMs: number;
  /** By their client handles. */
  readonly monitored: Map<number, MonitoredNode>;
  /** Of items that are parts of a value, by node and settings: one is monitored for all of them. */
  readonly shared: Map<string, MonitoredNode>;
}

/** Where items are monitored, or would be if the server took it. */
interface MonitoredNode {
  readonly group: Group;
  readonly clientHandle: number;
  /** One, or all that are parts of the value. */
  readonly items: Set<NodeItem>;
  readonly sharedAs: string | undefined;
  /** As the server calls it; undefined: it has not taken it. */
  monitoredItemId: number | undefined;
}

/** A word of life at least this often, where the publishing interval is not longer. */
const keepAliveMs = 1500;
const notificationsAtOnce = 10_000;

const goneStatuses: readonly StatusCode[] = [StatusCodes.BadNodeIdUnknown, StatusCodes.BadNodeIdInvalid];

export class Subscriptions {
  readonly #options: SubscriptionsOptions;
  readonly #groups = new Map<number, Group>();
  readonly #nodes = new Map<NodeItem, MonitoredNode>();
  /** The server has no room for them. */
  readonly #unmonitored = new Set<NodeItem>();
  readonly #readings: Readings;
  readonly #notifications: Notifications;
  /** Never reused, so that late notifications of a deleted item are ignored. */
  #nextHandle = 0;
  #isClosed = false;
  #isOverflowReported = false;

  constructor(options: SubscriptionsOptions) {
    this.#options = options;
    const { link, clock, sourceTimes, badReadings } = options;
    this.#readings = { batch: new Batch(), clock, sourceTimes, badReadings };
    this.#notifications = new Notifications(link, clock);
  }

  /** Rejects with `NotConnected` when the subscriptions are lost; never resolves. */
  get lost(): Promise<never> {
    return this.#notifications.lost;
  }

  /** From now on nothing is published any more. */
  close(): void {
    this.#isClosed = true;
    this.#notifications.close();
  }

  /** Monitors these and no others; returns those to be read instead. Not to be called again before it has ended. */
  async follow(items: readonly NodeItem[]): Promise<NodeItem[]> {
    const wanted = new Set(items);
    for (const item of this.#unmonitored) if (!wanted.has(item)) this.#unmonitored.delete(item);
    const gone = [...this.#nodes.keys()].filter((item) => !wanted.has(item));
    // Where so many go, there may be room for as many.
    for (const item of [...this.#unmonitored].slice(0, gone.length)) this.#unmonitored.delete(item);
    const added = Map.groupBy(
      items.filter((item) => !this.#nodes.has(item) && !this.#unmonitored.has(item)),
      ({ point }) => settingsOf(point.properties, this.#options.settings).publishingIntervalMs,
    );
    await this.#remove(gone, added);
    for (const [intervalMs, some] of added) await this.#add(intervalMs, some);
    await this.#endEmpty(new Map());
    return items.filter((item) => this.#unmonitored.has(item));
  }

  /**
   * Tries those again that the server did not take, and those whose node it had taken away: a node may have come
   * meanwhile, of which an item that was made before it need not know. Returns whether some are to be read instead now.
   */
  async retry(): Promise<boolean> {
    const before = this.#unmonitored.size;
    const nodeless = [...this.#nodes.keys()].filter((item) => item.isRefused || isNodeGone(item));
    const monitored = new Set(nodeless.flatMap((item) => this.#nodes.get(item) ?? []));
    for (const [group, some] of Map.groupBy(monitored, (each) => each.group)) {
      const made = some.flatMap(({ monitoredItemId }) => monitoredItemId ?? []);
      for (const each of some) each.monitoredItemId = undefined;
      await deleteItems(this.#options.link, group.id, made);
      await this.#monitor(group, some);
    }
    return this.#unmonitored.size > before;
  }

  /** A subscription to events, by its id; or why the server makes none. */
  async listen(intervalMs: number, listener: EventListener): Promise<number | string> {
    const made = await this.#subscribe(intervalMs);
    if (typeof made === 'string') return made;
    this.#notifications.begin(made, {
      hearGap: (_lost, deviceNowUs) => listener(undefined, deviceNowUs),
      hear: (data, deviceNowUs) => {
        for (const each of data) if (each instanceof EventNotificationList) listener(each, deviceNowUs);
      },
    });
    return made.subscriptionId;
  }

  /** What is silent for too long is lost. */
  check(): void {
    this.#notifications.check();
  }

  /** A subscription that has none left goes with them, unless some are to be added to it. */
  async #remove(items: readonly NodeItem[], added: ReadonlyMap<number, unknown>): Promise<void> {
    const ended = items.flatMap((item) => this.#forget(item) ?? []);
    await this.#endEmpty(added);
    for (const [{ id }, some] of Map.groupBy(ended, ({ group }) => group)) {
      const monitoredItemIds = some.flatMap(({ monitoredItemId }) => monitoredItemId ?? []);
      if (this.#groups.has(id)) await deleteItems(this.#options.link, id, monitoredItemIds);
    }
  }

  async #endEmpty(added: ReadonlyMap<number, unknown>): Promise<void> {
    const subscriptionIds: number[] = [];
    for (const { id, intervalMs, monitored } of this.#groups.values()) {
      if (monitored.size === 0 && !added.has(intervalMs)) subscriptionIds.push(id);
    }
    if (subscriptionIds.length === 0) return;
    for (const id of subscriptionIds) this.#groups.delete(id);
    this.#notifications.end(subscriptionIds);
    const answer = this.#options.link.transact(new DeleteSubscriptionsRequest({ subscriptionIds }));
    await unlessRefused(answer, () => undefined);
  }

  async #add(intervalMs: number, items: readonly NodeItem[]): Promise<void> {
    const found = this.#groups.values().find((each) => each.intervalMs === intervalMs);
    const group = found ?? (await this.#begin(intervalMs));
    if (typeof group === 'string') {
      this.#options.log.warn(`the server refuses the subscription ${group}: ${items.length} points are read instead`);
      for (const item of items) this.#unmonitored.add(item);
      return;
    }
    const before = this.#unmonitored.size;
    const fresh: MonitoredNode[] = [];
    for (const item of items) {
      const sharedAs = this.#sharedAs(item);
      const shared = sharedAs === undefined ? undefined : group.shared.get(sharedAs);
      if (shared === undefined) fresh.push(this.#place(group, item, sharedAs));
      else this.#join(shared, item);
    }
    this.#flush();
    await this.#monitor(group, fresh);
    const count = this.#unmonitored.size - before;
    if (count > 0) {
      this.#options.log.warn(`the server accepts no more monitored items: ${count} points are read instead`);
    }
  }

  #place(group: Group, item: NodeItem, sharedAs: string | undefined): MonitoredNode {
    const clientHandle = this.#nextHandle++;
    const monitored = { group, clientHandle, items: new Set([item]), sharedAs, monitoredItemId: undefined };
    group.monitored.set(clientHandle, monitored);
    if (sharedAs !== undefined) group.shared.set(sharedAs, monitored);
    this.#nodes.set(item, monitored);
    return monitored;
  }

  #join(monitored: MonitoredNode, item: NodeItem): void {
    const [known] = monitored.items;
    monitored.items.add(item);
    this.#nodes.set(item, monitored);
    if (known !== undefined) adopt(item, known, this.#readings);
  }

  #sharedAs({ path, node, point }: NodeItem): string | undefined {
    if (path.length === 0) return undefined;
    return JSON.stringify([String(node?.nodeId), settingsOf(point.properties, this.#options.settings)]);
  }

  /** Returns what is not to be monitored any more. */
  #forget(item: NodeItem): MonitoredNode | undefined {
    const monitored = this.#nodes.get(item);
    this.#nodes.delete(item);
    monitored?.items.delete(item);
    if (monitored === undefined || monitored.items.size > 0) return undefined;
    const { group, clientHandle, sharedAs } = monitored;
    group.monitored.delete(clientHandle);
    if (sharedAs !== undefined) group.shared.delete(sharedAs);
    return monitored;
  }

  /** Or why the server makes none. */
  async #begin(intervalMs: number): Promise<Group | string> {
    const made = await this.#subscribe(intervalMs);
    if (typeof made === 'string') return made;
    const group: Group = { id: made.subscriptionId, intervalMs, monitored: new Map(), shared: new Map() };
    this.#groups.set(group.id, group);
    this.#notifications.begin(made, this.#hearerOf(group));
    return group;
  }

  async #subscribe(intervalMs: number): Promise<CreateSubscriptionResponse | string> {
    const { link, sessionTimeoutMs } = this.#options;
    const maxKeepAliveCount = Math.max(1, Math.round(keepAliveMs / intervalMs));
    const request = new CreateSubscriptionRequest({
      requestedPublishingInterval: intervalMs,
      requestedMaxKeepAliveCount: maxKeepAliveCount,
      requestedLifetimeCount: Math.max(3 * maxKeepAliveCount, Math.ceil(sessionTimeoutMs / intervalMs)),
      maxNotificationsPerPublish: notificationsAtOnce,
      publishingEnabled: true,
      priority: 0,
    });
    const answer = link.transact<CreateSubscriptionResponse>(request);
    return unlessRefused(answer, ({ name, description }) => `${name}: ${description}`);
  }

  /** Has nodes of the group monitored that are not yet. */
  async #monitor(group: Group, nodes: readonly MonitoredNode[]): Promise<void> {
    const { link, settings } = this.#options;
    for (let at = 0; at < nodes.length; at += link.limits.monitor) {
      const wanted = nodes.slice(at, at + link.limits.monitor).flatMap(({ items: [item], clientHandle }) => {
        return item === undefined ? [] : [{ item, clientHandle }];
      });
      for (const result of await createItems(link, group.id, wanted, settings)) this.#takeResult(group, result);
      this.#flush();
    }
  }

  #takeResult(group: Group, { clientHandle, status, monitoredItemId }: ItemResult): void {
    const monitored = group.monitored.get(clientHandle);
    if (monitored === undefined) return;
    if (!status.isBad()) monitored.monitoredItemId = monitoredItemId;
    for (const item of [...monitored.items]) {
      item.isRefused = false;
      if (!status.isBad()) continue;
      if (isOneOf(fullStatuses, status)) {
        this.#forget(item);
        this.#unmonitored.add(item);
      } else {
        item.isRefused = true;
        const known = qualityOfStatus(status.value);
        const q = known === quality.bad.nonSpecific ? quality.bad.configurationError : known;
        takeRefusal(item, q, `${status.name}: ${status.description}`, this.#readings);
      }
    }
  }

  #hearerOf(group: Group): Hearer {
    return {
      hearGap: (lost) => {
        this.#options.log.warn(`notification ${lost} of the server was lost: all values are read again`);
        this.#options
          .onGap([...group.monitored.values()].flatMap(({ items }) => [...items]))
          .catch((error) => this.#notifications.lose(error));
      },
      hear: (data, deviceNowUs) => this.#take(group, data, deviceNowUs),
    };
  }

  #take(group: Group, data: readonly NotificationData[], deviceNowUs: number | undefined): void {
    for (const each of data) if (each instanceof DataChangeNotification) this.#takeChanges(group, each, deviceNowUs);
    this.#flush();
  }

  #takeChanges(group: Group, { monitoredItems }: DataChangeNotification, deviceNowUs: number | undefined): void {
    for (const change of monitoredItems ?? []) {
      for (const item of group.monitored.get(change.clientHandle)?.items ?? []) {
        if (hasOverflown(change.value.statusCode.value)) this.#reportOverflow(item);
        takeReading(item, change.value, deviceNowUs, this.#readings);
      }
    }
  }

  /** Once a link: it would be said again and again. */
  #reportOverflow({ point }: NodeItem): void {
    if (this.#isOverflowReported) return;
    this.#isOverflowReported = true;
    this.#options.log.warn(
      `samples of ${point.name} were lost at the server, perhaps others': a longer queueSize or a shorter publishing interval`,
    );
  }

  #flush(): void {
    const { batch } = this.#readings;
    if (batch.count > 0 && !this.#isClosed) this.#options.publish(batch);
    batch.clear();
  }
}

/** By the last report. */
function isNodeGone({ last }: NodeItem): boolean {
  return last !== undefined && isOneOf(goneStatuses, last.statusCode);
}
