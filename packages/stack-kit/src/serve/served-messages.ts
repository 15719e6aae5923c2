// Clients of a provider that send messages, such as datagrams: stored when they come, so that the system has room for
// those of others, and carried out when it is the turn of their sender. What finds no room, or waits for too long, is lost
// and counted.
import type { Admitted, ServedClients } from './served-clients.ts';

export interface ServedMessagesOptions<Message> {
  readonly clients: ServedClients;
  /** Carries one out. Never throws. */
  readonly take: (message: Message) => void;
  /** Of all senders. One may have as much as is free: so there is room for others, however many never stop. 4 MiB. */
  readonly maxBytes?: number;
  /** What has waited for longer is lost. 2 s: its sender has given up by then, or has asked again. */
  readonly maxAgeMs?: number;
}

const defaultMaxBytes = 4 * 1024 * 1024;
const defaultMaxAgeMs = 2000;
/** What a message takes beside its bytes. */
const messageBytes = 200;
/** So many datagrams are read in a turn of the event loop at most: where they came, the system has more. */
const atOnce = 32;
/** A list is shortened after so many, since each time costs as much as it is long. */
const spliceAfter = 1000;
/** Senders that are known, with how much each has had. */
const maxSenders = 1000;

interface Stored<Message> {
  readonly message: Message;
  readonly bytes: number;
  readonly atMs: number;
}

interface Sender<Message> extends Admitted {
  readonly stored: Stored<Message>[];
  /** How many of them are done. */
  done: number;
  bytes: number;
}

export class ServedMessages<Message> {
  readonly #options: ServedMessagesOptions<Message>;
  /** The one that had nothing stored for the longest time first. */
  readonly #senders = new Map<string, Sender<Message>>();
  #bytes = 0;
  /** Since the last one was carried out. */
  #heard = 0;

  constructor(options: ServedMessagesOptions<Message>) {
    this.#options = options;
  }

  /** False where there is no room for it, which is counted. */
  hear(name: string, message: Message, length: number): boolean {
    const { clients, maxBytes = defaultMaxBytes } = this.#options;
    if (++this.#heard >= atOnce) clients.turns.hurry();
    const bytes = length + messageBytes;
    const sender = this.#sender(name);
    if (sender === undefined || sender.bytes + bytes > maxBytes - this.#bytes) {
      clients.meter.unread(1);
      return false;
    }
    sender.stored.push({ message, bytes, atMs: clients.nowMs });
    sender.bytes += bytes;
    this.#bytes += bytes;
    if (sender.stored.length - sender.done === 1) clients.turns.join(sender);
    return true;
  }

  /** What is stored is thrown away. */
  close(): void {
    for (const sender of this.#senders.values()) this.#forget(sender);
    this.#senders.clear();
    this.#bytes = 0;
  }

  #next(sender: Sender<Message>): boolean {
    const { clients, take, maxAgeMs = defaultMaxAgeMs } = this.#options;
    this.#heard = 0;
    const oldMs = clients.nowMs - maxAgeMs;
    let first = sender.stored[sender.done];
    for (; first !== undefined && first.atMs < oldMs; first = sender.stored[sender.done]) {
      this.#remove(sender, first);
      clients.meter.unread(1);
    }
    if (first === undefined || !clients.admit(sender)) return false;
    this.#remove(sender, first);
    take(first.message);
    return sender.stored.length > 0;
  }

  /** The first one. */
  #remove(sender: Sender<Message>, { bytes }: Stored<Message>): void {
    sender.bytes -= bytes;
    this.#bytes -= bytes;
    if (++sender.done < sender.stored.length && sender.done < spliceAfter) return;
    sender.stored.splice(0, sender.done);
    sender.done = 0;
  }

  #sender(name: string): Sender<Message> | undefined {
    const known = this.#senders.get(name);
    if (known !== undefined) {
      if (known.stored.length > 0) return known;
      this.#senders.delete(name);
      this.#senders.set(name, known);
      return known;
    }
    if (this.#senders.size >= maxSenders && !this.#makeRoom()) return undefined;
    const sender: Sender<Message> = {
      usedMs: 0,
      rate: this.#options.clients.newRate(),
      cancelHold: () => {},
      next: () => this.#next(sender),
      stored: [],
      done: 0,
      bytes: 0,
    };
    this.#senders.set(name, sender);
    return sender;
  }

  /** The first of those with nothing stored is forgotten. */
  #makeRoom(): boolean {
    for (const [name, sender] of this.#senders) {
      if (sender.stored.length > 0) continue;
      this.#senders.delete(name);
      this.#forget(sender);
      return true;
    }
    return false;
  }

  #forget(sender: Sender<Message>): void {
    sender.cancelHold();
    this.#options.clients.turns.leave(sender);
  }
}
