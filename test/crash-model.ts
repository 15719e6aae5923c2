// What a server must hold after all that it has acknowledged: a plain model of the configuration, its renderings and
// the executables. It knows nothing of how the server does it.
import { createHash } from 'node:crypto';
import { type Family, familyNames } from '@telltale/schema';

/** From `family/name` to the object, as JSON with sorted keys. */
export type Objects = ReadonlyMap<string, string>;

export interface ModelRevision {
  readonly id: number;
  readonly objects: Objects;
  readonly changes: readonly string[];
}

export interface Model {
  readonly objects: Objects;
  /** The newest first. */
  readonly revisions: readonly ModelRevision[];
  /** From module to the hash of its bytes. */
  readonly executables: ReadonlyMap<string, string>;
}

/** What an acknowledged request has done; applied to a model it gives the next one. */
export type Effect = (model: Model) => Model;

const maxRevisions = 50;

export const emptyModel: Model = { objects: new Map(), revisions: [], executables: new Map() };

export const nothing: Effect = (model) => model;

export const both =
  (first: Effect, second: Effect): Effect =>
  (model) =>
    second(first(model));

export function put(family: Family, object: { readonly name: string }): Effect {
  return (model) => ({ ...model, objects: new Map(model.objects).set(`${family}/${object.name}`, canonical(object)) });
}

export function remove(key: string): Effect {
  return (model) => ({ ...model, objects: new Map([...model.objects].filter(([other]) => other !== key)) });
}

export function replace(objects: Objects): Effect {
  return (model) => ({ ...model, objects });
}

/** Without bytes: deletes it. */
export function putExecutable(module: string, bytes: Uint8Array | undefined): Effect {
  return (model) => {
    const executables = new Map(model.executables);
    if (bytes === undefined) executables.delete(module);
    else executables.set(module, hashOf(bytes));
    return { ...model, executables };
  };
}

export function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Keeps the objects as the newest revision; where they are that already, only if it is forced. */
export function render(force: boolean): Effect {
  return (model) => {
    const changes = differences(rendered(model), model.objects);
    if (changes.length === 0 && !force) return model;
    const [newest] = model.revisions;
    const revision = { id: (newest?.id ?? 0) + 1, objects: model.objects, changes };
    return { ...model, revisions: [revision, ...model.revisions].slice(0, maxRevisions) };
  };
}

export function rendered({ revisions }: Model): Objects {
  return revisions[0]?.objects ?? new Map();
}

/** Every alarm's measurement exists: nothing else can be wrong with what the client writes. */
export function canBeRendered({ objects }: Model): boolean {
  return [...objects].every(([key, text]) => {
    const { trgMeasurement } = JSON.parse(text) as { trgMeasurement?: string };
    return !key.startsWith('alarms/') || objects.has(`measurements/${trgMeasurement}`);
  });
}

/** `added family/name` and so on, in the order in which the server reports them. */
export function differences(before: Objects, after: Objects): string[] {
  const lines: string[] = [];
  for (const family of familyNames) {
    const ofFamily = (key: string) => key.startsWith(`${family}/`);
    const keys = new Set([...before.keys(), ...after.keys()].filter(ofFamily));
    for (const key of [...keys].sort()) {
      if (!before.has(key)) lines.push(`added ${key}`);
      else if (!after.has(key)) lines.push(`removed ${key}`);
      else if (before.get(key) !== after.get(key)) lines.push(`changed ${key}`);
    }
  }
  return lines;
}

/** JSON in which equal objects are equal texts. */
export function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return JSON.stringify(value);
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`).join(',')}}`;
}

/** Everything about a model that a client can see, to be compared with what the server shows. */
export interface View {
  readonly objects: Readonly<Record<string, string>>;
  readonly upToDate: boolean;
  readonly differences: readonly string[];
  readonly revisions: readonly string[];
  readonly newest:
    | { readonly objects: Readonly<Record<string, string>>; readonly changes: readonly string[] }
    | undefined;
  readonly executables: Readonly<Record<string, string | undefined>>;
}

export function viewOf(model: Model): View {
  const { objects, revisions, executables } = model;
  const [newest] = revisions;
  const changes = differences(rendered(model), objects);
  const modules = [...objects.keys()].filter((key) => key.startsWith('function-modules/'));
  const names = modules.map((key) => key.slice('function-modules/'.length)).sort();
  return {
    objects: sorted(objects),
    upToDate: changes.length === 0,
    differences: changes,
    revisions: revisions.map(summaryOf),
    newest: newest && { objects: sorted(newest.objects), changes: newest.changes },
    executables: Object.fromEntries(names.map((name) => [name, executables.get(name)])),
  };
}

export function sorted(objects: Objects): Record<string, string> {
  return Object.fromEntries([...objects].sort(([one], [other]) => (one < other ? -1 : 1)));
}

function summaryOf({ id, objects, changes }: ModelRevision): string {
  const counted = (kind: string) => changes.filter((line) => line.startsWith(kind)).length;
  return `${id}: ${objects.size} objects, +${counted('added')} ~${counted('changed')} -${counted('removed')}`;
}
