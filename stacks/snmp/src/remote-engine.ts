// The engine of another, as version 3 knows it: its identity, and the time that its clock shows by now.
import type { Clock } from '@telltale/schema';
import type { SecuredMessage } from './message.ts';
import type { EngineTime } from './usm.ts';

/** How far messages may be off, in seconds, as RFC 3414 has it. */
export const timeWindowSeconds = 150;

export class RemoteEngine {
  readonly #clock: Clock;
  readonly #engineId: Buffer;
  #boots: number;
  /** What its clock showed when ours, which only ever runs forward, showed `#atMs`. */
  #time: number;
  #atMs: number;
  /** Whether the time comes from an authenticated message. */
  #isCertain: boolean;

  constructor(clock: Clock, message: SecuredMessage, isCertain: boolean) {
    this.#clock = clock;
    this.#atMs = clock.monotonicMs();
    this.#engineId = Buffer.from(message.engineId);
    this.#boots = message.engineBoots;
    this.#time = message.engineTime;
    this.#isCertain = isCertain;
  }

  /** From an unauthenticated report: the time of a known engine is not trusted. */
  static learn(clock: Clock, message: SecuredMessage, known: RemoteEngine | undefined): RemoteEngine | undefined {
    if (message.engineId.length < 5) return known;
    return known?.isIt(message.engineId) === true ? known : new RemoteEngine(clock, message, false);
  }

  isIt(engineId: Buffer): boolean {
    return this.#engineId.equals(engineId);
  }

  now(): EngineTime {
    const passed = Math.floor((this.#clock.monotonicMs() - this.#atMs) / 1000);
    return { engineId: this.#engineId, boots: this.#boots, time: this.#time + passed };
  }

  /** Of a signed message: whether it is of now. Its time is learned where it is ahead. */
  accepts({ engineBoots, engineTime }: SecuredMessage): boolean {
    const { boots, time } = this.now();
    const isNewer = engineBoots > boots || (engineBoots === boots && engineTime > time);
    if (isNewer || !this.#isCertain) {
      this.#set(engineBoots, engineTime);
      return engineBoots < 2 ** 31 - 1;
    }
    return engineBoots === boots && engineTime >= time - timeWindowSeconds;
  }

  /** Its clock as a signed report shows it; never back to boots that are over. */
  correct({ engineBoots, engineTime }: SecuredMessage): void {
    if (engineBoots >= this.#boots || !this.#isCertain) this.#set(engineBoots, engineTime);
  }

  #set(boots: number, time: number): void {
    this.#boots = boots;
    this.#time = time;
    this.#atMs = this.#clock.monotonicMs();
    this.#isCertain = true;
  }
}
