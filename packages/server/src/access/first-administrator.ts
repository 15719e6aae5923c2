// The one-time link with which the first administrator is made in a browser of this machine. It is in a file that only the
// owner of the data folder can read, for a quarter of an hour after a start, and never in the log.
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, ProblemError } from '@telltale/schema';
import { isLoopbackAddress } from './loopback.ts';

export const linkFile = 'first-administrator';
const validMs = 15 * 60e3;

export interface FirstAdministratorOptions {
  readonly folder: string;
  readonly clock: Clock;
}

export class FirstAdministrator {
  readonly #options: FirstAdministratorOptions;
  #code: Buffer | undefined;
  #cancel: () => void = () => undefined;

  constructor(options: FirstAdministratorOptions) {
    this.#options = options;
  }

  /** Writes the file, and returns its path. `setup` is the address of the page, to which the code is added. */
  begin(setup: string): string {
    const path = this.#path;
    rmSync(path, { force: true }); // of a server that was killed
    const code = randomBytes(24).toString('base64url');
    // The code is behind the #, which browsers send to nobody.
    writeFileSync(path, `${setup}#${code}\n`, { mode: 0o600, flag: 'wx' });
    this.#code = Buffer.from(code);
    this.#cancel = this.#options.clock.after(validMs, () => this.end());
    return path;
  }

  /** Throws where the code is wrong or over, or comes from elsewhere. */
  check(code: string, source: string | undefined): void {
    const given = Buffer.from(code);
    const isRight = this.#code?.length === given.length && timingSafeEqual(this.#code, given);
    if (isRight && isLoopbackAddress(source)) return;
    throw new ProblemError(
      'not-allowed',
      `The first administrator is made with: telltale access init; or, on the machine itself and within 15 minutes of a start of the server, with the link in the file ${linkFile} of the data folder.`,
    );
  }

  /** There is one, or the server stops. The file of another server stays. */
  end(): void {
    this.#cancel();
    if (this.#code !== undefined) rmSync(this.#path, { force: true });
    this.#code = undefined;
  }

  get #path(): string {
    return join(this.#options.folder, linkFile);
  }
}
