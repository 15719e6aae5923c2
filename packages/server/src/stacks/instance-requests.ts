// What connectors and providers ask of the server, and how it is answered: a problem becomes a refusal, a mistake is logged.
import { Batch, type BatchMessage, ProblemError } from '@telltale/schema';
import { type PastOutcome, type UserCredentials, type WriteResult, written } from '@telltale/stack-kit';
import type { Logger } from 'pino';
import { Moved } from '../threads/index.ts';
import type { HostEvents } from './host-events.ts';
import type { Failure, HistoryAnswer } from './protocol.ts';
import type { ProviderSession } from './provider-users.ts';
import { resultOf } from './write-problem.ts';

const stopped: Failure = { reason: 'it is stopped' };

/** Each is of the connector or provider of this name; undefined: it is stopped. */
export class InstanceRequests {
  readonly #events: HostEvents;
  readonly #log: Logger;

  constructor(events: HostEvents, log: Logger) {
    this.#events = events;
    this.#log = log;
  }

  /** A write, or an acknowledgement. */
  async carryOut(
    name: string | undefined,
    action: (events: HostEvents, name: string) => Promise<void>,
  ): Promise<WriteResult> {
    if (name === undefined) return written.notSent(stopped.reason);
    try {
      await action(this.#events, name);
      return written.accepted;
    } catch (error) {
      return error instanceof ProblemError ? resultOf(error) : written.unknown(this.#failureOf(error).reason);
    }
  }

  async signIn(name: string | undefined, credentials: UserCredentials): Promise<ProviderSession | Failure> {
    if (name === undefined) return stopped;
    try {
      return await this.#events.providerSignIn(name, credentials);
    } catch (error) {
      return this.#failureOf(error);
    }
  }

  /** Frames of columns, whose memory goes to the thread. */
  async frames(
    name: string | undefined,
    signal: AbortSignal,
    read: (events: HostEvents, name: string) => Promise<Uint8Array<ArrayBuffer>[]>,
  ): Promise<HistoryAnswer | Moved<HistoryAnswer>> {
    if (name === undefined) return stopped;
    try {
      const frames = await read(this.#events, name);
      return new Moved(
        { frames },
        frames.map(({ buffer }) => buffer),
      );
    } catch (error) {
      return signal.aborted ? stopped : this.#failureOf(error);
    }
  }

  async past(name: string | undefined, batch: BatchMessage): Promise<PastOutcome | Failure> {
    if (name === undefined) return stopped;
    try {
      return await this.#events.pastReadings(name, Batch.from(batch));
    } catch (error) {
      return this.#failureOf(error);
    }
  }

  #failureOf(error: unknown): Failure {
    if (error instanceof ProblemError) return { reason: error.message };
    this.#log.error(error, 'a request of a connector or provider failed because of an internal error');
    return { reason: 'the service made a mistake: see its log' };
  }
}
