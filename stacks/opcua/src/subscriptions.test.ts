import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Batch, quality } from '@telltale/schema';
import { ManualClock } from '@telltale/schema/testing';
import { NotConnected, SourceTimes } from '@telltale/stack-kit';
import {
  CreateMonitoredItemsRequest,
  CreateMonitoredItemsResponse,
  CreateSubscriptionRequest,
  CreateSubscriptionResponse,
  DataChangeNotification,
  DataType,
  DeleteMonitoredItemsRequest,
  DeleteSubscriptionsRequest,
  PublishResponse,
  StatusChangeNotification,
  StatusCode,
  StatusCodes,
} from 'node-opcua-client';
import { BadReadings } from './bad-readings.ts';
import { itemOf, type NodeItem } from './node-item.ts';
import { ServiceFault } from './service-fault.ts';
import { Subscriptions } from './subscriptions.ts';
import type { UaLink } from './ua-link.ts';

type Publish = ReturnType<typeof Promise.withResolvers<PublishResponse>>;

/** A server that does as it is told: what it is asked is kept, what it says is up to the test. */
class ReportingServer {
  readonly clock = new ManualClock();
  readonly pending: Publish[] = [];
  readonly created: number[] = [];
  /** What the server called the items that it was asked to delete. */
  readonly deleted: number[] = [];
  ended = 0;
  readonly gaps: (readonly NodeItem[])[] = [];
  /** The values of a report that was lost cannot be read. */
  isMute = false;
  readonly published = new Map<number, [unknown, number]>();
  readonly warnings: string[] = [];
  mostItems = Number.POSITIVE_INFINITY;
  statusOf: (index: number) => StatusCode = () => StatusCodes.Good;
  readonly subscriptions: Subscriptions;

  constructor() {
    const link = {
      limits: { read: 500, monitor: 500, translate: 500 },
      transact: async (request: object) => this.#answer(request),
      wait: () => {
        const publish = Promise.withResolvers<PublishResponse>();
        this.pending.push(publish);
        return publish.promise;
      },
    };
    const silent = () => {};
    const log = { debug: silent, info: silent, warn: (text: string) => this.warnings.push(text), error: silent };
    this.subscriptions = new Subscriptions({
      link: link as unknown as UaLink,
      settings: {
        samplingIntervalMs: 100,
        publishingIntervalMs: 100,
        queueSize: 1,
        discardOldest: true,
        deadband: undefined,
      },
      sessionTimeoutMs: 30_000,
      clock: this.clock,
      log,
      badReadings: new BadReadings(this.clock, log),
      sourceTimes: new SourceTimes({ clock: this.clock, maxSkewMs: 1000 }),
      publish: (batch: Batch) => {
        for (let at = 0; at < batch.count; at++) {
          this.published.set(batch.points[at] ?? -1, [batch.valueAt(at), batch.qualities[at] ?? 0]);
        }
        batch.clear();
      },
      onGap: async (items) => {
        this.gaps.push(items);
        if (this.isMute) throw new NotConnected('no answer');
      },
    });
  }

  monitor(count: number): Promise<NodeItem[]> {
    return this.subscriptions.follow(this.items(count));
  }

  items(count: number): NodeItem[] {
    return Array.from({ length: count }, (_, id) =>
      itemOf({ id, name: `p${id}`, address: `ns=1;i=${id}`, datatype: 'd', properties: {} }, []),
    );
  }

  /** Answers a publish request that waits. */
  async say(sequenceNumber: number, ...notificationData: unknown[]): Promise<void> {
    const message = { sequenceNumber, notificationData: notificationData as never };
    this.pending.shift()?.resolve(new PublishResponse({ subscriptionId: 1, notificationMessage: message }));
    await new Promise(setImmediate);
  }

  async refuse(status: StatusCode): Promise<void> {
    this.pending.shift()?.reject(new ServiceFault(status));
    await new Promise(setImmediate);
  }

  #answer(request: object): unknown {
    if (request instanceof CreateSubscriptionRequest) {
      return new CreateSubscriptionResponse({
        subscriptionId: 1,
        revisedPublishingInterval: request.requestedPublishingInterval,
        revisedMaxKeepAliveCount: request.requestedMaxKeepAliveCount,
        revisedLifetimeCount: request.requestedLifetimeCount,
      });
    }
    if (request instanceof DeleteSubscriptionsRequest) {
      this.ended += request.subscriptionIds?.length ?? 0;
      return {};
    }
    if (request instanceof DeleteMonitoredItemsRequest) {
      const ids = [...(request.monitoredItemIds ?? [])];
      if (ids.length > this.mostItems) throw new ServiceFault(StatusCodes.BadTooManyOperations);
      this.deleted.push(...ids);
      return {};
    }
    assert.ok(request instanceof CreateMonitoredItemsRequest);
    const items = request.itemsToCreate ?? [];
    if (items.length > this.mostItems) throw new ServiceFault(StatusCodes.BadTooManyOperations);
    this.created.push(items.length);
    const results = items.map((item) => {
      const number = Number(item.itemToMonitor.nodeId.value);
      return { statusCode: this.statusOf(number), monitoredItemId: 1000 + number };
    });
    return new CreateMonitoredItemsResponse({ results });
  }
}

const change = (clientHandle: number, value: number) =>
  new DataChangeNotification({
    monitoredItems: [{ clientHandle, value: { value: { dataType: DataType.Double, value } } }],
  });

describe('subscriptions', () => {
  test('publish what the server reports, and always leave it a request to answer', async () => {
    const server = new ReportingServer();
    assert.deepEqual(await server.monitor(2), []);
    const pending = server.pending.length;
    assert.ok(pending >= 2);
    await server.say(1, change(1, 7.5));
    await server.say(2, change(0, 2.5), change(99, 1));
    assert.deepEqual(
      [...server.published],
      [
        [1, [7.5, quality.good]],
        [0, [2.5, quality.good]],
      ],
    );
    assert.equal(server.pending.length, pending);
    assert.deepEqual(server.gaps, []);
  });

  test('notice a report that was lost, and only then', async () => {
    const server = new ReportingServer();
    await server.monitor(1);
    await server.say(1); // a word of life has the number of the next report
    await server.say(1, change(0, 1));
    await server.say(2);
    await server.say(2, change(0, 2));
    assert.equal(server.gaps.length, 0);
    await server.say(4, change(0, 4));
    assert.equal(server.gaps.length, 1);
    await server.say(5, change(0, 5));
    assert.equal(server.gaps.length, 1);
    server.isMute = true;
    await server.say(7, change(0, 7));
    await assert.rejects(server.subscriptions.lost, { name: 'NotConnected', message: 'no answer' });
  });

  test('say once that the queue of an item was too short, and take its values as they are', async () => {
    const server = new ReportingServer();
    await server.monitor(1);
    const statusCode = StatusCode.makeStatusCode(StatusCodes.Good, 0x0480);
    const full = (value: number) =>
      new DataChangeNotification({
        monitoredItems: [{ clientHandle: 0, value: { statusCode, value: { dataType: DataType.Double, value } } }],
      });
    await server.say(1, full(1), full(2));
    assert.deepEqual(server.published.get(0), [2, quality.good]);
    assert.match(server.warnings.join('\n'), /^samples of p0 were lost at the server[^\n]*$/);
  });

  test('are lost when the server ends one, or is silent about it', async () => {
    const ended = new ReportingServer();
    await ended.monitor(1);
    await ended.say(1, new StatusChangeNotification({ status: StatusCodes.BadTimeout }));
    await assert.rejects(ended.subscriptions.lost, { name: 'NotConnected', message: /BadTimeout/ });
    const silent = new ReportingServer();
    await silent.monitor(1);
    silent.clock.advance(3400);
    silent.subscriptions.check();
    await silent.say(1);
    silent.clock.advance(3400);
    silent.subscriptions.check();
    assert.equal(await Promise.race([silent.subscriptions.lost, 'not yet']), 'not yet');
    silent.clock.advance(200);
    silent.subscriptions.check();
    await assert.rejects(silent.subscriptions.lost, { name: 'NotConnected', message: /silent/ });
  });

  test('ask for less where the server has too many requests waiting, and are lost where it knows none', async () => {
    const server = new ReportingServer();
    await server.monitor(1);
    await server.refuse(StatusCodes.BadTooManyPublishRequests);
    const fewer = server.pending.length;
    await server.say(1, change(0, 1));
    assert.equal(server.pending.length, fewer);
    await server.refuse(StatusCodes.BadNoSubscription);
    await assert.rejects(server.subscriptions.lost, { name: 'NotConnected', message: /BadNoSubscription/ });
  });

  test('are made in smaller requests where the server does not take large ones', async () => {
    const server = new ReportingServer();
    server.mostItems = 100;
    assert.deepEqual(await server.monitor(1000), []);
    assert.ok(server.created.every((count) => count <= 100));
    assert.equal(
      server.created.reduce((sum, count) => sum + count, 0),
      1000,
    );
  });

  test('turn what the server refuses bad alone, hand back what it has no room for, and try again', async () => {
    const server = new ReportingServer();
    server.statusOf = (index) =>
      index === 1
        ? StatusCodes.BadNodeIdUnknown
        : index === 2
          ? StatusCodes.BadTooManyMonitoredItems
          : StatusCodes.Good;
    const unmonitored = await server.monitor(4);
    assert.deepEqual(
      unmonitored.map(({ point }) => point.id),
      [2],
    );
    assert.deepEqual([...server.published], [[1, [undefined, quality.bad.configurationError]]]);
    server.statusOf = () => StatusCodes.Good;
    server.created.length = 0;
    assert.equal(await server.subscriptions.retry(), false);
    await server.subscriptions.retry();
    assert.deepEqual(server.created, [1]);
  });

  test('are made again where the server has taken the node away, until it is there again', async () => {
    const server = new ReportingServer();
    await server.monitor(2);
    const value = { statusCode: StatusCodes.BadNodeIdUnknown };
    await server.say(1, change(0, 1), new DataChangeNotification({ monitoredItems: [{ clientHandle: 1, value }] }));
    server.statusOf = () => StatusCodes.BadNodeIdUnknown;
    server.created.length = 0;
    await server.subscriptions.retry();
    await server.subscriptions.retry();
    assert.deepEqual([server.deleted, server.created], [[1001], [1, 1]]);
    server.statusOf = () => StatusCodes.Good;
    await server.subscriptions.retry();
    await server.say(2, change(1, 7));
    assert.deepEqual(server.published.get(1), [7, quality.good]);
    await server.subscriptions.retry();
    assert.deepEqual([server.deleted, server.created], [[1001], [1, 1, 1]]);
  });

  test('say so where what was refused is to be read when it is there', async () => {
    const server = new ReportingServer();
    server.statusOf = () => StatusCodes.BadNodeIdUnknown;
    const items = server.items(1);
    assert.deepEqual(await server.subscriptions.follow(items), []);
    server.statusOf = () => StatusCodes.BadTooManyMonitoredItems;
    assert.equal(await server.subscriptions.retry(), true);
    assert.deepEqual(await server.subscriptions.follow(items), items);
  });

  test('leave what stays alone, in requests as small as the server wants them', async () => {
    const server = new ReportingServer();
    server.mostItems = 100;
    const items = server.items(1000);
    await server.subscriptions.follow(items);
    server.created.length = 0;
    await server.subscriptions.follow(items.slice(250));
    assert.deepEqual(
      server.deleted,
      Array.from({ length: 250 }, (_, at) => 1000 + at),
    );
    assert.deepEqual([server.created, server.ended], [[], 0]);
    // Of one that is gone, sent before it was, and of one that stays.
    await server.say(1, change(0, 1), change(300, 3));
    assert.deepEqual([...server.published], [[300, [3, quality.good]]]);
  });

  test('are not lost where the server says late that there was none for a while', async () => {
    const server = new ReportingServer();
    await server.monitor(1);
    await server.subscriptions.follow([]);
    assert.equal(server.ended, 1);
    await server.monitor(1);
    const pending = server.pending.length;
    await server.refuse(StatusCodes.BadNoSubscription);
    assert.equal(server.pending.length, pending);
    await server.say(1, change(1, 5));
    assert.deepEqual([...server.published], [[0, [5, quality.good]]]);
  });

  test('have items monitored that there was no room for, as many as have gone', async () => {
    const server = new ReportingServer();
    server.statusOf = (index) => (index >= 2 ? StatusCodes.BadTooManyMonitoredItems : StatusCodes.Good);
    const items = server.items(5);
    assert.deepEqual(await server.subscriptions.follow(items), items.slice(2));
    server.created.length = 0;
    server.statusOf = () => StatusCodes.Good;
    assert.deepEqual(await server.subscriptions.follow(items), items.slice(2));
    assert.deepEqual(server.created, []);
    assert.deepEqual(await server.subscriptions.follow(items.slice(1)), items.slice(3));
    assert.deepEqual(server.created, [1]);
  });
});
