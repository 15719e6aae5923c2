// Copies an object, or a connector with its points and their alarms: new names and addresses by rules, and references among
// the copied follow. One transaction, and every name that is taken is told at once.
import {
  type Alarm,
  type Connector,
  type Copied,
  type CopyRequest,
  type CopyResult,
  type Family,
  type FamilyObject,
  type Fault,
  isIdentifier,
  type Measurement,
  maxFaults,
  maxOperations,
  ProblemError,
  parseJson,
  reservedName,
} from '@telltale/schema';
import { didYouMean } from '@telltale/schema/nearest-name';
import type { Configuration, Rendering } from './configuration.ts';
import { shownObjects } from './configured-secrets.ts';
import { Rewriting } from './copy-rule.ts';
import { invalidBody, readPut, type Step, unknownObject } from './read-objects.ts';
import { Fields } from './read-table.ts';
import { columnOf, headingsOf, nameHeading } from './table-columns.ts';

type Objects = (family: Family) => ReadonlyMap<string, string>;

interface Copy {
  readonly family: Family;
  readonly from: string;
  readonly to: string;
  readonly object: FamilyObject[Family];
}

export interface CopyOptions extends Rendering {
  /** Everything is checked and carried out, and undone. */
  readonly dryRun: boolean;
}

export function copyObjects(
  configuration: Pick<Configuration, 'objects' | 'transaction'>,
  request: CopyRequest,
  { dryRun, ...rendering }: CopyOptions,
  author: string,
): CopyResult {
  const { steps, copied } = new Copier((family) => shownObjects(family, configuration.objects(family)), request).copy();
  configuration.transaction(steps, { commit: !dryRun, ...rendering }, author);
  return { copied };
}

class Copier {
  readonly #objects: Objects;
  readonly #request: CopyRequest;
  readonly #faults: Fault[] = [];
  readonly #names: readonly Rewriting[];
  readonly #addresses: readonly Rewriting[];
  /** Of each family, from new to old name. */
  readonly #made = new Map<string, string>();
  /** From old to new name, of those that are copied. */
  readonly #renamed = new Map<Family, Map<string, string>>();

  constructor(objects: Objects, request: CopyRequest) {
    const { name, to, names = [{ from: `${name}*`, to: `${to}*` }], addresses = [] } = request;
    this.#objects = objects;
    this.#request = request;
    this.#names = names.map((rule) => new Rewriting(rule));
    this.#addresses = addresses.map((rule) => new Rewriting(rule));
  }

  copy(): { steps: Step[]; copied: Copied[] } {
    this.#checkRules();
    const copies = this.#copies();
    const taken = copies.filter(({ family, to }) => this.#objects(family).has(to));
    if (taken.length > 0) throw nameTaken(taken);
    const copied: Copied[] = [];
    const steps = copies.flatMap((copy) => {
      const { family, from, to } = copy;
      const { object, omitted } = this.#changed(copy);
      copied.push({ family, from, to, ...(omitted.length > 0 && { omitted }) });
      return readPut(family, to, object, `/${family}/${from}`, this.#faults) ?? [];
    });
    this.#refuseUnused();
    if (this.#faults.length > 0) throw invalidBody(this.#faults);
    return { steps, copied };
  }

  #checkRules(): void {
    const { family, names, addresses } = this.#request;
    for (const [member, rules] of this.#rules()) {
      if (family !== 'connectors' && this.#request[member] !== undefined) {
        this.#fault(`/${member}`, 'goes with connectors: another object has its name in to, and its address in set');
      }
      for (const [at, { fault }] of rules.entries()) if (fault !== undefined) this.#fault(`/${member}/${at}`, fault);
    }
    if (names?.length === 0 || addresses?.length === 0)
      this.#fault('', 'has a list of rules without any: leave it out');
    if (this.#faults.length > 0) throw invalidBody(this.#faults);
  }

  #rules() {
    return [['names', this.#names] as const, ['addresses', this.#addresses] as const];
  }

  /** A rule that matches nothing was meant for something. */
  #refuseUnused(): void {
    for (const [member, rules] of this.#rules()) {
      if (this.#request[member] === undefined) continue;
      for (const [at, { isUsed }] of rules.entries()) {
        if (!isUsed)
          this.#fault(`/${member}/${at}`, `matches nothing that is copied: ${this.#request[member][at]?.from}`);
      }
    }
  }

  #copies(): Copy[] {
    const { family, name, to } = this.#request;
    const text = this.#objects(family).get(name);
    if (text === undefined) throw unknownObject(family, name);
    const first = parseJson(text) as FamilyObject[Family];
    const copies: Copy[] = [];
    this.#add(copies, family, name, to, first);
    if (family !== 'connectors') return this.#refuseFaulty(copies);
    const { wdtMeasurement } = first as Connector;
    const mark = `"connectorName":${JSON.stringify(name)}`; // in the text first: of very many objects, few are of this one
    for (const points of ['measurements', 'commands'] as const) {
      for (const [point, text] of inOrder(this.#objects(points))) {
        const isWatchdog = points === 'measurements' && point === wdtMeasurement;
        if (!isWatchdog && !text.includes(mark)) continue;
        const object = parseJson(text) as Measurement;
        if (isWatchdog || object.connectorName === name) this.#addByRule(copies, points, point, object);
      }
    }
    const measurements = this.#renamed.get('measurements') ?? new Map();
    for (const [alarm, text] of inOrder(this.#objects('alarms'))) {
      const object = parseJson(text) as Alarm;
      const isOfDevice = object.connectorName === name;
      if (isOfDevice || measurements.has(object.trgMeasurement)) this.#addByRule(copies, 'alarms', alarm, object);
    }
    if (copies.length > maxOperations) {
      throw new ProblemError('too-many-operations', `${copies.length} objects; at most ${maxOperations} are copied.`);
    }
    return this.#refuseFaulty(copies);
  }

  #refuseFaulty(copies: Copy[]): Copy[] {
    if (this.#faults.length > 0) throw invalidBody(this.#faults);
    return copies;
  }

  #addByRule(copies: Copy[], family: Family, name: string, object: FamilyObject[Family]): void {
    const to = rewritten(this.#names, name);
    if (to !== undefined) this.#add(copies, family, name, to, object);
    else this.#fault(`/${family}/${name}`, `has no new name: add a rule to names, such as from ${name} to ${name}_2`);
  }

  #add(copies: Copy[], family: Family, from: string, to: string, object: FamilyObject[Family]): undefined {
    const renamed = this.#renamed.get(family) ?? new Map<string, string>();
    this.#renamed.set(family, renamed);
    const at = `/${family}/${from}`;
    if (!isIdentifier(to)) return this.#fault(at, `would be ${shown(to)}: a name is 1 to 64 of 0-9, a-z, A-Z and _`);
    if (to === reservedName) return this.#fault(at, `would be ${reservedName}, which is a reserved word`);
    const other = this.#made.get(`${family}/${to}`);
    if (other !== undefined)
      return this.#fault(at, `would be ${to}, as ${other} would: make the rules distinguish them`);
    this.#made.set(`${family}/${to}`, from);
    renamed.set(from, to);
    copies.push({ family, from, to, object });
    return undefined;
  }

  /** The copy as it is put, and which fields of the original it lacks. */
  #changed({ family, from, to, object }: Copy): { object: object; omitted: string[] } {
    const isFirst = family === this.#request.family && from === this.#request.name;
    const { providerAddresses, ...rest } = object as Measurement;
    const changed: Record<string, unknown> = { ...rest, ...this.#following(object), name: to };
    const omitted: string[] = [];
    if (!isFirst && rest.address !== undefined) {
      changed.address = rewritten(this.#addresses, rest.address) ?? rest.address;
    }
    const addresses: [string, string][] = [];
    for (const [provider, address] of Object.entries(providerAddresses ?? {})) {
      const other = rewritten(this.#addresses, address);
      if (other !== undefined) addresses.push([provider, other]);
      else omitted.push(`providerAddresses.${provider}`);
    }
    if (addresses.length > 0) changed.providerAddresses = Object.fromEntries(addresses);
    if (!isFirst) return { object: changed, omitted };
    const set = this.#set(family, to, changed);
    return { object: set, omitted: omitted.filter((heading) => this.#request.set?.[heading] === undefined) };
  }

  /** References to others that are copied. */
  #following(object: FamilyObject[Family]): Record<string, string> {
    const { connectorName, leader } = object as Measurement;
    const measurementOf = (name: string | undefined) => this.#newName('measurements', name);
    // A measurement leads before a command of the same name.
    const leads = leader !== undefined && this.#objects('measurements').has(leader) ? 'measurements' : 'commands';
    const references = {
      connectorName: this.#newName('connectors', connectorName),
      leader: this.#newName(leads, leader),
      trgMeasurement: measurementOf((object as Alarm).trgMeasurement),
      wdtMeasurement: measurementOf((object as Connector).wdtMeasurement),
    };
    return Object.fromEntries(
      Object.entries(references).filter((entry): entry is [string, string] => entry[1] !== undefined),
    );
  }

  #newName(family: Family, name: string | undefined): string | undefined {
    return name === undefined ? undefined : this.#renamed.get(family)?.get(name);
  }

  #set(family: Family, name: string, object: Record<string, unknown>): object {
    const fields = new Fields(JSON.stringify(object));
    for (const [heading, value] of Object.entries(this.#request.set ?? {})) {
      const column = heading === nameHeading ? undefined : columnOf(family, heading);
      const at = `/set/${heading.slice(0, 80)}`;
      if (column === undefined) {
        const hint = didYouMean(heading.slice(0, 80), headingsOf(family));
        this.#fault(at, heading === nameHeading ? 'is given in to' : `is no field of ${family}.${hint}`);
        continue;
      }
      const wrong = fields.set(column, value, false);
      if (wrong !== undefined) this.#fault(at, wrong);
    }
    return fields.object(name);
  }

  #fault(path: string, message: string): undefined {
    if (this.#faults.length < maxFaults) this.#faults.push({ path, message });
    return undefined;
  }
}

function inOrder(objects: ReadonlyMap<string, string>): [name: string, text: string][] {
  return [...objects].sort(([a], [b]) => (a < b ? -1 : 1));
}

function rewritten(rules: readonly Rewriting[], text: string): string | undefined {
  for (const rule of rules) {
    const made = rule.apply(text);
    if (made !== undefined) return made;
  }
  return undefined;
}

function nameTaken(taken: readonly Copy[]): ProblemError {
  const faults = taken
    .slice(0, maxFaults)
    .map(({ family, from, to }) => ({ path: `/${family}/${from}`, message: `would be ${to}, which exists` }));
  const [first] = taken;
  const more = taken.length > 1 ? `, and ${taken.length - 1} more` : '';
  return new ProblemError(
    'name-taken',
    `${first?.family} has ${first?.to} already${more}; nothing was copied.`,
    faults,
  );
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 80));
}
