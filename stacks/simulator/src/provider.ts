// The provider of the simulator: puts the newest values of points on a bus, and has what is written there carried out.
import { randomUUID } from 'node:crypto';
import { Batch, fitValue, form, untilAborted, type Value } from '@telltale/schema';
import { type Provider, type ProviderOptions, Refused, type StackPoint, type StackPoints } from '@telltale/stack-kit';
import { aliveMs, type Bus, type BusMessage, openBus } from './bus.ts';

interface Variables {
  readonly bus: string;
  readonly gatherMs: number;
}

interface Served {
  readonly point: StackPoint;
  readonly writable: boolean;
  value: Value | undefined;
  quality: number;
  timeUs: number;
  /** Whether the bus has this value and quality; undefined while there is none. */
  told: boolean | undefined;
}

export function createProvider(options: ProviderOptions<Variables>): Provider {
  return new BusProvider(options);
}

class BusProvider implements Provider {
  readonly #options: ProviderOptions<Variables>;
  readonly #id = randomUUID();
  #bus: Bus | undefined;
  #served: Served[] = [];
  #indexes = new Map<number, number>();
  #byTag = new Map<string, Served>();
  readonly #batch = new Batch();
  /** Tags to which a write is under way. */
  readonly #writing = new Set<string>();
  #cancelTell: (() => void) | undefined;
  #cancelAlive: (() => void) | undefined;

  constructor(options: ProviderOptions<Variables>) {
    this.#options = options;
  }

  setPoints({ measurements, commands }: StackPoints): void {
    const before = this.#byTag;
    const serve = (writable: boolean) => (point: StackPoint) => {
      const same = before.get(point.address);
      const kept = same?.point.name === point.name && same.point.datatype === point.datatype ? same : undefined;
      const { value, quality = 0, timeUs = 0 } = kept ?? {};
      return { point, writable, value, quality, timeUs, told: kept?.told };
    };
    this.#served = [...measurements.map(serve(false)), ...commands.map(serve(true))];
    this.#indexes = new Map(this.#served.map(({ point }, index) => [point.id, index]));
    this.#byTag = new Map(this.#served.map((served) => [served.point.address, served]));
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
    for (let at = 0; at < batch.count; at++) {
      const served = this.#served[this.#indexes.get(batch.points[at] ?? -1) ?? -1];
      if (served === undefined) continue;
      if (batch.forms[at] !== form.none) served.value = batch.valueAt(at);
      served.quality = batch.qualities[at] ?? 0;
      served.timeUs = batch.times[at] ?? 0;
      served.told = false;
    }
    if (this.#bus === undefined) return;
    this.#cancelTell ??= this.#options.clock.after(this.#options.variables.gatherMs, () => this.#tell());
  }

  async close(): Promise<void> {
    this.#cancelTell?.();
    this.#cancelAlive?.();
    this.#cancelTell = undefined;
    this.#cancelAlive = undefined;
    this.#bus?.say({ kind: 'gone', provider: this.#id });
    this.#bus?.close();
    this.#bus = undefined;
  }

  #hear(message: BusMessage): void {
    if (message.kind === 'ask') this.#introduce();
    else if (message.kind === 'write' && message.provider === this.#id) {
      const { tag, value, write } = message;
      this.#write(tag, value).then(
        () => this.#bus?.say({ kind: 'written', write, failure: undefined }),
        (error: Error) => {
          const failure = { reason: error.message, isRefused: error instanceof Refused };
          this.#bus?.say({ kind: 'written', write, failure });
        },
      );
    }
  }

  async #write(tag: string, value: Value): Promise<void> {
    const served = this.#byTag.get(tag);
    if (!served?.writable) throw new Refused(`${this.#options.name} serves no command at ${tag}`);
    const { point } = served;
    const converted = fitValue(point.datatype, value);
    if (converted === undefined) throw new Refused(`${tag} is of datatype ${point.datatype}: the value does not fit`);
    if (this.#writing.has(tag)) throw new Refused(`a write to ${tag} is under way`);
    this.#writing.add(tag);
    try {
      await this.#options.write(point, converted);
    } finally {
      this.#writing.delete(tag);
    }
  }

  /** All that there is: what is served, and every value. */
  #introduce(): void {
    const tags = this.#served.map(({ point, writable }) => ({ tag: point.address, writable }));
    this.#bus?.say({ kind: 'serve', provider: this.#id, tags });
    for (const served of this.#served) if (served.told === true) served.told = false;
    this.#tell();
  }

  #tell(): void {
    this.#cancelTell?.();
    this.#cancelTell = undefined;
    if (this.#bus === undefined) return;
    for (const [index, served] of this.#served.entries()) {
      if (served.told !== false) continue;
      served.told = true;
      const { value, quality, timeUs } = served;
      if (value === undefined) this.#batch.none(index, quality, timeUs);
      else this.#batch.value(index, value, quality, timeUs);
    }
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
