// Brings the values of commands to disk. What a device has accepted and the disk has refused is kept again and again
// until the disk takes it: a restart must not show an older value than the device has.
import type { Clock } from '@telltale/schema';
import type { CommandKeeper, KeptCommand } from './commands.ts';

const pauseMs = 1000;

export class CommandKeeping {
  readonly #keeper: CommandKeeper;
  readonly #clock: Clock;
  readonly #present: (name: string) => KeptCommand | undefined;
  /** Names whose present value is not on disk. */
  readonly #unkept = new Set<string>();
  /** By name, how many values are on their way: an older one must not come to lie over them. */
  readonly #underWay = new Map<string, number>();
  #cancelTry: (() => void) | undefined;
  #isClosed = false;

  /** `present` tells what should be on disk; undefined: nothing about this name. */
  constructor(keeper: CommandKeeper, clock: Clock, present: (name: string) => KeptCommand | undefined) {
    this.#keeper = keeper;
    this.#clock = clock;
    this.#present = present;
  }

  /** How many commands have another value on disk than they show. */
  get unkept(): number {
    return this.#unkept.size;
  }

  /** Resolves when it is on disk. */
  async keep(command: KeptCommand): Promise<void> {
    const { name } = command;
    this.#underWay.set(name, (this.#underWay.get(name) ?? 0) + 1);
    try {
      await this.#keeper.keepCommand(command);
      this.#unkept.delete(name);
    } finally {
      const left = (this.#underWay.get(name) ?? 1) - 1;
      if (left === 0) this.#underWay.delete(name);
      else this.#underWay.set(name, left);
    }
  }

  /** The disk has refused what the name shows now. */
  keepLater(name: string): void {
    this.#unkept.add(name);
    if (this.#isClosed) return;
    this.#cancelTry ??= this.#clock.after(pauseMs, () => {
      this.#cancelTry = undefined;
      this.#keepAll();
    });
  }

  /** It is of no use to a command of that name to come. */
  forget(name: string): void {
    this.#unkept.delete(name);
    this.#keeper.forgetCommand(name).catch(() => undefined);
  }

  /** The disk is asked for the last time. */
  close(): void {
    this.#isClosed = true;
    this.#cancelTry?.();
    this.#keepAll();
  }

  #keepAll(): void {
    for (const name of [...this.#unkept]) {
      const command = this.#present(name);
      if (command === undefined) this.#unkept.delete(name);
      else if (this.#underWay.has(name)) this.keepLater(name);
      else this.keep(command).catch(() => this.keepLater(name));
    }
  }
}
