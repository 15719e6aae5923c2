// A disk for commands, simulations and disabled links in memory: tests let it refuse, and let it answer late.
import { ProblemError } from '@telltale/schema';
import type {
  CommandStore,
  DisabledLinkStore,
  SimulationStore,
  StoredCommand,
  StoredDisabledLink,
  StoredSimulation,
} from '../src/points/index.ts';

export class PlainDisk implements CommandStore, SimulationStore, DisabledLinkStore {
  readonly commands = new Map<string, StoredCommand>();
  readonly simulations = new Map<string, StoredSimulation>();
  readonly disabledLinks = new Map<string, StoredDisabledLink>();
  /** Refuses everything while it is. */
  isFull = false;
  #gate: Promise<void> = Promise.resolve();

  /** Answers nothing before the returned function is called; afterwards in the order of the calls. */
  stall(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#gate = promise;
    return resolve;
  }

  saveCommand(command: StoredCommand): Promise<void> {
    return this.#do(() => this.commands.set(command.name, command));
  }

  deleteCommand(name: string): Promise<void> {
    return this.#do(() => this.commands.delete(name));
  }

  saveSimulation(simulation: StoredSimulation): Promise<void> {
    return this.#do(() => this.simulations.set(simulation.name, simulation));
  }

  deleteSimulation(name: string): Promise<void> {
    return this.#do(() => this.simulations.delete(name));
  }

  saveDisabledLink(link: StoredDisabledLink): Promise<void> {
    return this.#do(() => this.disabledLinks.set(link.name, link));
  }

  deleteDisabledLink(name: string): Promise<void> {
    return this.#do(() => this.disabledLinks.delete(name));
  }

  async #do(change: () => unknown): Promise<void> {
    await this.#gate;
    if (this.isFull) throw new ProblemError('storage-failed', 'No space is left.');
    change();
  }
}
