// Carries out what clients of the provider write, one write of a command at a time, and at most so many at once.
import { fitValue, type Value } from '@telltale/schema';
import { type ProviderOptions, type StackPoint, type WriteResult, written } from '@telltale/stack-kit';

const maxWriting = 100;

export class CommandIntake {
  readonly #write: ProviderOptions<unknown>['write'];
  readonly #writing = new Set<number>();

  constructor(write: ProviderOptions<unknown>['write']) {
    this.#write = write;
  }

  async write(command: StackPoint, value: Value | undefined): Promise<WriteResult> {
    const fitting = value === undefined ? undefined : fitValue(command.datatype, value);
    if (fitting === undefined) return written.refused(`the value does not fit datatype ${command.datatype}`);
    if (this.#writing.has(command.id)) return written.notSent('another write of this command is pending');
    if (this.#writing.size >= maxWriting) return written.notSent(`${maxWriting} writes are pending already`);
    this.#writing.add(command.id);
    try {
      return await this.#write(command, fitting);
    } finally {
      this.#writing.delete(command.id);
    }
  }
}
