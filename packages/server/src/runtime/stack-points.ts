// Hands points to the connectors and providers that carry them, in slices, and tells each when it has them all.
import type { StackCommand, StackPoint } from '@telltale/stack-kit';
import type { Role, StackHost } from '../stacks/index.ts';

const pointsASlice = 500;

type Kind = 'measurements' | 'commands';

interface Slice {
  readonly role: Role;
  readonly name: string;
  readonly measurements: StackPoint[];
  readonly commands: StackCommand[];
  readonly gone: { readonly measurements: number[]; readonly commands: number[] };
}

export class StackPointsFeed {
  readonly #host: Pick<StackHost, 'putPoints' | 'removePoints' | 'pointsDone'>;
  readonly #slices = new Map<string, Slice>();

  constructor(host: Pick<StackHost, 'putPoints' | 'removePoints' | 'pointsDone'>) {
    this.#host = host;
  }

  /** It is told that its points are whole, though it may have none. */
  touch(role: Role, name: string): void {
    this.#sliceOf(role, name);
  }

  /** A connector or provider that is gone needs no points. */
  forget(role: Role, name: string): void {
    this.#slices.delete(`${role} ${name}`);
  }

  putMeasurement(role: Role, name: string, point: StackPoint): void {
    const slice = this.#sliceOf(role, name);
    slice.measurements.push(point);
    this.#sendFull(slice);
  }

  putCommand(role: Role, name: string, point: StackCommand): void {
    const slice = this.#sliceOf(role, name);
    slice.commands.push(point);
    this.#sendFull(slice);
  }

  remove(role: Role, name: string, kind: Kind, id: number): void {
    const slice = this.#sliceOf(role, name);
    slice.gone[kind].push(id);
    this.#sendFull(slice);
  }

  /** Tells all that were touched that they have their points now; answers with these. */
  done(): { readonly role: Role; readonly name: string }[] {
    const touched = [...this.#slices.values()];
    this.#slices.clear();
    for (const slice of touched) {
      this.#send(slice);
      this.#host.pointsDone(slice.role, slice.name);
    }
    return touched;
  }

  #sliceOf(role: Role, name: string): Slice {
    const key = `${role} ${name}`;
    const known = this.#slices.get(key);
    if (known !== undefined) return known;
    const slice = { role, name, measurements: [], commands: [], gone: { measurements: [], commands: [] } };
    this.#slices.set(key, slice);
    return slice;
  }

  #sendFull(slice: Slice): void {
    const { measurements, commands, gone } = slice;
    const size = measurements.length + commands.length + gone.measurements.length + gone.commands.length;
    if (size >= pointsASlice) this.#send(slice);
  }

  /** What goes before what comes: a point that has moved has the same id. */
  #send({ role, name, measurements, commands, gone }: Slice): void {
    if (gone.measurements.length + gone.commands.length > 0) {
      this.#host.removePoints(role, name, {
        measurements: gone.measurements.splice(0),
        commands: gone.commands.splice(0),
      });
    }
    if (measurements.length + commands.length > 0) {
      this.#host.putPoints(role, name, { measurements: measurements.splice(0), commands: commands.splice(0) });
    }
  }
}
