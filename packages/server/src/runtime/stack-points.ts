// Points on their way to the connectors and providers that carry them: those that come are sent ahead, in slices; that
// they are there, and which have gone, is sent to all at once.
import type { StackCommand, StackPoint } from '@telltale/stack-kit';
import { type PackedPoints, packPoints, type Role, type StackHost } from '../stacks/index.ts';
import type { PointKind } from './stack-ids.ts';

const pointsASlice = 500;

type Host = Pick<StackHost, 'has' | 'putPoints' | 'dropPoints' | 'pointsDone'>;

interface Parcel {
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
  readonly #parcels = new Map<string, Parcel>();

  constructor(host: Host) {
    this.#host = host;
  }

  /** It is notified that its points are complete, though it may have none. */
  touch(role: Role, name: string): void {
    this.#parcelOf(role, name);
  }

  /** A connector or provider that is gone needs no points. */
  forget(role: Role, name: string): void {
    this.#parcels.delete(`${role} ${name}`);
  }

  putMeasurement(role: Role, name: string, point: StackPoint): void {
    const parcel = this.#parcelOf(role, name);
    parcel.measurements.push(point);
    this.#packFull(parcel);
  }

  putCommand(role: Role, name: string, point: StackCommand): void {
    const parcel = this.#parcelOf(role, name);
    parcel.commands.push(point);
    this.#packFull(parcel);
  }

  remove(role: Role, name: string, kind: PointKind, id: number): void {
    this.#parcelOf(role, name).gone[kind].push(id);
  }

  /** Notifies all instances with changes that their points are complete; returns these. */
  done(): { readonly role: Role; readonly name: string }[] {
    const touched = [...this.#parcels.values()];
    this.#parcels.clear();
    for (const parcel of touched) {
      this.#send(parcel);
      this.#host.pointsDone(parcel.role, parcel.name, parcel.gone);
    }
    return touched;
  }

  /** Nothing of it comes or goes. */
  drop(): void {
    for (const { role, name } of this.#parcels.values()) this.#host.dropPoints(role, name);
    this.#parcels.clear();
  }

  #parcelOf(role: Role, name: string): Parcel {
    const key = `${role} ${name}`;
    const known = this.#parcels.get(key);
    if (known !== undefined) return known;
    const gone = { measurements: [], commands: [] };
    const parcel = { role, name, measurements: [], commands: [], packed: [], gone };
    this.#parcels.set(key, parcel);
    return parcel;
  }

  #packFull(parcel: Parcel): void {
    const { role, name, measurements, commands } = parcel;
    if (measurements.length + commands.length < pointsASlice) return;
    if (this.#host.has(role, name)) this.#send(parcel);
    else this.#pack(parcel);
  }

  #send(parcel: Parcel): void {
    this.#pack(parcel);
    for (const points of parcel.packed.splice(0)) this.#host.putPoints(parcel.role, parcel.name, points);
  }

  #pack({ measurements, commands, packed }: Parcel): void {
    if (measurements.length + commands.length === 0) return;
    packed.push(packPoints({ measurements, commands: commands.splice(0) }));
    measurements.length = 0;
  }
}
