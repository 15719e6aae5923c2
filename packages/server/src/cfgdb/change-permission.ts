// Whether a change of the configuration is permitted: looked at when it is done and not yet committed, by what it has changed.
import type { Family } from '@telltale/schema';
import type { AuthorsRights } from './authors-rights.ts';
import { type Content, Differences } from './content.ts';
import type { Database } from './database.ts';
import { withName } from './made-objects.ts';
import type { ObjectChange } from './needed-permissions.ts';
import { keyOf } from './renames.ts';

/** What is known of an object beside the object: which type has made it, and under which name it runs. */
interface Mark {
  readonly family: Family;
  readonly name: string;
  /** Of the object, where it is not there. */
  readonly made: string | undefined;
  readonly known: string;
}

export class ChangePermission {
  readonly #rights: AuthorsRights;
  readonly #database: Database;
  readonly #marks: ReadonlyMap<string, Mark>;

  /** Inside the transaction, before anything has changed. */
  constructor(rights: AuthorsRights, database: Database) {
    this.#rights = rights;
    this.#database = database;
    this.#marks = marksOf(rights, database);
  }

  /** Inside the transaction, when everything has changed. Throws where it is not permitted. */
  check(): void {
    const { content } = this.#database;
    this.#rights.permit(this.#database.touched(), content);
    const touched = this.#rights.configuresAll ? [] : this.#database.touched();
    permitMarks(this.#rights, this.#marks, marksOf(this.#rights, this.#database), content, touched);
  }
}

/**
 * The same for another database, which takes the place of the present one. Whoever does not see an object of it would learn
 * whether they have guessed it. Answers with what it changes.
 */
export function permitReplacement(
  rights: AuthorsRights,
  present: Database,
  next: Database,
): () => Iterable<ObjectChange> {
  if (!rights.seesAllOf(present.content)) throw rights.refuseUnseen('It would replace');
  const differences = Differences.between(present.content, next.content);
  const changes = () => objectChanges(differences, present.content, next.content);
  rights.permit(changes(), next.content);
  permitMarks(rights, marksOf(rights, present), marksOf(rights, next), next.content, changes());
  return changes;
}

export function* objectChanges(
  differences: Iterable<{ readonly family: Family; readonly name: string }>,
  before: Content,
  after: Content,
): Generator<ObjectChange> {
  for (const { family, name } of differences) {
    yield { family, name, before: before[family].get(name), after: after[family].get(name) };
  }
}

/** Nothing where it does not matter: there may be very many. */
function marksOf({ configuresAll }: AuthorsRights, { made, renames, rendered, content }: Database): Map<string, Mark> {
  const marks = new Map<string, Mark>();
  if (configuresAll) return marks;
  for (const { type, family, madeName, name, instance, made: text } of made.all()) {
    const known = JSON.stringify([type, madeName, instance, text]);
    marks.set(`made ${keyOf(family, name)}`, { family, name, made: withName(text, name), known });
  }
  for (const { family, from, to } of renames.pending(rendered, content)) {
    marks.set(`renamed ${keyOf(family, to)}`, { family, name: to, made: undefined, known: from });
  }
  return marks;
}

/** Of an object that was put or deleted itself, it is permitted already. */
function permitMarks(
  rights: AuthorsRights,
  before: ReadonlyMap<string, Mark>,
  after: ReadonlyMap<string, Mark>,
  content: Content,
  touched: Iterable<ObjectChange>,
): void {
  const permitted = new Set(Array.from(touched, ({ family, name }) => keyOf(family, name)));
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    const mark = after.get(key) ?? before.get(key);
    if (mark === undefined || before.get(key)?.known === after.get(key)?.known) continue;
    const { family, name } = mark;
    const text = content[family].get(name) ?? mark.made;
    if (text === undefined || permitted.has(keyOf(family, name))) continue;
    rights.permit([{ family, name, before: text, after: undefined }], content);
  }
}
