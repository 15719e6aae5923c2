// Points on their way to the connectors and providers that carry them: those that come are sent ahead, in slices; that
// they are there, and which have gone, is sent to all at once.
import type { StackCommand, StackPoint } from '@telltale/stack-kit';
import { type PackedPoints, packPoints, type Role, type StackHost } from '../stacks/index.ts';
import type { PointKind } from './stack-ids.ts';

const pointsASlice = 500;

type Host = Pick<StackHost, 'has' | 'putPoints' | 'dropPoints' | 'pointsDone'>;

interface LinkChanges {
  readonly role: Role;
  readonly name: string;
  readonly measurements: StackPoint[];
  readonly commands: StackCommand[];
  /** Of one that has yet to be started: it gets them then. */
  readonly packed: PackedPoints[];
  readonly gone: { readonly measurements: number[]; readonly commands: number[] };
}

export class StackPointsFeed {
  readonly #host: Host;
  readonly #changes = new Map<string, LinkChanges>();

  constructor(host: Host) {
    this.#host = host;
  }

  /** It is notified that its points are complete, though it may have none. */
  touch(role: Role, name: string): void {
    this.#changesOf(role, name);
  }

  /** A connector or provider that is gone needs no points. */
  forget(role: Role, name: string): void {
    this.#changes.delete(`${role} ${name}`);
  }

  putMeasurement(role: Role, name: string, point: StackPoint): void {
    const changes = this.#changesOf(role, name);
    changes.measurements.push(point);
    this.#packFull(changes);
  }

  putCommand(role: Role, name: string, point: StackCommand): void {
    const changes = this.#changesOf(role, name);
    changes.commands.push(point);
    this.#packFull(changes);
  }

  remove(role: Role, name: string, kind: PointKind, id: number): void {
    this.#changesOf(role, name).gone[kind].push(id);
  }

  /** Notifies all instances with changes that their points are complete; returns these. */
  done(): { readonly role: Role; readonly name: string }[] {
    const touched = [...this.#changes.values()];
    this.#changes.clear();
    for (const changes of touched) {
      this.#send(changes);
      this.#host.pointsDone(changes.role, changes.name, changes.gone);
    }
    return touched;
  }

  /** Nothing of it comes or goes. */
  drop(): void {
    for (const { role, name } of this.#changes.values()) this.#host.dropPoints(role, name);
    this.#changes.clear();
  }

  #changesOf(role: Role, name: string): LinkChanges {
    const key = `${role} ${name}`;
    const known = this.#changes.get(key);
    if (known !== undefined) return known;
    const gone = { measurements: [], commands: [] };
    const changes = { role, name, measurements: [], commands: [], packed: [], gone };
    this.#changes.set(key, changes);
    return changes;
  }

  #packFull(changes: LinkChanges): void {
    const { role, name, measurements, commands } = changes;
    if (measurements.length + commands.length < pointsASlice) return;
    if (this.#host.has(role, name)) this.#send(changes);
    else this.#pack(changes);
  }

  #send(changes: LinkChanges): void {
    this.#pack(changes);
    for (const points of changes.packed.splice(0)) this.#host.putPoints(changes.role, changes.name, points);
  }

  #pack({ measurements, commands, packed }: LinkChanges): void {
    if (measurements.length + commands.length === 0) return;
    packed.push(packPoints({ measurements, commands: commands.splice(0) }));
    measurements.length = 0;
  }
}
