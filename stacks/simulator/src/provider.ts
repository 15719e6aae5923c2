// The provider of the simulator: puts the newest values of points on a bus, and has what is written there carried out.
import { randomUUID } from 'node:crypto';
import { Batch, fitValue, untilAborted, type Value } from '@telltale/schema';
import {
  type Provider,
  type ProviderOptions,
  type ServedPoint,
  ServedPoints,
  type StackPoints,
  type WriteResult,
  written,
} from '@telltale/stack-kit';
import { aliveMs, type Bus, type BusMessage, openBus } from './bus.ts';

interface Variables {
  readonly bus: string;
  readonly gatherMs: number;
}

export function createProvider(options: ProviderOptions<Variables>): Provider {
  return new BusProvider(options);
}

class BusProvider implements Provider {
  readonly #options: ProviderOptions<Variables>;
  readonly #id = randomUUID();
  #bus: Bus | undefined;
  readonly #points = new ServedPoints();
  /** By which the bus numbers them. */
  #indexes = new Map<ServedPoint, number>();
  #byTag = new Map<string, ServedPoint>();
  readonly #changed = new Set<ServedPoint>();
  readonly #batch = new Batch();
  readonly #writing = new Set<string>();
  #cancelPublish: (() => void) | undefined;
  #cancelAlive: (() => void) | undefined;

  constructor(options: ProviderOptions<Variables>) {
    this.#options = options;
  }

  setPoints(points: StackPoints): void {
    this.#points.setPoints(points);
    this.#changed.clear();
    this.#indexes = new Map(this.#points.all.map((served, index) => [served, index]));
    this.#byTag = new Map(this.#points.all.map((served) => [served.point.address, served]));
    this.#introduce();
  }

  async connect(): Promise<void> {
    this.#bus ??= openBus(this.#options.variables.bus, (message) => this.#hear(message));
    this.#introduce();
    this.#live();
  }

  async run(signal: AbortSignal): Promise<void> {
    await untilAborted(signal);
  }

  publish(batch: Batch): void {
    this.#points.take(batch, (served) => this.#changed.add(served));
    if (this.#bus === undefined) return;
    this.#cancelPublish ??= this.#options.clock.after(this.#options.variables.gatherMs, () => this.#publish());
  }

  async close(): Promise<void> {
    this.#cancelPublish?.();
    this.#cancelAlive?.();
    this.#cancelPublish = undefined;
    this.#cancelAlive = undefined;
    this.#bus?.say({ kind: 'gone', provider: this.#id });
    this.#bus?.close();
    this.#bus = undefined;
  }

  #hear(message: BusMessage): void {
    if (message.kind === 'ask') this.#introduce();
    else if (message.kind === 'write' && message.provider === this.#id) {
      const { tag, value, write } = message;
      this.#write(tag, value).then((result) => this.#bus?.say({ kind: 'written', write, result }));
    }
  }

  async #write(tag: string, value: Value): Promise<WriteResult> {
    const served = this.#byTag.get(tag);
    if (!served?.isCommand) return written.refused(`${this.#options.name} serves no command at ${tag}`);
    const { point } = served;
    const converted = fitValue(point.datatype, value);
    if (converted === undefined) {
      return written.refused(`${tag} is of datatype ${point.datatype}: the value does not fit`);
    }
    if (this.#writing.has(tag)) return written.refused(`a write to ${tag} is pending`);
    this.#writing.add(tag);
    try {
      return await this.#options.write(point, converted);
    } finally {
      this.#writing.delete(tag);
    }
  }

  /** All that there is: what is served, and every value. */
  #introduce(): void {
    const tags = this.#points.all.map(({ point, isCommand }) => ({ tag: point.address, writable: isCommand }));
    this.#bus?.say({ kind: 'serve', provider: this.#id, tags });
    for (const served of this.#points.all) if (served.timeUs > 0) this.#changed.add(served);
    this.#publish();
  }

  #publish(): void {
    this.#cancelPublish?.();
    this.#cancelPublish = undefined;
    if (this.#bus === undefined) return;
    for (const served of this.#changed) {
      const index = this.#indexes.get(served) as number;
      const { value, quality, timeUs } = served;
      if (value === undefined) this.#batch.none(index, quality, timeUs);
      else this.#batch.value(index, value, quality, timeUs);
    }
    this.#changed.clear();
    if (this.#batch.count > 0) {
      this.#bus.say({ kind: 'values', provider: this.#id, batch: this.#batch.take() });
    }
  }

  #live(): void {
    this.#cancelAlive?.();
    this.#cancelAlive = this.#options.clock.after(aliveMs, () => {
      this.#bus?.say({ kind: 'alive', provider: this.#id });
      this.#live();
    });
  }
}
