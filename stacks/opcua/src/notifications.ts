// What the server says of its subscriptions: keeps publish requests at it, acknowledges what came, and notices what was
// lost, in silence or between two messages. What a message means is left to whom it is passed on.
import type { Clock } from '@telltale/schema';
import { NotConnected } from '@telltale/stack-kit';
import {
  type CreateSubscriptionResponse,
  type NotificationMessage,
  PublishRequest,
  type PublishResponse,
  StatusChangeNotification,
  StatusCodes,
} from 'node-opcua-client';
import { ServiceFault } from './service-fault.ts';
import type { UaLink } from './ua-link.ts';
import { isTime, timeUsOf } from './value-codec.ts';

export type NotificationData = NonNullable<NotificationMessage['notificationData']>[number];

export interface Hearer {
  /** `lost`: the number of the first message that was lost before what follows. */
  hearGap(lost: number, deviceNowUs: number | undefined): void;
  /** `deviceNowUs`: what the server's clock said when it sent them. If it throws, the subscriptions are lost. */
  hear(data: readonly NotificationData[], deviceNowUs: number | undefined): void;
}

interface Heard {
  readonly hearer: Hearer;
  /** Silent for longer, the server has forgotten it. */
  readonly silenceMs: number;
  heardMs: number;
  nextSequence: number;
}

/** With a look every second, silence is noticed within 5 s. */
const leastSilenceMs = 3500;
/** Publish requests that wait at the server at once: two a subscription and one more, so that it can always speak. */
const maxPublishRequests = 10;
/** A publish request waits at the server until there is something to say. */
const publishLimitMs = 24 * 3_600_000;

export class Notifications {
  readonly #link: UaLink;
  readonly #clock: Clock;
  /** By the ids of subscriptions. */
  readonly #heard = new Map<number, Heard>();
  readonly #lost = Promise.withResolvers<never>();
  #acknowledgements: { subscriptionId: number; sequenceNumber: number }[] = [];
  #asked = 0;
  #endings = 0;
  #maxAsked = maxPublishRequests;
  #isClosed = false;

  constructor(link: UaLink, clock: Clock) {
    this.#link = link;
    this.#clock = clock;
    this.#lost.promise.catch(() => undefined);
  }

  /** Rejects, mostly with `NotConnected`, when the subscriptions are lost; never resolves. */
  get lost(): Promise<never> {
    return this.#lost.promise;
  }

  /** They are lost, for a reason that others have found. */
  lose(reason: unknown): void {
    this.#lost.reject(reason);
  }

  /** From now on nothing is passed on any more. */
  close(): void {
    this.#isClosed = true;
  }

  /** Of a subscription that was made just now. */
  begin(made: CreateSubscriptionResponse, hearer: Hearer): void {
    const { subscriptionId, revisedPublishingInterval, revisedMaxKeepAliveCount } = made;
    const saysEveryMs = revisedPublishingInterval * revisedMaxKeepAliveCount;
    this.#heard.set(subscriptionId, {
      hearer,
      silenceMs: Math.max(leastSilenceMs, 2 * revisedPublishingInterval, 2 * saysEveryMs),
      heardMs: this.#clock.monotonicMs(),
      nextSequence: 1,
    });
    this.#ask();
  }

  /** Before they are deleted. */
  end(subscriptionIds: readonly number[]): void {
    for (const id of subscriptionIds) this.#heard.delete(id);
    this.#endings++;
  }

  /** What is silent for too long is lost. */
  check(): void {
    const nowMs = this.#clock.monotonicMs();
    for (const { heardMs, silenceMs } of this.#heard.values()) {
      if (nowMs - heardMs > silenceMs) {
        this.#lost.reject(new NotConnected(`a subscription has been silent for more than ${silenceMs} ms`));
      }
    }
  }

  /** As many publish requests are at the server as it needs to speak at any time. */
  #ask(): void {
    const wanted = Math.min(this.#maxAsked, 2 * this.#heard.size + 1);
    while (!this.#isClosed && this.#heard.size > 0 && this.#asked < wanted) {
      this.#asked++;
      const request = new PublishRequest({ subscriptionAcknowledgements: this.#acknowledgements });
      this.#acknowledgements = [];
      const endings = this.#endings;
      this.#link.wait<PublishResponse>(request, publishLimitMs).then(
        (response) => this.#hear(response),
        (error) => this.#fail(error, endings),
      );
    }
  }

  #hear({ subscriptionId, notificationMessage, responseHeader }: PublishResponse): void {
    this.#asked--;
    if (this.#isClosed) return;
    try {
      const heard = this.#heard.get(subscriptionId);
      if (heard !== undefined) this.#pass(heard, notificationMessage, responseHeader.timestamp);
      if ((notificationMessage.notificationData?.length ?? 0) > 0) {
        this.#acknowledgements.push({ subscriptionId, sequenceNumber: notificationMessage.sequenceNumber });
      }
      this.#ask();
    } catch (error) {
      this.#lost.reject(error);
    }
  }

  #pass(heard: Heard, { sequenceNumber, notificationData }: NotificationMessage, sentAt: Date | null): void {
    const { hearer, nextSequence } = heard;
    const data = notificationData ?? [];
    heard.heardMs = this.#clock.monotonicMs();
    const deviceNowUs = isTime(sentAt) ? timeUsOf(sentAt) : undefined;
    if (sequenceNumber !== nextSequence) hearer.hearGap(nextSequence, deviceNowUs);
    heard.nextSequence = data.length > 0 ? (sequenceNumber % 0xffff_ffff) + 1 : sequenceNumber;
    hearer.hear(data, deviceNowUs);
    for (const each of data) {
      if (each instanceof StatusChangeNotification && each.status.isBad()) {
        throw new NotConnected(`the server has ended a subscription: ${each.status.name}`);
      }
    }
  }

  /** `endings`: how often subscriptions had been ended when it was asked. */
  #fail(error: unknown, endings: number): void {
    this.#asked--;
    if (this.#isClosed || this.#heard.size === 0) return;
    if (error instanceof ServiceFault) {
      if (error.status.equals(StatusCodes.BadTooManyPublishRequests) && this.#asked > 0) {
        this.#maxAsked = this.#asked;
        return;
      }
      // The last one was ended since, which the server says late, and another one was made.
      const isOld = error.status.equals(StatusCodes.BadNoSubscription) && endings !== this.#endings;
      if (isOld || error.status.equals(StatusCodes.BadTimeout)) {
        this.#ask();
        return;
      }
    }
    const reason = error instanceof Error ? error.message : String(error);
    this.#lost.reject(new NotConnected(`the subscriptions are lost: ${reason}`));
  }
}
