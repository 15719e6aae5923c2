// What the configuration database should do, in plain maps and lists: the reference that the real one is held against.
import { type Change, type Family, familyNames, type ProblemName, toTimestamp } from '@telltale/schema';
import { sameJson } from './any-object.ts';

export type ModelObject = Readonly<Record<string, unknown>> & { readonly name: string };
export type ModelOperation =
  | { readonly operation: 'put'; readonly family: Family; readonly name: string; readonly object: ModelObject }
  | { readonly operation: 'delete'; readonly family: Family; readonly name: string };

interface Edit {
  readonly timeUs: number;
  readonly author: string;
}

interface Stored extends Edit {
  readonly object: ModelObject;
}

interface State {
  /** By `family name`. */
  readonly objects: Map<string, Stored>;
  readonly deletions: Map<string, Edit>;
  readonly revisions: ModelRevision[];
}

export interface ModelRevision extends Edit {
  readonly id: number;
  readonly objects: ReadonlyMap<string, ModelObject>;
  readonly changes: readonly Change[];
}

/** Undefined where it worked, else the name of the problem. */
export type Outcome = ProblemName | undefined;

/** The only stack that there is; it takes every address and every variable. */
export const modelStack = 'bench';

export const keyOf = (family: Family, name: string) => `${family} ${name}`;

export class ConfigurationModel {
  #state: State = { objects: new Map(), deletions: new Map(), revisions: [] };

  put(family: Family, name: string, object: ModelObject, edit: Edit): Outcome {
    return this.transaction([{ operation: 'put', family, name, object }], { commit: true, render: false }, edit);
  }

  delete(family: Family, name: string, edit: Edit): Outcome {
    const deletion = { operation: 'delete', family, name } as const;
    const outcome = this.transaction([deletion], { commit: true, render: false }, edit);
    return outcome === 'operation-failed' ? 'unknown-object' : outcome;
  }

  transaction(operations: readonly ModelOperation[], how: { commit: boolean; render: boolean }, edit: Edit): Outcome {
    if (operations.some((step) => step.operation === 'put' && !fits(step.name, step.object))) return 'invalid-body';
    const state = this.#copy();
    for (const step of operations) {
      const key = keyOf(step.family, step.name);
      if (step.operation === 'put') state.objects.set(key, { object: withoutNulls(step.object), ...edit });
      else if (!state.objects.delete(key)) return 'operation-failed';
      else state.deletions.set(key, edit);
    }
    if (how.render && !keepRendering(state, edit)) return 'render-refused';
    if (how.commit) this.#state = state;
    return undefined;
  }

  render({ force }: { force: boolean }, edit: Edit): Outcome {
    if (this.changes().length === 0 && !force) return undefined;
    return this.transaction([], { commit: true, render: true }, edit);
  }

  restore(id: number, { render }: { render: boolean }, edit: Edit): Outcome {
    const revision = this.revisions().find((stored) => stored.id === id);
    if (revision === undefined) return 'unknown-revision';
    const operations: ModelOperation[] = [];
    for (const key of new Set([...this.#state.objects.keys(), ...revision.objects.keys()])) {
      const [family, name] = key.split(' ') as [Family, string];
      const object = revision.objects.get(key);
      if (object === undefined) operations.push({ operation: 'delete', family, name });
      else if (!sameJson(object, this.#state.objects.get(key)?.object)) {
        operations.push({ operation: 'put', family, name, object });
      }
    }
    return this.transaction(operations, { commit: true, render }, edit);
  }

  /** Objects that stay as they are keep who changed them and when. */
  replace(objects: ReadonlyMap<string, ModelObject>, { render }: { render: boolean }, edit: Edit): Outcome {
    const old = this.#state;
    const state: State = { objects: new Map(), deletions: new Map(), revisions: [...old.revisions] };
    for (const [key, given] of objects) {
      const object = withoutNulls(given);
      const before = old.objects.get(key);
      state.objects.set(key, before !== undefined && sameJson(before.object, object) ? before : { object, ...edit });
    }
    for (const key of rendered(old).keys()) {
      const deletion = old.objects.has(key) ? edit : old.deletions.get(key);
      if (!state.objects.has(key) && deletion !== undefined) state.deletions.set(key, deletion);
    }
    if (render && !keepRendering(state, edit)) return 'render-refused';
    this.#state = state;
    return undefined;
  }

  collection(family: Family): Map<string, ModelObject> {
    const of = [...this.#state.objects].filter(([key]) => key.startsWith(`${family} `));
    return new Map(of.map(([key, { object }]) => [key.slice(family.length + 1), object]));
  }

  changes(): Change[] {
    return changesOf(this.#state);
  }

  /** The newest first. */
  revisions(): ModelRevision[] {
    return this.#state.revisions.toReversed();
  }

  #copy(): State {
    const { objects, deletions, revisions } = this.#state;
    return { objects: new Map(objects), deletions: new Map(deletions), revisions: [...revisions] };
  }
}

function fits(name: string, object: ModelObject): boolean {
  return object.name === name && !('colour' in object);
}

function withoutNulls(object: ModelObject): ModelObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null)) as ModelObject;
}

function rendered({ revisions }: State): ReadonlyMap<string, ModelObject> {
  return revisions.at(-1)?.objects ?? new Map();
}

/** False where the whole does not hold together. */
function keepRendering(state: State, edit: Edit): boolean {
  if (!holdsTogether(new Map([...state.objects].map(([key, { object }]) => [key, object])))) return false;
  const objects = new Map([...state.objects].map(([key, { object }]) => [key, object]));
  const id = (state.revisions.at(-1)?.id ?? 0) + 1;
  state.revisions.push({ id, ...edit, objects, changes: changesOf(state) });
  state.deletions.clear();
  if (state.revisions.length > 50) state.revisions.shift();
  return true;
}

function holdsTogether(objects: ReadonlyMap<string, ModelObject>): boolean {
  return [...objects].every(([key, object]) => {
    const [family] = key.split(' ');
    if (family === 'connectors' || family === 'providers') return object.stackName === modelStack;
    if (object.connectorName !== undefined) return objects.has(`connectors ${object.connectorName}`);
    if (object.trgMeasurement !== undefined) return objects.has(`measurements ${object.trgMeasurement}`);
    if (object.leader !== undefined) return leadsSomewhere(objects, object);
    return true;
  });
}

/** A chain of leaders ends at a measurement, which has none here, and never comes back. */
function leadsSomewhere(objects: ReadonlyMap<string, ModelObject>, object: ModelObject): boolean {
  let at: ModelObject | undefined = object;
  for (let steps = 0; at?.leader !== undefined; steps++) {
    const leader: ModelObject | undefined =
      objects.get(`measurements ${at.leader}`) ?? objects.get(`commands ${at.leader}`);
    if (leader === undefined || steps > objects.size) return false;
    at = leader;
  }
  return true;
}

function changesOf(state: State): Change[] {
  const before = rendered(state);
  const keys = [...new Set([...before.keys(), ...state.objects.keys()])];
  const changes: Change[] = [];
  for (const family of familyNames) {
    for (const key of keys.filter((each) => each.startsWith(`${family} `)).sort()) {
      const [old, stored] = [before.get(key), state.objects.get(key)];
      if (sameJson(old, stored?.object)) continue;
      const { timeUs, author } = stored ?? state.deletions.get(key) ?? { timeUs: 0, author: 'nobody' };
      const name = key.slice(family.length + 1);
      const common = { family, name, time: toTimestamp(timeUs), author };
      if (old === undefined) changes.push({ ...common, change: 'added' });
      else if (stored === undefined) changes.push({ ...common, change: 'removed' });
      else changes.push({ ...common, change: 'changed', fields: fieldChanges(old, stored.object) });
    }
  }
  return changes;
}

function fieldChanges(old: ModelObject, now: ModelObject) {
  return [...new Set([...Object.keys(old), ...Object.keys(now)])]
    .filter((field) => !sameJson(old[field], now[field]))
    .sort()
    .map((field) => ({
      field,
      ...(field in old && { before: old[field] }),
      ...(field in now && { after: now[field] }),
    }));
}
