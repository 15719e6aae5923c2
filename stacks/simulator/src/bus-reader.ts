// A connector's end of a bus: the newest value of each tag of any provider, and writes to the one that serves it.

import { randomUUID } from 'node:crypto';
import { Batch, form, onAbort, type Value } from '@telltale/schema';
import { type WriteResult, written } from '@telltale/stack-kit';
import { type Bus, type BusMessage, openBus, type ServedTag, silenceMs } from './bus.ts';

export interface BusReading {
  /** Undefined until the provider has put a value on the bus. */
  readonly value: Value | undefined;
  readonly quality: number;
  readonly timeUs: number;
}

interface Tag {
  readonly tag: string;
  readonly writable: boolean;
  reading: BusReading | undefined;
}

interface Provider {
  tags: Tag[];
  byName: Map<string, Tag>;
  silentMs: number;
}

interface PendingWrite {
  readonly provider: string;
  end(result: WriteResult): void;
}

export class BusReader {
  readonly #name: string;
  #bus: Bus | undefined;
  /** In the order in which they were first heard: of two that serve the same tag, the first counts. */
  readonly #providers = new Map<string, Provider>();
  readonly #pending = new Map<string, PendingWrite>();

  constructor(name: string) {
    this.#name = name;
  }

  open(): void {
    this.#bus ??= openBus(this.#name, (message) => this.#hear(message));
    this.#bus.say({ kind: 'ask' });
  }

  close(): void {
    this.#bus?.close();
    this.#bus = undefined;
    for (const id of [...this.#providers.keys()]) this.#forget(id);
  }

  /** Once a scan period: so much time has passed in which providers could have been heard. */
  pass(ms: number): void {
    for (const [id, provider] of this.#providers) {
      if (provider.silentMs >= silenceMs) this.#forget(id);
      else provider.silentMs += ms;
    }
  }

  /** Undefined if no provider serves the tag, or it has no value yet. */
  read(tag: string): BusReading | undefined {
    for (const { byName } of this.#providers.values()) {
      const found = byName.get(tag);
      if (found !== undefined) return found.reading;
    }
    return undefined;
  }

  async write(tag: string, value: Value, signal: AbortSignal): Promise<WriteResult> {
    const [provider, found] = this.#serving(tag);
    if (found === undefined) return written.refused(`no provider on the bus ${this.#name} serves ${tag}`);
    if (!found.writable) return written.refused(`bus(${tag}) is a measurement of its provider: it can only be read`);
    signal.throwIfAborted();
    const write = randomUUID();
    const { promise, resolve: end } = Promise.withResolvers<WriteResult>();
    const stopListening = onAbort(signal, () => {
      end(written.unknown('aborted before an answer: whether it was written is unknown'));
    });
    this.#pending.set(write, { provider, end });
    try {
      this.#bus?.say({ kind: 'write', provider, write, tag, value });
      return await promise;
    } finally {
      this.#pending.delete(write);
      stopListening();
    }
  }

  #serving(tag: string): [provider: string, tag: Tag | undefined] {
    for (const [id, { byName }] of this.#providers) {
      const found = byName.get(tag);
      if (found !== undefined) return [id, found];
    }
    return ['', undefined];
  }

  #hear(message: BusMessage): void {
    switch (message.kind) {
      case 'serve':
        this.#serve(message.provider, message.tags);
        break;
      case 'values':
        this.#take(message.provider, Batch.from(message.batch));
        break;
      case 'alive': {
        const provider = this.#providers.get(message.provider);
        // One that was given up for silent is asked what it serves.
        if (provider === undefined) this.#bus?.say({ kind: 'ask' });
        else provider.silentMs = 0;
        break;
      }
      case 'gone':
        this.#forget(message.provider);
        break;
      case 'written':
        this.#pending.get(message.write)?.end(message.result);
        break;
      default:
      // Of other connectors, and for providers.
    }
  }

  #serve(id: string, served: readonly ServedTag[]): void {
    const before = this.#providers.get(id);
    const tags = served.map(({ tag, writable }) => ({ tag, writable, reading: before?.byName.get(tag)?.reading }));
    const byName = new Map(tags.map((each) => [each.tag, each]));
    this.#providers.set(id, { tags, byName, silentMs: 0 });
  }

  #take(id: string, batch: Batch): void {
    const provider = this.#providers.get(id);
    if (provider === undefined) return;
    provider.silentMs = 0;
    for (let at = 0; at < batch.count; at++) {
      const tag = provider.tags[batch.points[at] ?? 0];
      if (tag === undefined) continue;
      const value = batch.forms[at] === form.none ? tag.reading?.value : batch.valueAt(at);
      tag.reading = { value, quality: batch.qualities[at] ?? 0, timeUs: batch.times[at] ?? 0 };
    }
  }

  #forget(id: string): void {
    this.#providers.delete(id);
    for (const pending of this.#pending.values()) {
      if (pending.provider !== id) continue;
      pending.end(written.unknown('the provider has stopped: whether it was written is unknown'));
    }
  }
}
