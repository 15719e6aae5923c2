// What a connector publishes of its devices' alarms, on its way to the server: read with care, and bounded. A device that
// reports without end gets through with the newest state of each alarm, once a second.
import type { Clock } from '@telltale/schema';
import type { DeviceAlarmState } from '../connector.ts';

export interface AlarmRelayOptions {
  readonly clock: Clock;
  readonly isAlarm: (id: number) => boolean;
  readonly send: (states: readonly DeviceAlarmState[]) => void;
  /** So many states were replaced by newer ones of their alarms. */
  readonly onPassedOver: (count: number) => void;
}

const windowMs = 1000;
/** Of all alarms in a window, beside the first of each: far more than any plant has in its worst second. */
const maxStates = 2000;
const maxAuthority = 256;
const maxMessage = 1000;

export class AlarmRelay {
  readonly #options: AlarmRelayOptions;
  /** Those that have sent a state in the running window. */
  readonly #sent = new Set<number>();
  /** The newest state of each that has to wait for the next window. */
  readonly #waiting = new Map<number, DeviceAlarmState>();
  #left = maxStates;
  #cancel: (() => void) | undefined;

  constructor(options: AlarmRelayOptions) {
    this.#options = options;
  }

  /** Throws where it is no list of states. */
  take(given: unknown): void {
    if (!Array.isArray(given)) throw new TypeError('publishAlarms requires a list of states');
    const states = given.flatMap((each) => stateOf(each)).filter(({ id }) => this.#options.isAlarm(id));
    const passing: DeviceAlarmState[] = [];
    let passedOver = 0;
    for (const state of states) {
      if (this.#mayPass(state.id)) passing.push(state);
      else {
        passedOver += Number(this.#waiting.has(state.id));
        this.#waiting.set(state.id, state);
      }
    }
    if (passing.length > 0) this.#options.send(passing);
    if (passedOver > 0) this.#options.onPassedOver(passedOver);
  }

  /** The link ends: what waits is sent now. */
  end(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#sent.clear();
    this.#left = maxStates;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    if (waiting.length > 0) this.#options.send(waiting);
  }

  #mayPass(id: number): boolean {
    this.#cancel ??= this.#options.clock.after(windowMs, () => this.#nextWindow());
    if (this.#waiting.has(id)) return false; // in order
    if (this.#sent.has(id)) return this.#left-- > 0;
    this.#sent.add(id);
    return true;
  }

  #nextWindow(): void {
    const waiting = [...this.#waiting.values()].filter(({ id }) => this.#options.isAlarm(id));
    this.#waiting.clear();
    this.end();
    if (waiting.length > 0) this.take(waiting);
  }
}

/** A fresh object of bounded size; none where it is no state. */
function stateOf(given: unknown): DeviceAlarmState[] {
  if (typeof given !== 'object' || given === null) return [];
  const { id, isActive, isAcknowledged, timeUs, authority, message } = given as Record<string, unknown>;
  if (typeof id !== 'number' || typeof isActive !== 'boolean' || typeof isAcknowledged !== 'boolean') return [];
  if (!Number.isSafeInteger(timeUs) || (timeUs as number) < 0) return [];
  return [
    {
      id,
      isActive,
      isAcknowledged,
      timeUs: timeUs as number,
      ...(typeof authority === 'string' && authority !== '' && { authority: cut(authority, maxAuthority) }),
      ...(typeof message === 'string' && message !== '' && { message: cut(message, maxMessage) }),
    },
  ];
}

function cut(text: string, limit: number): string {
  return text.slice(0, limit).toWellFormed();
}
