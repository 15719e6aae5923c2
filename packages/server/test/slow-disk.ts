// A disk for the states of alarms that answers when a test says so: what it was asked waits in order.
import type { AlarmStore, StoredAlarm } from '../src/alarms/index.ts';

interface Request {
  readonly name: string;
  /** Undefined: to be forgotten. */
  readonly alarm: StoredAlarm | undefined;
  readonly resolve: () => void;
  readonly reject: (reason: Error) => void;
}

export class SlowDisk implements AlarmStore {
  readonly #requests: Request[] = [];
  /** What is on it, by name. */
  readonly alarms: Map<string, StoredAlarm>;

  constructor(alarms: ReadonlyMap<string, StoredAlarm> = new Map()) {
    this.alarms = new Map(alarms);
  }

  saveAlarm(alarm: StoredAlarm): Promise<void> {
    return this.#ask(alarm.name, alarm);
  }

  deleteAlarm(name: string): Promise<void> {
    return this.#ask(name, undefined);
  }

  /** What waits for it, oldest first: the state, or that it is to be forgotten. */
  get pending(): string[] {
    return this.#requests.map(({ name, alarm }) => `${name} ${alarm?.state ?? 'forgotten'}`);
  }

  get next(): Pick<Request, 'name' | 'alarm'> | undefined {
    return this.#requests[0];
  }

  /** Carries out the oldest request, or refuses it, and lets everybody hear of it. */
  async answer(isTaken = true): Promise<void> {
    const request = this.#requests.shift();
    if (request === undefined) throw new Error('Nothing waits for the disk');
    const { name, alarm, resolve, reject } = request;
    if (!isTaken) reject(new Error('no space is left'));
    else {
      if (alarm === undefined) this.alarms.delete(name);
      else this.alarms.set(name, alarm);
      resolve();
    }
    await allHeard();
  }

  async answerAll(): Promise<void> {
    await allHeard();
    while (this.#requests.length > 0) await this.answer();
  }

  #ask(name: string, alarm: StoredAlarm | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#requests.push({ name, alarm, resolve, reject });
    return promise;
  }
}

/** Every promise that can be settled by now has been, and whoever waited for it has gone on. */
export function allHeard(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
