// etcd keeps what keys were before until somebody compacts it, and is full one day. The node that leads does that, as the API server of
// Kubernetes does: it compacts what is older than some minutes. Whoever watches and falls that far behind reads again.
import type { Clock } from '@telltale/schema';
import type { EtcdClient } from './etcd-client.ts';
import { EtcdRefusal } from './etcd-errors.ts';

const keptMs = 5 * 60_000;

export class EtcdHistory {
  /** Why it is kept for ever. */
  problem: string | undefined;
  readonly #etcd: EtcdClient;
  readonly #clock: Clock;
  #revision: number | undefined;
  #readMs = 0;

  constructor(etcd: EtcdClient, clock: Clock) {
    [this.#etcd, this.#clock] = [etcd, clock];
  }

  /** Told of the newest revision again and again; compacts at times, without anybody waiting. */
  trim(revision: number): void {
    const nowMs = this.#clock.monotonicMs();
    if (this.#revision !== undefined && nowMs - this.#readMs < keptMs) return;
    const old = this.#revision;
    [this.#revision, this.#readMs] = [revision, nowMs];
    if (old !== undefined) void this.#compact(old);
  }

  async #compact(revision: number): Promise<void> {
    try {
      await this.#etcd.compact(revision);
      this.problem = undefined;
    } catch (error) {
      // Somebody else may have been here before.
      const isRefused = error instanceof EtcdRefusal && error.kind !== 'compacted';
      this.problem = isRefused
        ? `etcd keeps all history and is full one day: this user may not compact it (${error.message}); start it with --auto-compaction-retention=1h`
        : undefined;
    }
  }
}
