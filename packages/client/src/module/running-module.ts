// One function module from its start to its end: connects, answers the supervisor, runs cycles in an even rhythm, writes
// their outputs, and stops on request. Who requests it is left to the caller.
import { type Clock, systemClock, untilAborted, type Value } from '@telltale/schema/values';
import { Channel, type CommandUpdate, type MeasurementUpdate } from '../channel.ts';
import type { ModuleEnvironment } from './module-environment.ts';
import { type WriteFailure, writeOutputs } from './output-writes.ts';
import { Plant } from './plant.ts';
import { Rhythm } from './rhythm.ts';
import { WatchedPoints } from './watched-points.ts';

export interface ModuleOptions {
  /** Measurements that it reads. */
  readonly measurements?: readonly string[];
  /** Commands that it reads or writes. Those that it writes stand in `properties.writes` of the module as well. */
  readonly commands?: readonly string[];
  readonly cycleMs: number;
  /**
   * Called every `cycleMs`, never again before it and its writes have ended. While the link to the service is lost it is
   * called as well: everything is bad then. What it throws ends the module.
   */
  readonly cycle: (plant: Plant) => void | Promise<void>;
  /** Called once when the module is stopped, after its last cycle; what it writes is written. */
  readonly onStop?: (plant: Plant) => void | Promise<void>;
  /** Of each write that failed; where it is not given, a line says so when it begins and when it ends. */
  readonly onWriteFailed?: (failure: WriteFailure) => void;
  /** So long a cycle waits for the answers to its writes; 5 s where not given. */
  readonly writeTimeoutMs?: number;
  /** While a cycle takes longer, queries stay unanswered. By default ten cycles, at least 10 s. */
  readonly stuckAfterMs?: number;
  /** Stops the module; where it is not given, SIGTERM and SIGINT do. */
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
  /** Where lines for people go; the standard error, and so the module's log, where not given. */
  readonly log?: (line: string) => void;
}

const defaultWriteTimeoutMs = 5000;
const leastStuckMs = 10_000;
/** The link to a silent service is lost after twice this: its values are bad then. */
const heartbeatMs = 2000;
/** Of a status, as the service takes it. */
const maxStatusLength = 1000;

export class RunningModule {
  readonly #options: ModuleOptions;
  readonly #stop: AbortSignal;
  readonly #clock: Clock;
  readonly #log: (line: string) => void;
  readonly #channel: Channel;
  readonly #measurements: WatchedPoints<MeasurementUpdate>;
  readonly #commands: WatchedPoints<CommandUpdate>;
  /** Commands whose last write failed, and the reason that was reported. */
  readonly #failing = new Map<string, string>();
  #status = '';
  #beganMs: number | undefined;
  #isStuckReported = false;

  /** Throws where the options make no sense. */
  constructor({ wsUrl, token }: ModuleEnvironment, options: ModuleOptions, stop: AbortSignal) {
    if (!(options.cycleMs >= 1 && Number.isFinite(options.cycleMs))) {
      throw new TypeError(`cycleMs is a number of milliseconds of at least 1, not ${options.cycleMs}.`);
    }
    const { clock = systemClock, log = (line: string) => console.error(line) } = options;
    this.#options = options;
    this.#stop = stop;
    this.#clock = clock;
    this.#log = log;
    const channel = new Channel({ url: wsUrl, token, clock, heartbeatMs });
    this.#channel = channel;
    channel.onQuery((queryId) => this.#answer(queryId));
    channel.onState((state, reason) => {
      if (state === 'lost') log(`The link to the service is lost (${reason}): everything is bad until it is restored.`);
    });
    const common = { channel, clock };
    const onRefused = (kind: string) => (name: string, reason: string) => log(`${kind} ${name} is bad: ${reason}`);
    this.#measurements = new WatchedPoints({
      ...common,
      names: options.measurements ?? [],
      watch: (names) => channel.watchMeasurements(names),
      wireOf: ({ vtq }) => vtq,
      onRefused: onRefused('measurement'),
    });
    this.#commands = new WatchedPoints({
      ...common,
      names: options.commands ?? [],
      watch: (names) => channel.watchCommands(names),
      wireOf: ({ vt }) => vt,
      onRefused: onRefused('command'),
    });
  }

  /** Resolves when it was stopped and everything is closed; rejects with what a cycle throws. */
  async run(): Promise<void> {
    const { cycle, cycleMs, onStop } = this.#options;
    try {
      // The first cycle sees values; until they are there nothing good could come of it.
      await untilAborted(this.#stop, Promise.all([this.#measurements.known, this.#commands.known]));
      const rhythm = new Rhythm(cycleMs, this.#clock);
      let lastMs = this.#clock.monotonicMs() - cycleMs;
      while (!this.#stop.aborted) {
        const nowMs = this.#clock.monotonicMs();
        await this.#cycle(cycle, this.#plant((nowMs - lastMs) / 1000, rhythm.overruns));
        lastMs = nowMs;
        await rhythm.next(this.#stop);
      }
      if (onStop !== undefined) await this.#cycle(onStop, this.#plant(0, rhythm.overruns));
    } finally {
      this.#measurements.close();
      this.#commands.close();
      this.#channel.close();
    }
  }

  #plant(elapsedS: number, overruns: number): Plant {
    return new Plant({
      measurements: this.#measurements.image(),
      commands: this.#commands.image(),
      elapsedS,
      overruns,
      isConnected: this.#channel.state === 'connected',
      onStatus: (status) => {
        this.#status = status.slice(0, maxStatusLength);
      },
    });
  }

  async #cycle(call: (plant: Plant) => void | Promise<void>, plant: Plant): Promise<void> {
    this.#beganMs = this.#clock.monotonicMs();
    await call(plant);
    if (plant.outputs.size > 0) await this.#write(plant.outputs);
    this.#beganMs = undefined;
    this.#isStuckReported = false;
  }

  async #write(values: ReadonlyMap<string, Value>): Promise<void> {
    const { writeTimeoutMs = defaultWriteTimeoutMs, onWriteFailed } = this.#options;
    const known = this.#commands.image();
    const outputs = Array.from(values, ([name, value]) => ({ name, value, datatype: known.get(name)?.datatype }));
    const failures = await writeOutputs(this.#channel, outputs, writeTimeoutMs);
    if (onWriteFailed === undefined) this.#report(values, failures);
    else for (const failure of failures) onWriteFailed(failure);
  }

  /** A line when a write begins to fail, or fails otherwise, and one when it is good again: not one a cycle. */
  #report(values: ReadonlyMap<string, Value>, failures: readonly WriteFailure[]): void {
    const failed = new Map(failures.map((failure) => [failure.name, failure]));
    for (const name of values.keys()) {
      const failure = failed.get(name);
      const reason = failure?.error.message;
      if (reason === this.#failing.get(name)) continue;
      if (failure === undefined || reason === undefined) {
        this.#failing.delete(name);
        this.#log(`${name} is written again.`);
      } else {
        this.#failing.set(name, reason);
        this.#log(`${name} was not written with ${failure.value}: ${reason}`);
      }
    }
  }

  #answer(queryId: number): void {
    const { cycleMs, stuckAfterMs = Math.max(leastStuckMs, 10 * cycleMs) } = this.#options;
    const tookMs = this.#beganMs === undefined ? 0 : this.#clock.monotonicMs() - this.#beganMs;
    if (tookMs <= stuckAfterMs) {
      const status = this.#status === '' ? {} : { status: this.#status };
      this.#channel.request('AnswerQuery', { query_id: queryId, ...status }).catch(() => undefined); // it asks again
    } else if (!this.#isStuckReported) {
      this.#isStuckReported = true;
      this.#log(`The cycle has not ended for ${Math.round(tookMs / 1000)} s: queries stay unanswered until it does.`);
    }
  }
}
