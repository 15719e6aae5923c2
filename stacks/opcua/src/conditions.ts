// Alarms and conditions of a server as alarms here: follows its events, asks for the present states when it connects and
// whenever events may have been missed, and acknowledges conditions.
import { type Clock, pause, untilAborted } from '@telltale/schema';
import { type ConnectorOptions, type DeviceAlarm, SourceTimes, type WriteResult, written } from '@telltale/stack-kit';
import {
  CallRequest,
  type CallResponse,
  CreateMonitoredItemsRequest,
  type CreateMonitoredItemsResponse,
  DataType,
  type EventNotificationList,
  type StatusCode,
  StatusCodes,
  TimestampsToReturn,
} from 'node-opcua-client';
import { parseConditionAddress } from './condition-address.ts';
import { type ConditionEvent, conditionType, eventFilter, eventItem, readEvent } from './condition-events.ts';
import { FollowedCondition } from './followed-condition.ts';
import { nodeIdOf, nodeOf } from './node-item.ts';
import { isOneOf, unlessRefused } from './service-fault.ts';
import type { Subscriptions } from './subscriptions.ts';
import type { UaLink } from './ua-link.ts';
import type { ConnectorVariables } from './variables.ts';
import { resultOf, statusOf } from './write-status.ts';

const conditionRefresh = 'ns=0;i=3875';
const acknowledgeMethod = 'ns=0;i=9111';
/** What the server queues between two publishes; what it drops, it tells, and all states are asked for. */
const queueSize = 10_000;
/** A server that asks for it again and again is not asked more often. */
const refreshPauseMs = 1000;
/** What it refuses is tried again. */
const retryMs = 60_000;
const maxAuthority = 256;

const filterRefusals: readonly StatusCode[] = [
  StatusCodes.BadMonitoredItemFilterUnsupported,
  StatusCodes.BadMonitoredItemFilterInvalid,
  StatusCodes.BadEventFilterInvalid,
  StatusCodes.BadFilterNotAllowed,
  StatusCodes.BadFilterOperatorUnsupported,
];

export class Conditions {
  readonly #options: ConnectorOptions<ConnectorVariables>;
  readonly #clock: Clock;
  readonly #sourceTimes: SourceTimes;
  #alarms: readonly DeviceAlarm[] = [];
  /** By `node` or `source#name`, as this server has them. */
  #followed = new Map<string, FollowedCondition>();
  #byAlarm = new Map<string, FollowedCondition>();
  #link: UaLink | undefined;
  #isRefreshWanted = false;
  #wake = () => {};

  constructor(options: ConnectorOptions<ConnectorVariables>) {
    this.#options = options;
    this.#clock = options.clock;
    this.#sourceTimes = new SourceTimes({ clock: options.clock, maxSkewMs: options.maxClockSkewMs });
  }

  setAlarms(alarms: readonly DeviceAlarm[]): void {
    this.#alarms = alarms;
    if (this.#link !== undefined) this.#follow(this.#link);
    this.#wake();
  }

  /** While the link is up. What the server refuses of it does not end the link. */
  async run(link: UaLink, subscriptions: Subscriptions, signal: AbortSignal): Promise<void> {
    this.#link = link;
    this.#followed = new Map();
    try {
      this.#follow(link);
      await this.#untilWanted(signal);
      let subscription: number | undefined;
      while (!signal.aborted) {
        subscription ??= await this.#subscribe(subscriptions);
        if (subscription !== undefined && (await this.#monitor(link, subscription))) break;
        await pause(this.#clock, retryMs, signal);
      }
      while (!signal.aborted && subscription !== undefined) {
        this.#isRefreshWanted = false;
        await this.#refresh(link, subscription);
        await pause(this.#clock, refreshPauseMs, signal);
        await this.#untilWanted(signal);
      }
    } finally {
      this.#link = undefined;
    }
  }

  async acknowledge({ address }: DeviceAlarm, authority: string): Promise<WriteResult> {
    const [link, condition] = [this.#link, this.#byAlarm.get(address)];
    if (link === undefined) return written.notSent('there is no link');
    const eventIds = condition?.eventIds ?? [];
    if (condition?.conditionId === undefined || eventIds.length === 0) {
      return written.refused('the server has reported nothing that waits to be acknowledged');
    }
    const comment = { text: authority.slice(0, maxAuthority).toWellFormed() };
    const request = new CallRequest({
      methodsToCall: eventIds.map((eventId) => ({
        objectId: condition.conditionId ?? null,
        methodId: acknowledgeMethod,
        inputArguments: [
          { dataType: DataType.ByteString, value: eventId },
          { dataType: DataType.LocalizedText, value: comment },
        ],
      })),
    });
    const answer = link.change<CallResponse>(request);
    const ends = eventIds.map(async (_, at) =>
      resultOf(await statusOf(answer.then(({ results }) => results?.[at]?.statusCode))),
    );
    return (await Promise.all(ends)).find(({ kind }) => kind !== 'accepted') ?? written.accepted;
  }

  /** Conditions of which something is known keep it, and their alarms get it. */
  #follow(link: UaLink): void {
    const before = this.#followed;
    this.#followed = new Map();
    this.#byAlarm = new Map();
    for (const [address, alarms] of Map.groupBy(this.#alarms, (alarm) => alarm.address)) {
      const key = keyOf(address, link.namespaces);
      if (key === undefined) {
        this.#options.log.warn(`alarm ${alarms[0]?.name}: the server has no namespace for ${address}`);
        continue;
      }
      const known = before.get(key);
      if (known === undefined) this.#isRefreshWanted = true;
      const condition = this.#followed.get(key) ?? known ?? new FollowedCondition();
      const isShared = this.#followed.has(key);
      condition.alarms = isShared ? [...condition.alarms, ...alarms] : alarms;
      this.#followed.set(key, condition);
      this.#byAlarm.set(address, condition);
    }
    for (const condition of this.#followed.values()) this.#publish(condition);
  }

  /** Resolves when there are alarms, and their states are to be asked for. */
  async #untilWanted(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (this.#alarms.length === 0 || !this.#isRefreshWanted)) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await untilAborted(signal, promise);
    }
  }

  /** Undefined where the server makes none. */
  async #subscribe(subscriptions: Subscriptions): Promise<number | undefined> {
    const { log, variables } = this.#options;
    const made = await subscriptions.listen(variables.publishingIntervalMs, (...heard) => this.#hear(...heard));
    if (typeof made === 'number') return made;
    log.warn(`the server refuses the subscription of alarms: ${made}; they keep their states`);
    return undefined;
  }

  /** Whether the server reports events from now on. */
  async #monitor(link: UaLink, subscriptionId: number): Promise<boolean> {
    const { log, variables } = this.#options;
    const notifier = nodeOf(variables.alarmNotifier, link.namespaces);
    if (typeof notifier === 'string') {
      log.warn(`alarmNotifier: ${notifier}`);
      return false;
    }
    const create = async (isNarrow: boolean) => {
      const request = new CreateMonitoredItemsRequest({
        subscriptionId,
        timestampsToReturn: TimestampsToReturn.Neither,
        itemsToCreate: [eventItem(notifier.nodeId, eventFilter(isNarrow), queueSize)],
      });
      return firstStatusOf(link.transact<CreateMonitoredItemsResponse>(request));
    };
    const narrow = await create(true);
    const status = isOneOf(filterRefusals, narrow) ? await create(false) : narrow;
    if (!status.isBad()) return true;
    log.warn(`the server reports no events of ${variables.alarmNotifier}: ${status.name}; alarms keep their states`);
    return false;
  }

  /** Asks for the present states; they come as events. */
  async #refresh(link: UaLink, subscriptionId: number): Promise<void> {
    const request = new CallRequest({
      methodsToCall: [
        {
          objectId: conditionType,
          methodId: conditionRefresh,
          inputArguments: [{ dataType: DataType.UInt32, value: subscriptionId }],
        },
      ],
    });
    const status = await firstStatusOf(link.transact<CallResponse>(request));
    if (status.equals(StatusCodes.BadRefreshInProgress)) this.#isRefreshWanted = true;
    else if (status.isBad()) {
      this.#options.log.warn(`the server does not tell the present states of its conditions: ${status.name}`);
    }
  }

  /** Undefined: events were lost. */
  #hear(list: EventNotificationList | undefined, deviceNowUs: number | undefined): void {
    if (list === undefined) this.#wantRefresh();
    for (const { eventFields } of list?.events ?? []) {
      const event = readEvent(eventFields);
      switch (event?.kind) {
        case 'condition':
          this.#take(event, deviceNowUs);
          break;
        case 'refreshStart':
          for (const condition of this.#followed.values()) condition.beginRefresh();
          break;
        case 'refreshEnd':
          for (const each of this.#followed.values()) if (each.endRefresh(this.#clock.now())) this.#publish(each);
          break;
        case 'refreshRequired':
        case 'overflow':
          this.#wantRefresh();
      }
    }
  }

  #take(event: ConditionEvent, deviceNowUs: number | undefined): void {
    const { conditionId, source, conditionName, timeUs } = event;
    for (const key of [String(conditionId), `${source}#${conditionName}`]) {
      const condition = this.#followed.get(key);
      if (condition === undefined) continue;
      this.#sourceTimes.judge(timeUs ?? Number.NaN, deviceNowUs, 0);
      if (condition.take(event, this.#sourceTimes.timeUs)) this.#publish(condition);
      if (condition.isRefreshNeeded) this.#wantRefresh();
    }
  }

  #wantRefresh(): void {
    this.#isRefreshWanted = true;
    this.#wake();
  }

  #publish({ alarms, state }: FollowedCondition): void {
    if (state === undefined || this.#link === undefined) return;
    this.#options.publishAlarms(alarms.map(({ id }) => ({ id, ...state })));
  }
}

function keyOf(address: string, namespaces: readonly string[]): string | undefined {
  const parsed = parseConditionAddress(address);
  if (typeof parsed === 'string') return undefined;
  const nodeId = nodeIdOf(parsed.node, namespaces);
  if (typeof nodeId === 'string') return undefined;
  return parsed.conditionName === undefined ? String(nodeId) : `${nodeId}#${parsed.conditionName}`;
}

/** Of a request for one thing. */
function firstStatusOf(answer: Promise<{ results: { statusCode: StatusCode }[] | null }>): Promise<StatusCode> {
  const first = answer.then(({ results }) => results?.[0]?.statusCode ?? StatusCodes.BadUnexpectedError);
  return unlessRefused(first, (status) => status);
}
