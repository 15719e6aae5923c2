// The alarms of a connector's devices over its link: what they have become goes to the server, bounded; that somebody
// acknowledges one goes to the stack, once and within its time limit.
import { NoAnswer } from '../connector.ts';
import { AlarmRelay } from './alarm-relay.ts';
import { callStack } from './call-stack.ts';
import type { ConnectionOptions, Linked } from './connection-options.ts';
import { failureOf, outcomeOf, type WriteOutcome } from './link-writes.ts';

export interface Acknowledgement {
  readonly alarmId: number;
  /** On whose behalf. */
  readonly authority: string;
  /** When it was asked, by the monotonic clock: the time limit counts from then. */
  readonly askedMs: number;
}

export class LinkAlarms {
  readonly #options: ConnectionOptions;
  readonly #relay: AlarmRelay;

  constructor(options: ConnectionOptions, onPassedOver: (count: number) => void) {
    const { clock, log, alarm, onAlarms } = options;
    this.#options = options;
    this.#relay = new AlarmRelay({
      clock,
      isAlarm: (id) => alarm?.(id) !== undefined,
      send: (states) => onAlarms?.(states),
      onPassedOver: (count) => {
        onPassedOver(count);
        log.warn('its device reports more transitions of alarms than can be followed: the newest are taken');
      },
    });
  }

  /** Throws where it is no list of states. */
  take(states: unknown): void {
    this.#relay.take(states);
  }

  /** The link ends. */
  end(): void {
    this.#relay.end();
  }

  /** Never rejects. `link` is aborted when the link ends. */
  async acknowledge(
    stack: Linked,
    { alarmId, authority, askedMs }: Acknowledgement,
    link: AbortSignal,
  ): Promise<WriteOutcome> {
    const { clock, writeTimeoutMs } = this.#options;
    const alarm = this.#options.alarm?.(alarmId);
    const limitMs = writeTimeoutMs - (clock.monotonicMs() - askedMs);
    if (alarm === undefined) return { kind: 'superseded', reason: 'the configuration of the alarm has changed' };
    if (typeof stack.acknowledge !== 'function') return { kind: 'refused', reason: 'the stack acknowledges no alarms' };
    if (limitMs <= 0) return { kind: 'timeout', sent: false, reason: 'its timeout had expired' };
    const late = new AbortController();
    const cancel = clock.after(limitMs, () => late.abort(new NoAnswer('no answer')));
    const call = (signal: AbortSignal) => Promise.try(() => stack.acknowledge?.(alarm, authority, signal));
    const signal = AbortSignal.any([link, late.signal]);
    try {
      return outcomeOf(
        await callStack({ call, clock, signal, limitMs: undefined, graceMs: 0, onUnanswered: () => undefined }),
      );
    } catch (error) {
      if (late.signal.aborted) return failureOf(late.signal.reason);
      return failureOf(link.aborted ? new NoAnswer('the link was lost before an answer') : error);
    } finally {
      cancel();
    }
  }
}
