// How the configuration's thread asks whether a rendering can take effect before it commits it. It waits, its transaction
// open, until the service has made everything ready; what cannot be prepared is never stored.

const [pending, agreed, refused] = [0, 1, 2];
/** Of a reason. */
const mostBytes = 2048;

export class Agreement {
  readonly memory: SharedArrayBuffer;
  readonly #state: Int32Array;
  readonly #reason: Uint8Array;

  constructor(memory = new SharedArrayBuffer(8 + mostBytes)) {
    this.memory = memory;
    this.#state = new Int32Array(memory, 0, 2);
    this.#reason = new Uint8Array(memory, 8);
  }

  /** In the thread: sends the question, and blocks until it is answered. Undefined: it can; else why it cannot. */
  ask(send: () => void): string | undefined {
    Atomics.store(this.#state, 0, pending);
    send();
    Atomics.wait(this.#state, 0, pending);
    if (Atomics.load(this.#state, 0) === agreed) return undefined;
    return Buffer.from(this.#reason.subarray(0, this.#state[1])).toString();
  }

  /** In the service. */
  answer(reason: string | undefined): void {
    if (reason !== undefined) this.#state[1] = new TextEncoder().encodeInto(reason, this.#reason).written;
    Atomics.store(this.#state, 0, reason === undefined ? agreed : refused);
    Atomics.notify(this.#state, 0);
  }
}
