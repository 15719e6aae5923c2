// The STATE of a host application: its birth, its death, and the answer to whoever says that it is offline.
import type { Clock } from '@telltale/schema';
import type { BrokerLink } from '../broker-link.ts';
import type { Payload } from '../payload.ts';
import { namespace } from './metric-address.ts';

export interface HostStateOptions {
  readonly clock: Clock;
  /** Empty: it is none, and says nothing. */
  readonly hostId: string;
}

/** After a publish that failed, or for which the broker had no room. */
const retryMs = 100;

export class HostState {
  readonly #clock: Clock;
  readonly #topic: string;
  readonly #isHost: boolean;
  #link: BrokerLink | undefined;
  /** Of the last will of this connection, and therefore of its birth. */
  #connectedMs = 0;
  /** The broker has not acknowledged the last one yet. */
  #isSaying = false;
  /** Since then somebody has said that it is offline. */
  #isDenied = false;
  #cancelRetry = () => {};

  constructor({ clock, hostId }: HostStateOptions) {
    this.#clock = clock;
    this.#topic = `${namespace}STATE/${hostId}`;
    this.#isHost = hostId !== '';
  }

  /** Edge nodes are born when their host application is: whoever browses wants to know of them. */
  get subscriptions(): string[] {
    return this.#isHost ? [this.#topic, `${namespace}+/NBIRTH/+`, `${namespace}+/NDEATH/+`] : [];
  }

  /** For the connection that is made now. */
  will() {
    if (!this.#isHost) return {};
    this.#connectedMs = Math.floor(this.#clock.now() / 1000);
    const payload = Buffer.from(stateText(false, this.#connectedMs));
    return { will: { topic: this.#topic, payload, qos: 1 as const, retain: true } };
  }

  /** The subscriptions are made. */
  begin(link: BrokerLink): void {
    if (!this.#isHost) return;
    this.#link = link;
    this.#isSaying = false;
    this.#sayOnline();
  }

  /**
   * A death that is not ours, such as the last will of an earlier connection that comes late, must not be what the broker
   * keeps. Each is answered; those that come before the broker has acknowledged an answer share the next one.
   */
  hear(topic: string, payload: Payload): void {
    if (topic !== this.#topic || this.#link === undefined) return;
    if (payload.at(['online']) !== false) return;
    this.#isDenied = true;
    if (!this.#isSaying) this.#sayOnline();
  }

  /** Before the link is closed. False: the death could not be said. */
  end(): boolean {
    const link = this.#link;
    this.#link = undefined;
    this.#cancelRetry();
    if (!link?.isUp) return true;
    try {
      const text = stateText(false, Math.floor(this.#clock.now() / 1000));
      link.publish(this.#topic, text, { qos: 1, retain: true }).catch(() => undefined);
      return true;
    } catch {
      return false;
    }
  }

  #sayOnline(): void {
    const link = this.#link;
    if (!link?.isUp) return;
    this.#isDenied = false;
    this.#isSaying = true;
    const text = stateText(true, this.#connectedMs);
    Promise.try(() => link.publish(this.#topic, text, { qos: 1, retain: true })).then(
      () => this.#said(link, this.#isDenied),
      () => this.#retrySoon(link),
    );
  }

  #said(link: BrokerLink, again: boolean): void {
    if (link !== this.#link) return;
    this.#isSaying = false;
    if (again) this.#sayOnline();
  }

  #retrySoon(link: BrokerLink): void {
    if (link === this.#link) this.#cancelRetry = this.#clock.after(retryMs, () => this.#said(link, true));
  }
}

function stateText(online: boolean, timestamp: number): string {
  return JSON.stringify({ online, timestamp });
}
