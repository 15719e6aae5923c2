// What the author of a request sees of the configuration, and may change: one rule, whatever way the request comes. What is
// not seen is as if it were not there.
import { type Family, type Fault, familyNames, type Permission, ProblemError, permissionNames } from '@telltale/schema';
import { type Granted, GrantedRights } from '../access/index.ts';
import type { CheckedFault } from './checked-fault.ts';
import type { Content } from './content.ts';
import { type Need, neededFor, type ObjectChange, placesOf } from './needed-permissions.ts';
import { areaIn } from './place.ts';

/** Whoever asks, as data for the thread of the configuration. */
export interface Author {
  readonly name: string;
  readonly granted: readonly Granted[];
}

/** Those of which a change may need one. */
const ofChanges: readonly Permission[] = ['configure', 'view', 'install-code'];

export class AuthorsRights {
  readonly #name: string;
  readonly #rights: GrantedRights;
  readonly #seesAll: boolean;
  readonly #changesAll: boolean;

  constructor({ name, granted }: Author) {
    this.#name = name;
    this.#rights = new GrantedRights(granted);
    this.#seesAll = this.#rights.everywhere('read-config') || this.#rights.everywhere('configure');
    this.#changesAll = ofChanges.every((permission) => this.#rights.everywhere(permission));
  }

  get seesAll(): boolean {
    return this.#seesAll;
  }

  get configuresAll(): boolean {
    return this.#rights.everywhere('configure');
  }

  /** Whoever may change an object sees it. */
  sees(family: Family, name: string, text: string | undefined): boolean {
    if (this.#seesAll || text === undefined) return text !== undefined;
    return this.#may({ permissions: ['read-config', 'configure'], name, area: areaIn(family, text), shown: '' });
  }

  /** The same ones where all are seen. */
  seenObjects(family: Family, objects: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
    if (this.#seesAll) return objects;
    return new Map([...objects].filter(([name, text]) => this.sees(family, name, text)));
  }

  seenContent(content: Content): Content {
    if (this.#seesAll) return content;
    return Object.fromEntries(
      familyNames.map((family) => [family, this.seenObjects(family, content[family])]),
    ) as Content;
  }

  seesAllOf(content: Content): boolean {
    return (
      this.#seesAll ||
      familyNames.every((family) => this.seenObjects(family, content[family]).size === content[family].size)
    );
  }

  /** Throws where a change needs what the author does not have. `content` is what there is after all of them. */
  permit(changes: Iterable<ObjectChange>, content: Content): void {
    if (this.#changesAll) return;
    for (const change of changes) {
      const { family, name, before, after } = change;
      if (this.configuresAll && family !== 'function-modules') continue; // nothing else has code
      // What there will be, the author has named.
      const isKnown = after !== undefined || this.sees(family, name, before);
      this.#permitAll(neededFor(change, content), isKnown ? undefined : 'It would delete');
    }
  }

  /** `changes`: all that will run from now on, whoever has made it. */
  permitRendering(changes: Iterable<ObjectChange>): void {
    if (!this.#rights.has('render')) throw notAllowed(`${this.#name} needs the permission render`);
    if (this.#rights.everywhere('render')) return;
    for (const change of changes) {
      const { family, name, before, after } = change;
      const isKnown = this.sees(family, name, after) || this.sees(family, name, before);
      this.#permitAll(placesOf(change, 'render'), isKnown ? undefined : 'It would render');
    }
  }

  /** For something that is done to an object, and does not change it. */
  permitObject(object: ObjectChange, permission: Permission): void {
    this.#permitAll(placesOf(object, permission), undefined);
  }

  /** Names what is wrong with objects that the author sees. */
  refusedRendering(faults: readonly CheckedFault[], content: Content): ProblemError {
    const sees = (family: Family, name: string) => this.sees(family, name, content[family].get(name));
    const seen = faults
      .filter(({ family, name = '' }) => family === undefined || sees(family as Family, name))
      .map(({ named, ...fault }): Fault => {
        const isNamed = named?.objects.every(({ family, name }) => sees(family, name)) ?? true;
        return isNamed ? fault : { ...fault, message: named?.otherwise ?? '' };
      });
    const what = seen.length === 1 ? '1 thing is wrong' : `${seen.length} things are wrong`;
    const unseen = faults.length > seen.length ? `, and more with what ${this.#name} does not see` : '';
    return new ProblemError('render-refused', `${what}${unseen}; nothing was changed.`, seen);
  }

  /** Throws where it is not permitted for all of the plant. */
  permitEverywhere(permission: Permission): void {
    if (this.#rights.everywhere(permission)) return;
    throw notAllowed(`${this.#name} needs the permission ${permission} for all of the plant`);
  }

  /** A refusal that names nothing that the author does not see. */
  refuseUnseen(what: string): ProblemError {
    return notAllowed(`${what} something that ${this.#name} does not see`);
  }

  /** `unseen`: what would be done, where the author does not know to what. */
  #permitAll(needs: Iterable<Need>, unseen: string | undefined): void {
    for (const need of needs) {
      if (this.#may(need)) continue;
      if (unseen !== undefined) throw this.refuseUnseen(unseen);
      throw notAllowed(`${this.#name} needs the permission ${need.permissions[0]} for ${need.shown}`);
    }
  }

  #may({ permissions, name, area }: Need): boolean {
    return permissions.some((permission) => this.#rights.on(permission, name, area));
  }
}

/** The service itself. */
export const everyRight = new AuthorsRights({ name: 'the service', granted: [{ permissions: permissionNames }] });

function notAllowed(what: string): ProblemError {
  return new ProblemError('not-allowed', `${what}.`);
}
