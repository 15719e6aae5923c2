// Marks of browsers that have signed in to an account before: no credentials, they only let the browser be counted apart
// from everybody else who tries that account. Nothing is stored of them; the key that signs them is.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '@telltale/schema';

const form = /^([A-Za-z0-9_-]{22})\.([0-9a-z]{1,9})\.([A-Za-z0-9_-]{43})$/;
/** Half a year without signing in. */
export const markedForS = 180 * 86_400;
/** Of accounts in one browser: a station has as many people in all shifts. The newest first. */
const mostMarks = 20;

export class KnownDevices {
  readonly #key: Buffer;
  readonly #clock: Clock;

  constructor(key: Buffer, clock: Clock) {
    this.#key = key;
    this.#clock = clock;
  }

  /** What the browser that has just signed in to the account keeps, by what it brought; what it was counted by stays. */
  mark(brought: string | undefined, account: string): string {
    const device = this.deviceOf(brought, account) ?? randomBytes(16).toString('base64url');
    const until = (Math.floor(this.#clock.now() / 1e6) + markedForS).toString(36);
    const mark = `${device}.${until}.${this.#signature(account, device, until)}`;
    const others = marksOf(brought).filter((each) => form.test(each) && this.#read(each, account) === undefined);
    return [mark, ...others].slice(0, mostMarks).join('~');
  }

  /** By what to count the browser; undefined where it brings no mark of ours for the account, or one that is too old. */
  deviceOf(brought: string | undefined, account: string): string | undefined {
    for (const mark of marksOf(brought)) {
      const device = this.#read(mark, account);
      if (device !== undefined) return device;
    }
    return undefined;
  }

  #read(mark: string, account: string): string | undefined {
    const [, device, until, signature] = form.exec(mark) ?? [];
    if (device === undefined || until === undefined || signature === undefined) return undefined;
    const expected = this.#signature(account, device, until);
    if (!timingSafeEqual(Buffer.from(signature), Buffer.from(expected))) return undefined;
    return Number.parseInt(until, 36) * 1e6 > this.#clock.now() ? device : undefined;
  }

  #signature(account: string, device: string, until: string): string {
    return createHmac('sha256', this.#key)
      .update(JSON.stringify([account, device, until]))
      .digest('base64url');
  }
}

function marksOf(brought = ''): string[] {
  return brought.split('~', mostMarks);
}
