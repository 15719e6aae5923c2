// Who changed each field of an object last: the edits that are not rendered, then the stored changes of each revision, the newest
// first, until every field is known or nothing older is stored.
import { isDeepStrictEqual } from 'node:util';
import {
  type Blame,
  type BlamedField,
  type ComparedChange,
  type Family,
  parseJson,
  toTimestamp,
} from '@telltale/schema';
import { compareObject } from './content.ts';
import type { Database } from './database.ts';
import { unknownObject } from './read-objects.ts';
import { formerNames, keyOf } from './renames.ts';
import type { Revisions } from './revisions.ts';
import { changeOf } from './stored-changes.ts';

type Cause = Omit<BlamedField, 'field' | 'value'>;

/**
 * A step for each revision: one may have changed 100,000 objects. Between steps another file may take the place of the
 * database, so `changesOf` looks into the present one.
 */
export function* blame(
  database: Database,
  family: Family,
  name: string,
  changesOf: Revisions['changesOf'],
): Generator<undefined, Blame> {
  const { content, rendered, renames, revisions } = database;
  const text = content[family].get(name);
  if (text === undefined) throw unknownObject(family, name);
  const blamed = new BlamedFields(parseJson(text) as object);
  const stored = revisions.list();
  let known = name;
  let oldest: number | undefined;
  if (rendered[family].get(name) !== text) {
    const formerName = formerNames(renames.pending(rendered, content)).get(keyOf(family, name));
    const { timeUs, author } = database.editOf(family, name);
    const change = compareObject(rendered, content, { family, name }, formerName);
    known = blamed.take(change, { time: toTimestamp(timeUs), author });
  }
  for (const { id, comment } of stored) {
    if (blamed.isWhole) break;
    const changes = changesOf(id);
    if (changes === undefined) break; // damaged, or too old meanwhile
    oldest = id;
    const change = changeOf(changes, family, known);
    if (change !== undefined) {
      const { time, author } = change;
      known = blamed.take(change, { time, author, revision: id, ...(comment !== undefined && { comment }) });
    }
    yield;
  }
  return { family, name, fields: blamed.fields(), ...(!blamed.isWhole && oldest !== undefined && { oldest }) };
}

class BlamedFields {
  readonly #values: ReadonlyMap<string, unknown>;
  readonly #causes = new Map<string, Cause>();
  #isWhole = false;

  constructor(object: object) {
    this.#values = new Map(Object.entries(object).flatMap(([field, value]) => parts(field, value)));
  }

  /** Nothing older has to be looked at. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** Older than those before. Answers with the name that the object had before it. */
  take({ change, name, renamedFrom, fields = [] }: ComparedChange, cause: Cause): string {
    const isNew = change === 'added' && renamedFrom === undefined;
    const changed = isNew ? this.#values.keys() : fields.flatMap(changedParts);
    for (const field of changed) this.#note(field, cause);
    if (renamedFrom !== undefined) this.#note('name', cause);
    this.#isWhole ||= isNew || [...this.#values.keys()].every((field) => this.#causes.has(field));
    return renamedFrom ?? name;
  }

  /** Those that are set, then those that were unset. */
  fields(): BlamedField[] {
    const names = new Set([...this.#values.keys(), ...this.#causes.keys()]);
    return Array.from(names, (field) => ({
      field,
      ...(this.#values.has(field) && { value: this.#values.get(field) }),
      ...this.#causes.get(field),
    }));
  }

  #note(field: string, cause: Cause): void {
    if (!this.#causes.has(field)) this.#causes.set(field, cause);
  }
}

/** A map as its keys, as the columns of tables are called; an empty one, and a list, as itself. */
function parts(field: string, value: unknown): [string, unknown][] {
  const isMap = typeof value === 'object' && value !== null && !Array.isArray(value);
  const entries = isMap ? Object.entries(value) : [];
  return entries.length === 0 ? [[field, value]] : entries.map(([key, text]) => [`${field}.${key}`, text]);
}

function changedParts({ field, before, after }: { field: string; before?: unknown; after?: unknown }): string[] {
  const [old, now] = [new Map(parts(field, before)), new Map(parts(field, after))];
  return [...new Set([...now.keys(), ...old.keys()])].filter(
    (part) => !isDeepStrictEqual(old.get(part), now.get(part)),
  );
}
