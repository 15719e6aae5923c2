// Our own engine of version 3: an identity that outlives restarts, and how often and how long it has run, so that no
// message can be played back to it.
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@telltale/schema';
import { replaceFile, type StackLog } from '@telltale/stack-kit';
import { type Account, isUser } from './account.ts';
import { timeWindowSeconds } from './remote-engine.ts';
import type { EngineTime } from './usm.ts';

const maxBoots = 2 ** 31 - 1;

export class LocalEngine {
  readonly engineId: Buffer;
  readonly #boots: number;
  readonly #clock: Clock;
  readonly #startMs: number;

  constructor(engineId: Buffer, boots: number, clock: Clock) {
    this.engineId = engineId;
    this.#boots = boots;
    this.#clock = clock;
    this.#startMs = clock.monotonicMs();
  }

  /** From the folder of the instance, with the next boot number. If it cannot be stored, it is a new, unique engine. */
  static async start(folder: string, clock: Clock, log: StackLog): Promise<LocalEngine> {
    const path = join(folder, 'snmp-engine.json');
    const before = await readEngine(path);
    const { engineId, boots } = before ?? { engineId: newEngineId(), boots: 0 };
    try {
      await replaceFile(path, `${JSON.stringify({ engineId: engineId.toString('hex'), boots: boots + 1 })}\n`);
      return new LocalEngine(engineId, boots + 1, clock);
    } catch (error) {
      log.warn(
        `the engine's boot counter cannot be stored, so the engine gets a new identity: ${(error as Error).message}`,
      );
      return new LocalEngine(newEngineId(), 1, clock);
    }
  }

  /** Only where an account is a user: the others need none. */
  static async startFor(
    accounts: readonly Account[],
    { folder, clock, log }: { readonly folder: string; readonly clock: Clock; readonly log: StackLog },
  ): Promise<LocalEngine | undefined> {
    return accounts.some(isUser) ? LocalEngine.start(folder, clock, log) : undefined;
  }

  now(): EngineTime {
    const time = Math.floor((this.#clock.monotonicMs() - this.#startMs) / 1000);
    return { engineId: this.engineId, boots: this.#boots, time };
  }

  isInTimeWindow(boots: number, time: number): boolean {
    const now = this.now();
    return boots === now.boots && boots < maxBoots && Math.abs(time - now.time) <= timeWindowSeconds;
  }
}

/** The form of RFC 3411 with octets of our choice, under the enterprise that the default base is under. */
function newEngineId(): Buffer {
  return Buffer.concat([Buffer.from('80001f8805', 'hex'), randomBytes(12)]);
}

async function readEngine(path: string): Promise<{ engineId: Buffer; boots: number } | undefined> {
  try {
    const { engineId, boots } = JSON.parse(await readFile(path, 'utf8')) as { engineId?: unknown; boots?: unknown };
    if (typeof engineId !== 'string' || !/^(?:[0-9a-f]{2}){5,32}$/.test(engineId)) return undefined;
    if (typeof boots !== 'number' || !Number.isInteger(boots) || boots < 0 || boots >= maxBoots - 1) return undefined;
    return { engineId: Buffer.from(engineId, 'hex'), boots };
  } catch {
    return undefined;
  }
}
