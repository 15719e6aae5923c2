// What providers serve: hands them the values of their points, all of them when a provider comes up, and every change.
import { Batch, quality } from '@telltale/schema';
import {
  type Changes,
  type Commands,
  countQuality,
  type Measurements,
  noQualities,
  type QualityCounts,
} from '../points/index.ts';
import type { PointKind, StackIds } from './stack-ids.ts';

export type PublishToProvider = (provider: string, batch: Batch) => void;

export class ProviderFeed {
  readonly #measurements: Measurements;
  readonly #commands: Commands;
  readonly #ids: StackIds;
  readonly #publish: PublishToProvider;
  /** From the handle of a point to the providers that serve it. */
  readonly #served: { readonly [K in PointKind]: Map<number, Set<string>> } = {
    measurements: new Map(),
    commands: new Map(),
  };

  constructor(measurements: Measurements, commands: Commands, ids: StackIds, publish: PublishToProvider) {
    this.#measurements = measurements;
    this.#commands = commands;
    this.#ids = ids;
    this.#publish = publish;
    measurements.onChanges((changes) => this.#onChanges(changes));
    commands.onChange((handle) => this.#onCommand(handle));
  }

  serve(kind: PointKind, handle: number, provider: string): void {
    const providers = this.#served[kind].get(handle) ?? new Set();
    this.#served[kind].set(handle, providers.add(provider));
  }

  unserve(kind: PointKind, handle: number, provider: string): void {
    const providers = this.#served[kind].get(handle);
    providers?.delete(provider);
    if (providers?.size === 0) this.#served[kind].delete(handle);
  }

  serves(kind: PointKind, handle: number, provider: string): boolean {
    return this.#served[kind].get(handle)?.has(provider) === true;
  }

  /** Nothing is published of it until it is served again. */
  pause(kind: PointKind, handle: number): void {
    this.#served[kind].delete(handle);
  }

  /** By provider, the measurements that it serves, as it serves them. */
  countQualities(): Map<string, QualityCounts> {
    const found = new Map<string, QualityCounts>();
    for (const [handle, providers] of this.#served.measurements) {
      const status = this.#measurements.qualityOf(handle);
      for (const provider of providers) {
        const counts = found.get(provider) ?? noQualities();
        countQuality(counts, status);
        found.set(provider, counts);
      }
    }
    return found;
  }

  /** That serve a measurement. */
  providersOf(handle: number): Iterable<string> {
    return this.#served.measurements.get(handle) ?? [];
  }

  /** The present values of everything that a provider serves. */
  publishAll(provider: string): void {
    const batch = new Batch();
    for (const [handle, providers] of this.#served.measurements) {
      if (providers.has(provider)) this.#addMeasurement(batch, handle);
    }
    for (const [handle, providers] of this.#served.commands) {
      if (providers.has(provider)) this.#addCommand(batch, handle);
    }
    if (batch.count > 0) this.#publish(provider, batch);
  }

  #onChanges({ handles, count }: Changes): void {
    const served = this.#served.measurements;
    if (served.size === 0) return;
    const batches = new Map<string, Batch>();
    for (let at = 0; at < count; at++) {
      const handle = handles[at] as number;
      for (const provider of served.get(handle) ?? []) {
        const batch = batches.get(provider) ?? new Batch();
        batches.set(provider, batch);
        this.#addMeasurement(batch, handle);
      }
    }
    for (const [provider, batch] of batches) this.#publish(provider, batch);
  }

  #onCommand(handle: number): void {
    for (const provider of this.#served.commands.get(handle) ?? []) {
      const batch = new Batch(8);
      this.#addCommand(batch, handle);
      this.#publish(provider, batch);
    }
  }

  #addMeasurement(batch: Batch, handle: number): void {
    const points = this.#measurements;
    const id = this.#ids.idOf('measurements', handle);
    batch.value(id, points.valueOf(handle), points.qualityOf(handle), points.timeOf(handle));
  }

  #addCommand(batch: Batch, handle: number): void {
    const points = this.#commands;
    const id = this.#ids.idOf('commands', handle);
    const status = points.hasValue(handle) ? quality.good : quality.bad.notConnected;
    batch.value(id, points.valueOf(handle), status, points.timeOf(handle));
  }
}
