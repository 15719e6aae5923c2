// The live commands: what was written to them last, and how a value gets to the device: once, and acknowledged only
// when the device has it and the disk has it.
import {
  type Clock,
  type Command,
  type Datatype,
  formatPrefixed,
  ProblemError,
  parsePrefixedAs,
  parseText,
  type StoredValue,
  stored,
  timeAfter,
  unstored,
  type Value,
  zeroOf,
} from '@telltale/schema';
import { CommandChain } from './command-chain.ts';
import { NamedPoints, type PreparedPoint } from './named-points.ts';
import { PointKeeping } from './point-keeping.ts';
import { slotText } from './point-text.ts';
import { TimedWriter, usualRoom } from './wire-format.ts';
import { WireSlots } from './wire-slots.ts';

/** The value last written, as it is kept on disk. */
export interface KeptCommand {
  readonly name: string;
  /** With its prefix. */
  readonly value: string;
  readonly timeUs: number;
}

/** Each resolves when it is on disk, in the order of the calls. */
export interface CommandKeeper {
  keepCommand(command: KeptCommand): Promise<void>;
  forgetCommand(name: string): Promise<void>;
}

/** Carries a raw value to the device of a connector; resolves when the device has accepted it. Throws problems. */
export type WriteToDevice = (connector: string, handle: number, raw: Value) => Promise<void>;

export interface CommandsOptions {
  readonly clock: Clock;
  readonly keeper: CommandKeeper;
  readonly writeToDevice: WriteToDevice;
}

interface CommandValue {
  value: StoredValue;
  timeUs: number;
  /** False while it has its initial value, or none. */
  isWritten: boolean;
  hasValue: boolean;
}

interface LiveCommand extends CommandValue {
  readonly chain: CommandChain;
  /** Undefined: a value of the service itself. */
  readonly connector: string | undefined;
  /** The time of the last write, which may be on its way to the disk: no two have the same. */
  lastGivenUs: number;
}

export class Commands extends NamedPoints {
  readonly #clock: Clock;
  readonly #keeping: PointKeeping<KeptCommand>;
  readonly #writeToDevice: WriteToDevice;
  readonly #commands: (LiveCommand | undefined)[] = [];
  /** New commands that are prepared and not visible yet. */
  readonly #coming: { readonly handle: number; readonly name: string; readonly takeOver: () => void }[] = [];
  readonly #kept = new Map<string, KeptCommand>();
  readonly #listeners: ((handle: number) => void)[] = [];
  readonly #writer = new TimedWriter();
  /** The wire bytes of all of them. */
  readonly wire = new WireSlots('vt', (handle, bytes, at, room) => this.#writeVt(handle, bytes, at, room));

  constructor({ clock, keeper, writeToDevice }: CommandsOptions) {
    super(clock);
    this.#clock = clock;
    this.#keeping = new PointKeeping(
      { keep: (command) => keeper.keepCommand(command), forget: (name) => keeper.forgetCommand(name) },
      clock,
      (name) => this.#keptOf(this.find(name)),
    );
    this.#writeToDevice = writeToDevice;
  }

  /** One call a change, in order. */
  onChange(listener: (handle: number) => void): void {
    this.#listeners.push(listener);
  }

  datatypeOf(handle: number): Datatype {
    return this.#get(handle).chain.datatype;
  }

  override valueOf(handle: number): StoredValue {
    return this.#get(handle).value;
  }

  timeOf(handle: number): number {
    return this.#get(handle).timeUs;
  }

  /** What was last written to the device, or should have been at first; undefined where nothing was. */
  lastRawOf(handle: number): Value | undefined {
    const { chain, value, hasValue } = this.#get(handle);
    if (!hasValue) return undefined;
    try {
      return unstored(chain.rawDatatype, chain.toRaw(value));
    } catch (error) {
      if (error instanceof ProblemError) return undefined; // the ranges have changed since
      throw error;
    }
  }

  /** Values of before the start; each counts when its command comes. */
  restore(commands: Iterable<KeptCommand>): void {
    for (const command of commands) this.#kept.set(command.name, command);
  }

  /** Then `showNew`, and what is to be taken over; or `dropNew`. */
  prepare(point: Command): PreparedPoint {
    const chain = new CommandChain(point);
    const text = slotText(point);
    const isNew = this.find(point.name) < 0;
    const handle = this.handles.reserve(point.name);
    const takeOver = () => {
      const before = this.#commands[handle];
      const { value, timeUs, isWritten, hasValue } = this.#valueUnder(point, before);
      const lastGivenUs = Math.max(timeUs, before?.lastGivenUs ?? 0);
      const connector = point.connectorName;
      this.#commands[handle] = { chain, connector, value, timeUs, isWritten, hasValue, lastGivenUs };
      this.wire.put(handle, text, usualRoom(point.datatype));
      const isOther = before === undefined || before.chain.datatype !== chain.datatype;
      if (isOther || before.value !== value || before.timeUs !== timeUs) this.#tell(handle);
    };
    if (!isNew) return { handle, takeOver };
    this.#coming.push({ handle, name: point.name, takeOver });
    return { handle };
  }

  /** Makes the prepared commands visible. */
  showNew(): void {
    for (const { handle, name, takeOver } of this.#coming.splice(0)) {
      this.handles.show(handle, name);
      takeOver();
    }
  }

  /** Discards the prepared commands. */
  dropNew(): void {
    for (const { handle, name } of this.#coming.splice(0)) this.handles.takeBack(handle, name);
  }

  put(point: Command): void {
    this.prepare(point).takeOver?.();
    this.showNew();
  }

  remove(name: string): void {
    const handle = this.find(name);
    if (handle < 0) return;
    this.tellRemoval(handle);
    this.wire.remove(handle);
    this.#commands[handle] = undefined;
    this.handles.takeBack(handle, name);
    this.#forget(name);
  }

  /** After the first rendering runs: what was kept of commands that it does not have is forgotten on disk. */
  forgetStrangers(): void {
    for (const name of this.#kept.keys()) this.#forget(name);
    this.#kept.clear();
  }

  /** Resolves when the device has accepted it, it is on disk, and reads show it. */
  async write(name: string, text: string): Promise<void> {
    const handle = this.find(name);
    if (handle < 0) throw unknownCommand(name);
    const { chain, connector } = this.#get(handle);
    const value = chain.read(text);
    const raw = unstored(chain.rawDatatype, chain.toRaw(value));
    if (connector !== undefined) await this.#writeToDevice(connector, handle, raw);
    // Gone meanwhile, with all that was kept of it, or another one.
    if (!this.#isStill(name, handle, chain)) return;
    const command = this.#get(handle);
    const timeUs = timeAfter(command.lastGivenUs, this.#clock.now());
    command.lastGivenUs = timeUs;
    const kept = { name, value: formatPrefixed(chain.datatype, unstored(chain.datatype, value)), timeUs };
    await this.#keeping.operate(name, async () => {
      if (!this.#isStill(name, handle, chain)) return;
      if (connector === undefined) await this.#keeping.keep(kept);
      else await this.#keepAccepted(kept, handle, chain, value);
      this.#apply(name, handle, chain, value, timeUs);
    });
  }

  /** What the disk has refused so far is brought to it once more. */
  close(): void {
    this.#keeping.close();
  }

  /** Of how many the disk has refused the present value, or that they are gone. */
  get unkept(): number {
    return this.#keeping.unkept;
  }

  /** The device has it, so reads must show it, whatever the disk says. */
  async #keepAccepted(kept: KeptCommand, handle: number, chain: CommandChain, value: StoredValue): Promise<void> {
    try {
      await this.#keeping.keep(kept);
    } catch (error) {
      this.#apply(kept.name, handle, chain, value, kept.timeUs);
      throw new ProblemError(
        'storage-failed',
        `The device has accepted ${kept.value.slice(0, 80)} and reads show it, but it is not on disk yet, and tried again until it is: ${(error as Error).message}`,
      );
    }
  }

  #keptOf(handle: number): KeptCommand | undefined {
    const command = this.#commands[handle];
    if (!command?.isWritten) return undefined;
    const { datatype } = command.chain;
    const value = formatPrefixed(datatype, unstored(datatype, command.value));
    return { name: this.nameOf(handle), value, timeUs: command.timeUs };
  }

  /** Whether the command is what it was: its handle may be another one's by now. */
  #isStill(name: string, handle: number, { datatype }: CommandChain): boolean {
    return this.find(name) === handle && this.#get(handle).chain.datatype === datatype;
  }

  /** Unless the command has gone or changed its datatype meanwhile. */
  #apply(name: string, handle: number, chain: CommandChain, value: StoredValue, timeUs: number): void {
    if (!this.#isStill(name, handle, chain)) {
      this.#keeping.changed(name);
      return;
    }
    const command = this.#get(handle);
    command.value = value;
    command.timeUs = timeUs;
    command.isWritten = true;
    command.hasValue = true;
    this.wire.touch(handle);
    this.#tell(handle);
  }

  /** What was written stays while the datatype does; so does an initial value that is still the same. */
  #valueUnder(point: Command, before: LiveCommand | undefined): CommandValue {
    if (before === undefined) return this.#firstValue(point);
    const isSameType = before.chain.datatype === point.datatype;
    if (isSameType && before.isWritten) return before;
    if (before.isWritten) this.#forget(point.name);
    const first = this.#firstValue(point);
    return isSameType && before.value === first.value && before.hasValue === first.hasValue ? before : first;
  }

  #firstValue({ name, datatype, initialValue }: Command): CommandValue {
    const kept = this.#kept.get(name);
    this.#kept.delete(name);
    if (kept?.value.startsWith(datatype)) {
      const value = stored(parsePrefixedAs(datatype, kept.value));
      return { value, timeUs: kept.timeUs, isWritten: true, hasValue: true };
    }
    if (kept !== undefined) this.#forget(name);
    return initialValue === undefined
      ? { value: stored(zeroOf(datatype)), timeUs: 0, isWritten: false, hasValue: false }
      : {
          value: stored(parseText(datatype, initialValue)),
          timeUs: this.#clock.now(),
          isWritten: false,
          hasValue: true,
        };
  }

  /** On disk: it is of no use to a command of that name to come. */
  #forget(name: string): void {
    this.#keeping.changed(name);
  }

  #get(handle: number): LiveCommand {
    return this.#commands[handle] as LiveCommand;
  }

  #tell(handle: number): void {
    for (const listener of this.#listeners) listener(handle);
  }

  #writeVt(handle: number, bytes: Buffer, start: number, room: number): number {
    const { chain, value, timeUs } = this.#get(handle);
    return this.#writer.write(bytes, start, room, chain.datatype, unstored(chain.datatype, value), timeUs);
  }
}

function unknownCommand(name: string): ProblemError {
  return new ProblemError('unknown-object', `There is no command ${JSON.stringify(name.slice(0, 80))}.`);
}
