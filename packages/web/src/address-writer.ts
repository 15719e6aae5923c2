// Writes the address of the page into the present entry of the browser's history, no faster than browsers take it: they refuse
// more than 100 in 30 seconds.

const mostAtOnce = 20;
const pauseMs = 400;

export class AddressWriter {
  readonly #write: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isWritten = true;
  #room = mostAtOnce;
  #countedMs = 0;

  constructor(write: () => void) {
    this.#write = write;
  }

  /** At once, or after a pause. */
  writeSoon(): void {
    this.#isWritten = false;
    const nowMs = performance.now();
    this.#room = Math.min(mostAtOnce, this.#room + (nowMs - this.#countedMs) / pauseMs);
    this.#countedMs = nowMs;
    if (this.#room >= 1) this.writeNow();
    else this.#timer ??= setTimeout(() => this.writeNow(), pauseMs);
  }

  /** What waits. */
  writeNow(): void {
    if (!this.#isWritten) {
      this.#room--;
      this.#write();
    }
    this.forget();
  }

  forget(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isWritten = true;
  }
}
