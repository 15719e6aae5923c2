// Carries out what clients of the provider write, one write of a command at a time, and at most so many at once.
import { fitValue, type Value } from '@telltale/schema';
import { type ProviderOptions, Refused, type StackPoint } from '@telltale/stack-kit';

const maxWriting = 100;

export class CommandIntake {
  readonly #write: ProviderOptions<unknown>['write'];
  readonly #writing = new Set<number>();

  constructor(write: ProviderOptions<unknown>['write']) {
    this.#write = write;
  }

  /** Throws `Refused`, with the reason for the client, where it was not written; anything else: the device may have it. */
  async write(command: StackPoint, value: Value | undefined): Promise<void> {
    const fitting = value === undefined ? undefined : fitValue(command.datatype, value);
    if (fitting === undefined) throw new Refused(`the value does not fit datatype ${command.datatype}`);
    if (this.#writing.has(command.id)) throw new Refused('another write of this command is pending');
    if (this.#writing.size >= maxWriting) throw new Refused(`${maxWriting} writes are pending already`);
    this.#writing.add(command.id);
    try {
      await this.#write(command, fitting);
    } finally {
      this.#writing.delete(command.id);
    }
  }
}
