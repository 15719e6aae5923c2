// Measurements that the server reports by itself: one subscription a publishing interval, its monitored items made in
// slices. What it refuses turns bad alone, or is handed back to be read.
import { Batch, type Clock, quality } from '@telltale/schema';
import { NotConnected, type SourceTimes, type StackLog } from '@telltale/stack-kit';
import {
  CreateMonitoredItemsRequest,
  type CreateMonitoredItemsResponse,
  CreateSubscriptionRequest,
  type CreateSubscriptionResponse,
  DataChangeFilter,
  DataChangeNotification,
  DataChangeTrigger,
  DeadbandType,
  DeleteSubscriptionsRequest,
  MonitoringMode,
  type NotificationMessage,
  PublishRequest,
  type PublishResponse,
  StatusChangeNotification,
  type StatusCode,
  StatusCodes,
  TimestampsToReturn,
} from 'node-opcua-client';
import { type ItemSettings, settingsOf } from './item-settings.ts';
import { type NodeItem, takeReading } from './node-item.ts';
import { qualityOfStatus } from './status-quality.ts';
import { ServiceFault, type UaLink } from './ua-link.ts';
import { isTime, timeUsOf } from './value-codec.ts';

export interface SubscriptionsOptions {
  readonly link: UaLink;
  readonly settings: ItemSettings;
  readonly sessionTimeoutMs: number;
  readonly clock: Clock;
  readonly log: StackLog;
  readonly sourceTimes: SourceTimes;
  readonly publish: (batch: Batch) => void;
  /** Reports were lost: the present values are wanted. */
  readonly onGap: (items: readonly NodeItem[]) => void;
}

interface Group {
  readonly id: number;
  readonly items: readonly NodeItem[];
  /** Silent for longer, the server has forgotten it. */
  readonly silenceMs: number;
  heardMs: number;
  nextSequence: number;
}

/** A word of life at least this often, whatever the publishing interval. */
const keepAliveMs = 2000;
const leastSilenceMs = 5000;
/** Publish requests that wait at the server at once: two a subscription and one more, so that it can always speak. */
const maxPublishRequests = 10;
/** A publish request waits at the server until there is something to say. */
const publishLimitMs = 24 * 3_600_000;
const notificationsAtOnce = 10_000;

/** The server can do no more: the item is read instead. */
const fullStatuses: readonly StatusCode[] = [
  StatusCodes.BadTooManyMonitoredItems,
  StatusCodes.BadTooManySubscriptions,
  StatusCodes.BadServiceUnsupported,
  StatusCodes.BadNotImplemented,
  StatusCodes.BadOutOfMemory,
  StatusCodes.BadResourceUnavailable,
  StatusCodes.BadMonitoringModeInvalid,
];
/** The server can monitor the node, but not filter it: then every change is reported. */
const filterStatuses: readonly StatusCode[] = [
  StatusCodes.BadFilterNotAllowed,
  StatusCodes.BadMonitoredItemFilterInvalid,
  StatusCodes.BadMonitoredItemFilterUnsupported,
  StatusCodes.BadDeadbandFilterInvalid,
];

export class Subscriptions {
  readonly #options: SubscriptionsOptions;
  readonly #groups = new Map<number, Group>();
  readonly #batch = new Batch();
  readonly #lost = Promise.withResolvers<never>();
  #acknowledgements: { subscriptionId: number; sequenceNumber: number }[] = [];
  #asked = 0;
  #maxAsked = maxPublishRequests;
  #isClosed = false;

  constructor(options: SubscriptionsOptions) {
    this.#options = options;
    this.#lost.promise.catch(() => undefined);
  }

  /** Rejects with `NotConnected` when the subscriptions are lost; never resolves. */
  get lost(): Promise<never> {
    return this.#lost.promise;
  }

  /** From now on nothing is published any more. */
  close(): void {
    this.#isClosed = true;
  }

  /** Returns those that are to be read instead. Throws what `UaLink.transact` throws, but for faults. */
  async monitor(items: readonly NodeItem[]): Promise<NodeItem[]> {
    const groups = new Map<number, NodeItem[]>();
    for (const item of items) {
      const { publishingIntervalMs } = settingsOf(item.point.properties, this.#options.settings);
      const group = groups.get(publishingIntervalMs);
      if (group === undefined) groups.set(publishingIntervalMs, [item]);
      else group.push(item);
    }
    const unmonitored: NodeItem[] = [];
    for (const [intervalMs, group] of groups) unmonitored.push(...(await this.#subscribe(intervalMs, group)));
    return unmonitored;
  }

  /** Tries those again that the server did not take: a node may have come meanwhile. */
  async retry(): Promise<void> {
    for (const group of [...this.#groups.values()]) {
      await this.#monitorIn(
        group,
        group.items.filter(({ isRefused }) => isRefused),
      );
    }
  }

  async clear(): Promise<void> {
    const subscriptionIds = [...this.#groups.keys()];
    this.#groups.clear();
    if (subscriptionIds.length === 0) return;
    await this.#options.link.transact(new DeleteSubscriptionsRequest({ subscriptionIds })).catch((error) => {
      if (!(error instanceof ServiceFault)) throw error;
    });
  }

  /** What is silent for too long is lost. */
  check(): void {
    const nowMs = this.#options.clock.monotonicMs();
    for (const { heardMs, silenceMs } of this.#groups.values()) {
      if (nowMs - heardMs > silenceMs) {
        this.#lost.reject(new NotConnected(`a subscription is silent for more than ${silenceMs} ms`));
      }
    }
  }

  async #subscribe(intervalMs: number, items: readonly NodeItem[]): Promise<readonly NodeItem[]> {
    const { link, sessionTimeoutMs, clock, log } = this.#options;
    const maxKeepAliveCount = Math.max(1, Math.round(keepAliveMs / intervalMs));
    const request = new CreateSubscriptionRequest({
      requestedPublishingInterval: intervalMs,
      requestedMaxKeepAliveCount: maxKeepAliveCount,
      requestedLifetimeCount: Math.max(3 * maxKeepAliveCount, Math.ceil(sessionTimeoutMs / intervalMs)),
      maxNotificationsPerPublish: notificationsAtOnce,
      publishingEnabled: true,
      priority: 0,
    });
    let made: CreateSubscriptionResponse;
    try {
      made = await link.transact<CreateSubscriptionResponse>(request);
    } catch (error) {
      if (!(error instanceof ServiceFault)) throw error;
      log.warn(`the server makes no subscription, ${error.message}: ${items.length} points are read instead`);
      return items;
    }
    const saysEveryMs = made.revisedPublishingInterval * made.revisedMaxKeepAliveCount;
    const group: Group = {
      id: made.subscriptionId,
      items,
      silenceMs: Math.max(leastSilenceMs, 2 * made.revisedPublishingInterval, 2 * saysEveryMs),
      heardMs: clock.monotonicMs(),
      nextSequence: 1,
    };
    this.#groups.set(group.id, group);
    this.#ask();
    return this.#monitorIn(group, items);
  }

  async #monitorIn(group: Group, items: readonly NodeItem[]): Promise<NodeItem[]> {
    const itemsAtOnce = this.#options.link.limits.monitor;
    const handles = new Map(group.items.map((item, handle) => [item, handle]));
    const unmonitored: NodeItem[] = [];
    for (let at = 0; at < items.length && this.#groups.has(group.id); at += itemsAtOnce) {
      const slice = items.slice(at, at + itemsAtOnce);
      const refused = await this.#create(group, slice, handles, true, unmonitored);
      if (refused.length > 0) await this.#create(group, refused, handles, false, unmonitored);
    }
    if (unmonitored.length > 0) {
      this.#options.log.warn(`the server monitors no more than it does: ${unmonitored.length} points are read instead`);
    }
    return unmonitored;
  }

  /** Returns those whose filter the server does not take. */
  async #create(
    group: Group,
    items: readonly NodeItem[],
    handles: ReadonlyMap<NodeItem, number>,
    withFilter: boolean,
    unmonitored: NodeItem[],
  ): Promise<NodeItem[]> {
    const { link, clock } = this.#options;
    const request = new CreateMonitoredItemsRequest({
      subscriptionId: group.id,
      timestampsToReturn: TimestampsToReturn.Both,
      itemsToCreate: items.map((item) => ({
        itemToMonitor: item.node ?? {},
        monitoringMode: MonitoringMode.Reporting,
        requestedParameters: this.#parameters(item, handles.get(item) ?? 0, withFilter),
      })),
    });
    let statuses: readonly StatusCode[];
    try {
      const { results } = await link.transact<CreateMonitoredItemsResponse>(request);
      statuses = items.map((_, at) => results?.[at]?.statusCode ?? StatusCodes.BadUnexpectedError);
    } catch (error) {
      if (!(error instanceof ServiceFault)) throw error;
      if (error.isTooMuch && items.length > 1) {
        const half = Math.ceil(items.length / 2);
        const first = await this.#create(group, items.slice(0, half), handles, withFilter, unmonitored);
        return [...first, ...(await this.#create(group, items.slice(half), handles, withFilter, unmonitored))];
      }
      statuses = items.map(() => error.status);
    }
    const unfiltered: NodeItem[] = [];
    for (const [at, item] of items.entries()) {
      const status = statuses[at] ?? StatusCodes.BadUnexpectedError;
      item.isRefused = false;
      if (!status.isBad()) continue;
      if (withFilter && isOneOf(filterStatuses, status)) unfiltered.push(item);
      else if (isOneOf(fullStatuses, status)) unmonitored.push(item);
      else {
        item.isRefused = true;
        item.error = `${status.name}: ${status.description}`;
        item.lastUs = clock.now();
        const known = qualityOfStatus(status.value);
        const q = known === quality.bad.nonSpecific ? quality.bad.configurationError : known;
        this.#batch.none(item.point.id, q, item.lastUs);
      }
    }
    this.#flush();
    return unfiltered;
  }

  #parameters({ point }: NodeItem, clientHandle: number, withFilter: boolean) {
    const { samplingIntervalMs, queueSize, discardOldest, deadband } = settingsOf(
      point.properties,
      this.#options.settings,
    );
    const filter =
      deadband === undefined || !withFilter
        ? null
        : new DataChangeFilter({
            trigger: DataChangeTrigger.StatusValue,
            deadbandType: deadband.kind === 'percent' ? DeadbandType.Percent : DeadbandType.Absolute,
            deadbandValue: deadband.value,
          });
    return { clientHandle, samplingInterval: samplingIntervalMs, queueSize, discardOldest, filter };
  }

  /** As many publish requests are at the server as it needs to speak at any time. */
  #ask(): void {
    const wanted = Math.min(this.#maxAsked, 2 * this.#groups.size + 1);
    while (!this.#isClosed && this.#groups.size > 0 && this.#asked < wanted) {
      this.#asked++;
      const request = new PublishRequest({ subscriptionAcknowledgements: this.#acknowledgements });
      this.#acknowledgements = [];
      this.#options.link.wait<PublishResponse>(request, publishLimitMs).then(
        (response) => this.#hear(response),
        (error) => this.#fail(error),
      );
    }
  }

  #hear({ subscriptionId, notificationMessage, responseHeader }: PublishResponse): void {
    this.#asked--;
    if (this.#isClosed) return;
    try {
      const group = this.#groups.get(subscriptionId);
      if (group !== undefined) this.#take(group, notificationMessage, responseHeader.timestamp);
      if ((notificationMessage.notificationData?.length ?? 0) > 0) {
        this.#acknowledgements.push({ subscriptionId, sequenceNumber: notificationMessage.sequenceNumber });
      }
      this.#ask();
    } catch (error) {
      this.#lost.reject(error);
    }
  }

  #take(group: Group, { sequenceNumber, notificationData }: NotificationMessage, sentAt: Date | null): void {
    group.heardMs = this.#options.clock.monotonicMs();
    const deviceNowUs = isTime(sentAt) ? timeUsOf(sentAt) : undefined;
    const isReport = (notificationData?.length ?? 0) > 0;
    if (sequenceNumber !== group.nextSequence) {
      this.#options.log.warn(`report ${group.nextSequence} of the server was lost: the values are read anew`);
      this.#options.onGap(group.items);
    }
    group.nextSequence = isReport ? (sequenceNumber % 0xffff_ffff) + 1 : sequenceNumber;
    for (const data of notificationData ?? []) {
      if (data instanceof DataChangeNotification) this.#takeChanges(group, data, deviceNowUs);
      else if (data instanceof StatusChangeNotification && data.status.isBad()) {
        throw new NotConnected(`the server has ended a subscription: ${data.status.name}`);
      }
    }
    this.#flush();
  }

  #takeChanges(group: Group, { monitoredItems }: DataChangeNotification, deviceNowUs: number | undefined): void {
    const { clock, sourceTimes } = this.#options;
    const readings = { batch: this.#batch, clock, sourceTimes };
    for (const change of monitoredItems ?? []) {
      const item = group.items[change.clientHandle];
      if (item !== undefined) takeReading(item, change.value, deviceNowUs, readings);
    }
  }

  #fail(error: unknown): void {
    this.#asked--;
    if (this.#isClosed || this.#groups.size === 0) return;
    if (error instanceof ServiceFault) {
      if (error.status.equals(StatusCodes.BadTooManyPublishRequests) && this.#asked > 0) {
        this.#maxAsked = this.#asked;
        return;
      }
      if (error.status.equals(StatusCodes.BadTimeout)) {
        this.#ask();
        return;
      }
    }
    const reason = error instanceof Error ? error.message : String(error);
    this.#lost.reject(new NotConnected(`the subscriptions are lost: ${reason}`));
  }

  #flush(): void {
    if (this.#batch.count > 0 && !this.#isClosed) this.#options.publish(this.#batch);
    this.#batch.clear();
  }
}

function isOneOf(statuses: readonly StatusCode[], status: StatusCode): boolean {
  return statuses.some((each) => each.equals(status));
}
