// A function module as its rules say it, in the plainest way: what it is, what it waits for, and when that is due. The
// real ones are held against it.
import { isDeepStrictEqual } from 'node:util';
import type { FunctionModule } from '@telltale/schema';

const pausesMs = [1000, 2000, 4000, 8000, 16_000, 32_000];

interface PlainRun {
  isStarted: boolean;
  isReady: boolean;
  order: 'run' | 'stop' | 'restart' | 'end as silent';
  /** By number, oldest first. */
  connections: number[];
  askedAt: number | undefined;
  askAt: number;
  aloneSince: number;
}

/** What became of a request. */
export interface PlainRequest {
  outcome: 'waits' | 'done' | 'unknown-object' | 'module-disabled' | 'module-failed' | 'stopping';
}

export class PlainModule {
  nowMs: number;
  definition: FunctionModule | undefined;
  run: PlainRun | undefined;
  rest: 'STOP' | 'FAIL' = 'STOP';
  restartsAt: number | undefined;
  /** Whether its times count. */
  hasTimes = false;
  nextTimeAt = 0;
  restarts = 0;
  exitCode: number | null = null;
  hasFailed = false;
  /** Of all time. */
  starts = 0;
  /** Since somebody acted. */
  recent: number[] = [];
  pauses = 0;
  toStart: PlainRequest[] = [];
  toStop: PlainRequest[] = [];

  constructor(nowMs: number) {
    this.nowMs = nowMs;
  }

  get state(): string {
    if (this.run !== undefined) return this.run.isReady ? 'RUN' : 'INIT';
    return this.restartsAt !== undefined ? 'INIT' : this.rest;
  }

  get nextStartMs(): number | undefined {
    return this.restartsAt ?? (this.hasTimes ? this.nextTimeAt : undefined);
  }

  get #timeoutMs(): number {
    return this.definition?.queryTimeout ?? 0;
  }

  put(definition: FunctionModule): void {
    const before = this.definition;
    this.definition = definition;
    if (before === undefined) {
      this.exitCode = null;
      this.hasFailed = false;
    }
    if (before !== undefined && isDeepStrictEqual(essence(before), essence(definition))) {
      if (before.queryTimeout !== definition.queryTimeout) this.#timeoutChanged();
      return;
    }
    const wasAtItsTime = before?.runMode?.startsWith('cron') && this.run !== undefined && this.run.order !== 'stop';
    this.#calmDown();
    this.rest = 'STOP';
    this.restarts = 0;
    if (definition.enabled === false) this.#end('stop');
    else if (!definition.runMode?.startsWith('cron')) this.#act();
    else {
      this.#haveTimes();
      if (wasAtItsTime) this.#act();
      else this.#end('stop');
    }
  }

  remove(): void {
    this.#calmDown();
    this.rest = 'STOP';
    this.#end('stop');
    this.definition = undefined;
  }

  request(kind: 'start' | 'stop' | 'restart'): PlainRequest {
    const request: PlainRequest = { outcome: 'waits' };
    if (this.definition === undefined) return { outcome: 'unknown-object' };
    if (kind === 'stop') {
      this.#calmDown();
      this.rest = 'STOP';
      if (this.run === undefined) return { outcome: 'done' };
      this.#end('stop');
      this.toStop.push(request);
      return request;
    }
    if (this.definition.enabled === false) return { outcome: 'module-disabled' };
    this.#haveTimes();
    if (kind === 'start' && this.run?.order === 'run') {
      if (this.run.isStarted) return { outcome: 'done' };
    } else this.#act();
    this.toStart.push(request);
    return request;
  }

  replaced(): void {
    if (this.definition === undefined) return;
    const runs = this.run !== undefined && this.run.order !== 'stop';
    if (runs || this.restartsAt !== undefined || (this.run === undefined && this.rest === 'FAIL')) this.#act();
  }

  processStarted(): void {
    const { run } = this;
    if (run === undefined) return;
    run.isStarted = true;
    if (run.order !== 'run') return;
    this.#answer(this.toStart, 'done');
    if (this.#timeoutMs === 0) run.isReady = true;
    else if (run.connections.length > 0) run.askedAt = this.nowMs;
    else run.aloneSince = this.nowMs;
  }

  processEnded(end: { code: number } | { mayPass: boolean }): void {
    const order = this.run?.order;
    this.run = undefined;
    if ('code' in end) this.exitCode = end.code;
    this.#answer(this.toStop, 'done');
    if (order === 'restart') {
      this.#start();
      return;
    }
    this.#answer(this.toStart, 'module-failed');
    if (order === 'stop') return;
    const failed = order === 'end as silent' || !('code' in end) || end.code !== 0;
    this.hasFailed ||= failed;
    const { respawn, runMode = 'service' } = this.definition as FunctionModule;
    const canRestart = 'code' in end || end.mayPass;
    if (runMode.startsWith('cron')) this.rest = 'STOP';
    else if (respawn && canRestart && (failed || runMode === 'service')) this.#restart();
    else this.rest = failed ? 'FAIL' : 'STOP';
  }

  connect(connection: number): void {
    const { run } = this;
    if (run?.order !== 'run') return;
    run.connections.push(connection);
    if (run.isStarted && this.#timeoutMs > 0) run.askedAt ??= this.nowMs;
  }

  disconnect(connection: number): void {
    const { run } = this;
    if (!run?.connections.includes(connection)) return;
    run.connections = run.connections.filter((other) => other !== connection);
    run.aloneSince = this.nowMs;
  }

  /** Whether it was asked something. */
  answer(): boolean {
    const { run } = this;
    if (run?.askedAt === undefined) return false;
    run.askedAt = undefined;
    run.isReady = true;
    run.askAt = this.nowMs + Math.min(Math.max(this.#timeoutMs / 2, 100), 10_000);
    run.aloneSince = this.nowMs;
    return true;
  }

  advance(ms: number): void {
    const endMs = this.nowMs + ms;
    for (let dueMs = this.#dueMs(); dueMs <= endMs; dueMs = this.#dueMs()) {
      this.nowMs = dueMs;
      if (dueMs === this.restartsAt) {
        this.restartsAt = undefined;
        this.restarts++;
        this.#start();
      } else if (dueMs === this.#silentAt()) {
        this.hasFailed = true;
        this.#end('end as silent');
      } else if (this.hasTimes && dueMs === this.nextTimeAt) {
        this.nextTimeAt += 60_000;
        if (this.run === undefined) this.#act();
        else this.hasFailed = true;
      } else if (this.run !== undefined) this.run.askedAt = dueMs;
    }
    this.nowMs = endMs;
  }

  #dueMs(): number {
    const askAt = this.#isWatched() && this.#silentAt() === Infinity ? (this.run?.askAt ?? Infinity) : Infinity;
    return Math.min(this.restartsAt ?? Infinity, this.hasTimes ? this.nextTimeAt : Infinity, this.#silentAt(), askAt);
  }

  #isWatched(): boolean {
    return this.run?.isStarted === true && this.run.order === 'run' && this.#timeoutMs > 0;
  }

  #silentAt(): number {
    const { run } = this;
    if (run === undefined || !this.#isWatched()) return Infinity;
    if (run.askedAt !== undefined) return run.askedAt + this.#timeoutMs;
    return run.connections.length === 0 ? run.aloneSince + this.#timeoutMs : Infinity;
  }

  #timeoutChanged(): void {
    const { run } = this;
    if (run?.order !== 'run' || !run.isStarted) return;
    if (this.#timeoutMs === 0) {
      run.isReady = true;
      run.askedAt = undefined;
    } else if (run.askedAt !== undefined || run.connections.length > 0) run.askedAt = this.nowMs;
    else run.aloneSince = this.nowMs;
  }

  #restart(): void {
    if (this.nowMs - (this.recent.at(-1) ?? 0) >= 60_000) this.pauses = 0;
    const atMs = this.nowMs + (pausesMs[this.pauses++] ?? 60_000);
    if (this.recent.filter((startMs) => atMs - startMs < 60_000).length >= 5) {
      this.rest = 'FAIL';
      this.hasFailed = true;
    } else this.restartsAt = atMs;
  }

  /** Somebody, or its time, wants it to run. */
  #act(): void {
    this.recent = [];
    this.pauses = 0;
    this.restarts = 0;
    this.restartsAt = undefined;
    if (this.run === undefined) this.#start();
    else this.#end('restart');
  }

  #start(): void {
    this.starts++;
    this.recent.push(this.nowMs);
    this.run = {
      isStarted: false,
      isReady: false,
      order: 'run',
      connections: [],
      askedAt: undefined,
      askAt: 0,
      aloneSince: 0,
    };
  }

  #end(order: PlainRun['order']): void {
    if (this.run === undefined) return;
    this.run.order = order;
    if (order !== 'stop') this.run.isReady = false;
    this.run.connections = [];
    this.run.askedAt = undefined;
  }

  #haveTimes(): void {
    if (this.hasTimes || !this.definition?.runMode?.startsWith('cron')) return;
    this.hasTimes = true;
    this.nextTimeAt = (Math.floor(this.nowMs / 60_000) + 1) * 60_000;
  }

  #calmDown(): void {
    this.restartsAt = undefined;
    this.hasTimes = false;
  }

  #answer(requests: PlainRequest[], outcome: PlainRequest['outcome']): void {
    for (const request of requests.splice(0)) request.outcome = outcome;
  }
}

function essence(definition: FunctionModule): unknown {
  const { description: _, termToKill: __, queryTimeout: ___, properties, ...rest } = definition;
  return rest;
}
