// What clients of a provider write and acknowledge: checked, bounded in number, and asked of the server.
import type { Value } from '@telltale/schema';
import {
  type CommandWrite,
  type ProviderUser,
  Refused,
  type StackAlarm,
  type StackPoint,
  type WriteResult,
  written,
} from '@telltale/stack-kit';
import { type DeviceWrite, reasonOf } from '@telltale/stack-kit/host';

export interface ProviderWritesOptions {
  readonly isCommand: (id: number) => boolean;
  /** The name of an alarm of the provider. */
  readonly alarmOf: (id: number) => string | undefined;
  /** `user`: the session of the user of the service as whom the client has signed in. */
  readonly write: (writes: readonly DeviceWrite[], user: number | undefined) => Promise<readonly WriteResult[]>;
  readonly acknowledge: (alarm: string, authority: string, user: number | undefined) => Promise<WriteResult>;
  /** Throws where it has ended. */
  readonly sessionOf: (user: ProviderUser | undefined) => number | undefined;
}

/** Of one provider. */
const maxAsked = 1000;

const maxAuthority = 256;

const tooMany = written.notSent(`${maxAsked} writes are waiting for their answers already`);
const noAnswer = written.unknown('there is no answer');

/** Its methods never throw. */
export class ProviderWrites {
  readonly #options: ProviderWritesOptions;
  #asked = 0;

  constructor(options: ProviderWritesOptions) {
    this.#options = options;
  }

  async write(writes: readonly CommandWrite<StackPoint>[], user?: ProviderUser): Promise<WriteResult[]> {
    const refusals = writes.map(({ command, value }) => this.#refusalOf(command, value));
    const asked = writes
      .filter((_, at) => refusals[at] === undefined)
      .map(({ command, value }): DeviceWrite => ({ commandId: command.id, value }));
    const surplus = asked.splice(maxAsked - this.#asked);
    const ended =
      asked.length === 0 ? [] : await this.#asking(asked.length, user, (by) => this.#options.write(asked, by));
    const results = [...asked.map((_, at) => ended[at] ?? noAnswer), ...surplus.map(() => tooMany)].values();
    return refusals.map((refusal) => refusal ?? results.next().value ?? noAnswer);
  }

  async writeOne(command: StackPoint, value: Value, user?: ProviderUser): Promise<WriteResult> {
    const [result = noAnswer] = await this.write([{ command, value }], user);
    return result;
  }

  async acknowledge({ id }: StackAlarm, authority: string, user?: ProviderUser): Promise<WriteResult> {
    const alarm = this.#options.alarmOf(id);
    if (alarm === undefined) return written.refused('the alarm is not one of this provider');
    if (typeof authority !== 'string' || authority === '' || authority.length > maxAuthority) {
      return written.refused(`who acknowledges is a text of 1 to ${maxAuthority} characters`);
    }
    if (this.#asked >= maxAsked) return tooMany;
    const [result = noAnswer] = await this.#asking(1, user, async (by) => [
      await this.#options.acknowledge(alarm, authority, by),
    ]);
    return result;
  }

  #refusalOf({ id }: StackPoint, value: Value): WriteResult | undefined {
    if (!this.#options.isCommand(id)) return written.refused('the command is not one of this provider');
    if (!['boolean', 'number', 'bigint', 'string'].includes(typeof value)) return written.refused('this is no value');
    return undefined;
  }

  async #asking(
    count: number,
    user: ProviderUser | undefined,
    ask: (user: number | undefined) => Promise<readonly WriteResult[]>,
  ): Promise<readonly WriteResult[]> {
    this.#asked += count;
    try {
      return await ask(this.#options.sessionOf(user));
    } catch (error) {
      if (error instanceof Refused) return Array.from({ length: count }, () => written.denied(error.message));
      return Array.from({ length: count }, () => written.unknown(reasonOf(error)));
    } finally {
      this.#asked -= count;
    }
  }
}
