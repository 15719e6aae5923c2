// Carries out what clients of the provider write, one write of a command at a time, and at most so many at once.
import { type Datatype, formatText, type Value, ValueError } from '@telltale/schema';
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
    const fitting = value === undefined ? undefined : fit(command.datatype, value);
    if (fitting === undefined) throw new Refused(`the value does not fit datatype ${command.datatype}`);
    if (this.#writing.has(command.id)) throw new Refused('another write of this command is under way');
    if (this.#writing.size >= maxWriting) throw new Refused(`${maxWriting} writes are under way already`);
    this.#writing.add(command.id);
    try {
      await this.#write(command, fitting);
    } finally {
      this.#writing.delete(command.id);
    }
  }
}

/** The value as its datatype has it in memory; undefined where it cannot hold it. */
export function fit(datatype: Datatype, value: Value): Value | undefined {
  const fitted = convert(datatype, value);
  if (fitted === undefined) return undefined;
  try {
    formatText(datatype, fitted);
    return fitted;
  } catch (error) {
    if (error instanceof ValueError) return undefined;
    throw error;
  }
}

function convert(datatype: Datatype, value: Value): Value | undefined {
  if (datatype === 's') return typeof value === 'string' ? value : undefined;
  if (typeof value === 'string') return undefined;
  if (datatype === 'l') {
    if (typeof value === 'bigint') return value;
    return Number.isSafeInteger(Number(value)) ? BigInt(Number(value)) : undefined;
  }
  const number = Number(value);
  if (typeof value === 'bigint' && BigInt(number) !== value) return undefined;
  if (datatype === 'b') return number === 0 || number === 1 ? number === 1 : undefined;
  return datatype === 'f' ? Math.fround(number) : number;
}
