// What somebody may view of the plant. Callers that may view the same share one view, and what is compiled for it.
import type { Rights } from '../../access/index.ts';
import type { Alarms } from '../../alarms/index.ts';
import type { Commands, Measurements } from '../../points/index.ts';
import { selectableAlarms, selectablePoints, Visible } from '../../selection/index.ts';

export interface ViewedObjects {
  readonly measurements: Measurements;
  readonly commands: Commands;
  readonly alarms: Alarms;
}

export class View {
  /** Another one for each. */
  readonly id: number;
  readonly measurements: Visible;
  readonly commands: Visible;
  readonly alarms: Visible;
  readonly #rights: Rights;

  constructor(id: number, rights: Rights, { measurements, commands, alarms }: ViewedObjects) {
    this.id = id;
    this.#rights = rights;
    const sees = ({ name, area }: { name: string; area?: string | undefined }) => this.sees(name, area);
    this.measurements = new Visible(selectablePoints(measurements), sees);
    this.commands = new Visible(selectablePoints(commands), sees);
    this.alarms = new Visible(selectableAlarms(alarms), sees);
  }

  /** Whether an object of this name, in this area, is visible; undefined or empty: in none. */
  sees(name: string, area: string | undefined): boolean {
    return this.#rights.on('view', name, area);
  }
}

const kinds = ['measurements', 'commands', 'alarms'] as const;

export class Views {
  readonly #objects: ViewedObjects;
  /** By what is visible; for as long as somebody has it. */
  readonly #views = new Map<string, WeakRef<View>>();
  readonly #ofRights = new WeakMap<Rights, View>();
  #lastId = 0;

  constructor(objects: ViewedObjects) {
    this.#objects = objects;
    for (const kind of kinds) {
      objects[kind].onDefine((handle, after) => {
        for (const view of this.#all()) view[kind].define(handle, after);
      });
      const removed = (handle: number) => {
        for (const view of this.#all()) view[kind].remove(handle);
      };
      if (kind === 'alarms') objects[kind].onChange((handle, isRemoved) => isRemoved && removed(handle));
      else objects[kind].onRemoval(removed);
    }
  }

  /** Undefined where all of the plant is visible. */
  of(rights: Rights): View | undefined {
    if (rights.everywhere('view')) return undefined;
    const known = this.#ofRights.get(rights);
    if (known !== undefined) return known;
    const key = rights.scopeOf('view');
    const view = this.#views.get(key)?.deref() ?? new View(++this.#lastId, rights, this.#objects);
    this.#ofRights.set(rights, view);
    for (const [other, ref] of this.#views) if (ref.deref() === undefined) this.#views.delete(other);
    this.#views.set(key, new WeakRef(view));
    return view;
  }

  *#all(): Generator<View> {
    for (const ref of this.#views.values()) {
      const view = ref.deref();
      if (view !== undefined) yield view;
    }
  }
}
