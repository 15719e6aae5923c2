// The live commands: what was written to them last, and how a value gets to the device: once, and acknowledged only
// when the device has it and the disk has it.
import {
  type Clock,
  type Command,
  type Datatype,
  fits,
  formatPrefixed,
  liveCommand,
  ProblemError,
  parsePrefixedAs,
  parseText,
  type StoredValue,
  stored,
  timeAfter,
  traitsOf,
  unstored,
  type Value,
  zeroOf,
} from '@telltale/schema';
import { CommandChain } from './command-chain.ts';
import type { CommandView } from './command-view.ts';
import { NamedPoints, type PreparedPoint } from './named-points.ts';
import { PointPersistence } from './point-persistence.ts';
import { TimedWriter, usualRoom } from './wire-format.ts';
import { WireSlots } from './wire-slots.ts';
import { beginAttempt, failAttempt, type WriteAttempt } from './write-attempt.ts';

/** The value last written, as it is on disk. */
export interface StoredCommand {
  readonly name: string;
  /** With its prefix. */
  readonly value: string;
  readonly timeUs: number;
  /** Who wrote it; missing where that was written before it was stored. */
  readonly by?: string;
}

/** Each resolves when it is on disk, in the order of the calls. */
export interface CommandStore {
  saveCommand(command: StoredCommand): Promise<void>;
  deleteCommand(name: string): Promise<void>;
}

/** Carries a raw value to the device of a connector; resolves when the device has accepted it. Throws problems. */
export type WriteToDevice = (connector: string, handle: number, raw: Value) => Promise<void>;

export interface CommandsOptions {
  readonly clock: Clock;
  readonly store: CommandStore;
  readonly writeToDevice: WriteToDevice;
}

interface CommandValue {
  value: StoredValue;
  timeUs: number;
  /** False while it has its initial value, or none. */
  isWritten: boolean;
  hasValue: boolean;
  by: string | undefined;
}

interface LiveCommand extends CommandValue {
  readonly chain: CommandChain;
  /** The time of the last write, which may be on its way to the disk: no two have the same. */
  lastGivenUs: number;
  attempt: WriteAttempt | undefined;
}

export class Commands extends NamedPoints<Command> {
  readonly #clock: Clock;
  readonly #persistence: PointPersistence<StoredCommand>;
  readonly #writeToDevice: WriteToDevice;
  readonly #commands: (LiveCommand | undefined)[] = [];
  /** New commands that are prepared and not visible yet. */
  readonly #coming: { readonly handle: number; readonly name: string; readonly takeOver: () => void }[] = [];
  readonly #restored = new Map<string, StoredCommand>();
  readonly #listeners: ((handle: number) => void)[] = [];
  readonly #writer = new TimedWriter();
  readonly wire = new WireSlots<Command>(
    liveCommand,
    (handle) => this.definitionOf(handle),
    (handle, bytes, at, room) => this.#writeVt(handle, bytes, at, room),
  );

  constructor({ clock, store, writeToDevice }: CommandsOptions) {
    super(clock);
    this.#clock = clock;
    this.#persistence = new PointPersistence(
      { save: (command) => store.saveCommand(command), delete: (name) => store.deleteCommand(name) },
      clock,
      (name) => this.#storedOf(this.find(name)),
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

  /** False where it was never written and has no initial value: its value is no fact. */
  hasValue(handle: number): boolean {
    return this.#get(handle).hasValue;
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
  restore(commands: Iterable<StoredCommand>): void {
    for (const command of commands) this.#restored.set(command.name, command);
  }

  /** Those that were written. */
  *stored(): Generator<StoredCommand> {
    for (const handle of this.handles.all()) {
      const stored = this.#storedOf(handle);
      if (stored !== undefined) yield stored;
    }
  }

  /** Another node of the site has written it, or it was never written there: nothing is sent or stored. */
  storedElsewhere(name: string, stored: StoredCommand | undefined): void {
    if (stored === undefined) this.#restored.delete(name);
    else this.#restored.set(name, stored);
    const handle = this.find(name);
    const command = this.#commands[handle];
    if (command === undefined || (stored === undefined && !command.isWritten)) return;
    const before = { ...command };
    Object.assign(command, this.#firstValue(this.definitionOf(handle)));
    command.lastGivenUs = Math.max(command.lastGivenUs, command.timeUs);
    if (command.value === before.value && command.timeUs === before.timeUs && command.by === before.by) return;
    this.wire.touch(handle);
    this.#notify(handle);
  }

  /** Before it is removed: the one that comes under the new name goes on with what was written. */
  inherit(from: string, to: string): void {
    const stored = this.#storedOf(this.find(from));
    if (stored === undefined) return;
    this.#restored.set(to, { ...stored, name: to });
    this.#persistence.save({ ...stored, name: to }).catch(() => undefined); // which is retried
  }

  /** Then `showNew`, and what is to be taken over; or `discardNew`. */
  prepare(point: Command): PreparedPoint {
    const chain = new CommandChain(point);
    const isNew = this.find(point.name) < 0;
    const handle = this.handles.reserve(point.name);
    const takeOver = () => {
      const before = this.#commands[handle];
      const { value, timeUs, isWritten, hasValue, by } = this.#valueUnder(point, before);
      const lastGivenUs = Math.max(timeUs, before?.lastGivenUs ?? 0);
      this.define(handle, point);
      const attempt = before?.attempt;
      this.#commands[handle] = { chain, value, timeUs, isWritten, hasValue, by, lastGivenUs, attempt };
      this.wire.put(handle, usualRoom(point.datatype));
      const isOther = before === undefined || before.chain.datatype !== chain.datatype;
      if (isOther || before.value !== value || before.timeUs !== timeUs) this.#notify(handle);
      this.notifyPut(handle);
    };
    if (!isNew) return { handle, takeOver };
    this.#coming.push({ handle, name: point.name, takeOver });
    return { handle };
  }

  showNew(): void {
    for (const { handle, name, takeOver } of this.#coming.splice(0)) {
      this.handles.show(handle, name);
      takeOver();
    }
  }

  discardNew(): void {
    for (const { handle, name } of this.#coming.splice(0)) this.handles.release(handle, name);
  }

  put(point: Command): void {
    this.prepare(point).takeOver?.();
    this.showNew();
  }

  remove(name: string): void {
    const handle = this.find(name);
    if (handle < 0) return;
    this.notifyRemoval(handle);
    this.wire.remove(handle);
    this.definitions[handle] = undefined;
    this.#commands[handle] = undefined;
    this.handles.release(handle, name);
    this.#deleteStored(name);
  }

  /** After the first rendering runs: stored values of commands that it does not have are deleted. */
  deleteOrphans(): void {
    for (const name of this.#restored.keys()) this.#deleteStored(name);
    this.#restored.clear();
  }

  /** Resolves when the device has accepted it, it is on disk, and reads show it. */
  async write(name: string, text: string, by?: string): Promise<void> {
    const handle = this.find(name);
    if (handle < 0) throw unknownCommand(name);
    const attempt = beginAttempt(text, this.#clock.now(), by);
    this.#get(handle).attempt = attempt;
    // Without one it is a value of the service itself.
    const { connectorName: connector } = this.definitionOf(handle);
    try {
      await this.#write(name, handle, connector, text, by);
      attempt.outcome = 'accepted';
    } catch (error) {
      failAttempt(attempt, error, connector !== undefined);
      throw error;
    }
  }

  /** As another server has published it: CO-11. */
  adopt(handle: number, adopted: Pick<CommandValue, 'value' | 'timeUs' | 'hasValue'>): void {
    const command = this.#commands[handle];
    if (command === undefined || !fits(traitsOf(command.chain.datatype), adopted.value)) return;
    Object.assign(command, adopted);
    this.wire.touch(handle);
    this.#notify(handle);
  }

  /** Throws where it could not be written, whatever the device says. */
  check(name: string, text: string): void {
    const handle = this.find(name);
    if (handle < 0) throw unknownCommand(name);
    readFor(this.#get(handle).chain, text);
  }

  /** The present value, such as d5. */
  textOf(handle: number): string {
    const { chain, value } = this.#get(handle);
    return formatPrefixed(chain.datatype, unstored(chain.datatype, value));
  }

  viewOf(handle: number): CommandView {
    const { chain, value, timeUs, isWritten, hasValue, by, attempt } = this.#get(handle);
    const { rawDatatype } = chain;
    const raw = this.lastRawOf(handle);
    return {
      datatype: chain.datatype,
      value,
      timeUs,
      origin: isWritten ? 'written' : hasValue ? 'initial' : 'never',
      by,
      raw: raw === undefined ? undefined : formatPrefixed(rawDatatype, raw),
      attempt,
    };
  }

  /** Tries the disk once more with what it has refused so far. */
  close(): void {
    this.#persistence.close();
  }

  /** Of how many the disk has refused the present value, or that they are gone. */
  get unsaved(): number {
    return this.#persistence.unsaved;
  }

  async #write(
    name: string,
    handle: number,
    connector: string | undefined,
    text: string,
    by: string | undefined,
  ): Promise<void> {
    const { chain } = this.#get(handle);
    const { value, raw } = readFor(chain, text);
    if (connector !== undefined) await this.#writeToDevice(connector, handle, raw);
    // Removed meanwhile, with all that was stored of it, or another one.
    if (!this.#isStill(name, handle, chain)) return;
    const command = this.#get(handle);
    const timeUs = timeAfter(command.lastGivenUs, this.#clock.now());
    command.lastGivenUs = timeUs;
    const saved = storedCommand(name, chain, { value, timeUs, by });
    await this.#persistence.operate(name, async () => {
      if (!this.#isStill(name, handle, chain)) return;
      if (connector === undefined) await this.#persistence.save(saved);
      else await this.#saveAccepted(saved, handle, chain, value);
      this.#apply(saved, handle, chain, value);
    });
  }

  /** The device has it, so reads must show it, whatever the disk says. */
  async #saveAccepted(saved: StoredCommand, handle: number, chain: CommandChain, value: StoredValue): Promise<void> {
    try {
      await this.#persistence.save(saved);
    } catch (error) {
      this.#apply(saved, handle, chain, value);
      throw new ProblemError(
        'storage-failed',
        `The device has accepted ${saved.value.slice(0, 80)} and reads show it, but it is not on disk yet; writing it is retried until it is: ${(error as Error).message}`,
      );
    }
  }

  #storedOf(handle: number): StoredCommand | undefined {
    const command = this.#commands[handle];
    return command?.isWritten ? storedCommand(this.nameOf(handle), command.chain, command) : undefined;
  }

  /** Whether the command is what it was: its handle may be another one's by now. */
  #isStill(name: string, handle: number, { datatype }: CommandChain): boolean {
    return this.find(name) === handle && this.#get(handle).chain.datatype === datatype;
  }

  /** Unless the command has gone or changed its datatype meanwhile. */
  #apply({ name, timeUs, by }: StoredCommand, handle: number, chain: CommandChain, value: StoredValue): void {
    if (!this.#isStill(name, handle, chain)) {
      this.#persistence.changed(name);
      return;
    }
    const command = this.#get(handle);
    command.value = value;
    command.timeUs = timeUs;
    command.by = by;
    command.isWritten = true;
    command.hasValue = true;
    this.wire.touch(handle);
    this.#notify(handle);
  }

  /** What was written stays while the datatype does; so does an initial value that is still the same. */
  #valueUnder(point: Command, before: LiveCommand | undefined): CommandValue {
    if (before === undefined) return this.#firstValue(point);
    const isSameType = before.chain.datatype === point.datatype;
    if (isSameType && before.isWritten) return before;
    if (before.isWritten) this.#deleteStored(point.name);
    const first = this.#firstValue(point);
    return isSameType && before.value === first.value && before.hasValue === first.hasValue ? before : first;
  }

  #firstValue({ name, datatype, initialValue }: Command): CommandValue {
    const saved = this.#restored.get(name);
    this.#restored.delete(name);
    if (saved?.value.startsWith(datatype)) {
      const value = stored(parsePrefixedAs(datatype, saved.value));
      return { value, timeUs: saved.timeUs, isWritten: true, hasValue: true, by: saved.by };
    }
    if (saved !== undefined) this.#deleteStored(name);
    return initialValue === undefined
      ? { value: stored(zeroOf(datatype)), timeUs: 0, isWritten: false, hasValue: false, by: undefined }
      : {
          value: stored(parseText(datatype, initialValue)),
          timeUs: this.#clock.now(),
          isWritten: false,
          hasValue: true,
          by: undefined,
        };
  }

  /** Of no use to a later command of that name. */
  #deleteStored(name: string): void {
    this.#persistence.changed(name);
  }

  #get(handle: number): LiveCommand {
    return this.#commands[handle] as LiveCommand;
  }

  #notify(handle: number): void {
    for (const listener of this.#listeners) listener(handle);
  }

  #writeVt(handle: number, bytes: Buffer, start: number, room: number): number {
    const { chain, value, timeUs } = this.#get(handle);
    return this.#writer.write(bytes, start, room, chain.datatype, unstored(chain.datatype, value), timeUs);
  }
}

/** Throws where the text is no value of the command, or out of its ranges. */
function readFor(chain: CommandChain, text: string): { value: StoredValue; raw: Value } {
  const value = chain.read(text);
  return { value, raw: unstored(chain.rawDatatype, chain.toRaw(value)) };
}

function storedCommand(
  name: string,
  { datatype }: CommandChain,
  { value, timeUs, by }: Pick<CommandValue, 'value' | 'timeUs' | 'by'>,
): StoredCommand {
  const text = formatPrefixed(datatype, unstored(datatype, value));
  return { name, value: text, timeUs, ...(by !== undefined && { by }) };
}

function unknownCommand(name: string): ProblemError {
  return new ProblemError('unknown-object', `There is no command ${JSON.stringify(name.slice(0, 80))}.`);
}
