// What all clients of one provider share: their turns, how many requests a second they have together, and the counts.
import type { Clock } from '@telltale/schema';
import type { ServingMeter } from '../connector.ts';
import { RequestRate } from './request-rate.ts';
import type { ServingTurns, Waiting } from './serving-turns.ts';
import type { ServingVariables } from './serving-variables.ts';

export interface ServedClientsOptions {
  readonly clock: Clock;
  readonly turns: ServingTurns;
  readonly meter: ServingMeter;
  readonly variables: ServingVariables;
}

/** A client, with what the bound of its requests needs. */
export interface Admitted extends Waiting {
  readonly rate: RequestRate;
  /** Written by `ServedClients` alone; to be called when the client is gone. */
  cancelHold: () => void;
}

/** Who has no room waits this long: so that the next time it is worth a turn. */
const holdMs = 5;

export class ServedClients {
  readonly turns: ServingTurns;
  readonly meter: ServingMeter;
  readonly #clock: Clock;
  readonly #all: RequestRate;
  readonly #clientPerSecond: number;

  constructor({ clock, turns, meter, variables }: ServedClientsOptions) {
    this.turns = turns;
    this.meter = meter;
    this.#clock = clock;
    this.#all = new RequestRate(clock, variables.maxRequestsPerSecond);
    this.#clientPerSecond = variables.maxClientRequestsPerSecond;
  }

  get nowMs(): number {
    return this.#clock.monotonicMs();
  }

  /** Of one more client. */
  newRate(): RequestRate {
    return new RequestRate(this.#clock, this.#clientPerSecond);
  }

  /** Whether a client may have a request carried out now, which counts it. Else it waits, and joins the turns by itself. */
  admit(client: Admitted): boolean {
    if (client.rate.hasRoom && this.#all.hasRoom) {
      client.rate.take();
      this.#all.take();
      this.meter.served();
      return true;
    }
    this.meter.held();
    client.cancelHold();
    client.cancelHold = this.#clock.after(holdMs, () => this.turns.join(client));
    return false;
  }
}
