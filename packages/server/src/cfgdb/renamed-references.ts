// The objects that refer to one that gets another name, as they are afterwards: triggers, leaders, watchdogs, and what function
// modules and providers may write.
import {
  type Alarm,
  type ArchiveKind,
  archiveKinds,
  type Connector,
  type Family,
  type FamilyObject,
  familyNames,
  type Measurement,
  type Provider,
  parseJson,
} from '@telltale/schema';
import type { Content } from './content.ts';

/** An object gets another name, and keeps its history. Only these families have one. */
export interface Rename {
  readonly family: ArchiveKind;
  readonly from: string;
  readonly to: string;
}

export interface Referrer {
  readonly family: Family;
  readonly name: string;
  readonly object: FamilyObject[Family];
}

/** Where an object of each family refers to others: nothing else needs to be parsed. */
const places: Record<Family, readonly string[]> = {
  alarms: ['"trgMeasurement":"'],
  connectors: ['"wdtMeasurement":"'],
  providers: ['"wdtMeasurement":"', '"writes":"'],
  measurements: ['"leader":"'],
  commands: ['"leader":"'],
  'function-modules': ['"writes":"'],
};

/** For each family, from old name to new. */
export type NewNames = Record<ArchiveKind, ReadonlyMap<string, string>>;

/** `content` still has the objects under their old names. */
export function* renamedReferences(content: Content, renames: readonly Rename[]): Generator<Referrer> {
  const newNames = newNamesBy(renames);
  const only = renames.length === 1 ? renames[0]?.from : undefined;
  for (const family of familyNames) {
    for (const [name, text] of content[family]) {
      if (!places[family].some((place) => text.includes(place)) || (only !== undefined && !text.includes(only)))
        continue;
      const object = parseJson(text) as FamilyObject[Family];
      const changed = following(family, object, content, newNames);
      if (changed !== undefined) yield { family, name, object: { ...object, ...changed } };
    }
  }
}

export function newNamesBy(renames: readonly Rename[]): NewNames {
  const namesOf = (kind: ArchiveKind) =>
    new Map(renames.flatMap(({ family, from, to }) => (family === kind ? [[from, to] as const] : [])));
  return { measurements: namesOf('measurements'), commands: namesOf('commands'), alarms: namesOf('alarms') };
}

/** An object that refers by old names, after renames that `content` has already. */
export function referencesAfter(
  family: Family,
  object: FamilyObject[Family],
  content: Content,
  newNames: NewNames,
): FamilyObject[Family] {
  const { leader } = object as Measurement;
  if (leader !== undefined && newNames.measurements.has(leader)) {
    return { ...object, leader: newNames.measurements.get(leader) } as FamilyObject[Family];
  }
  return { ...object, ...following(family, object, content, newNames) };
}

/** The fields that change; undefined where none does. */
function following(
  family: Family,
  object: FamilyObject[Family],
  content: Content,
  newNames: NewNames,
): object | undefined {
  switch (family) {
    case 'alarms': {
      const to = newNames.measurements.get((object as Alarm).trgMeasurement ?? '');
      return to === undefined ? undefined : { trgMeasurement: to };
    }
    case 'connectors':
      return watchdogOf(object as Connector, newNames);
    case 'providers': {
      const [watchdog, writes] = [watchdogOf(object as Provider, newNames), writesOf(object, content, newNames)];
      return watchdog === undefined && writes === undefined ? undefined : { ...watchdog, ...writes };
    }
    case 'measurements':
    case 'commands': {
      const { leader = '' } = object as Measurement;
      // A measurement leads before a command of the same name.
      const to = newNames[content.measurements.has(leader) ? 'measurements' : 'commands'].get(leader);
      return to === undefined ? undefined : { leader: to };
    }
    case 'function-modules':
      return writesOf(object, content, newNames);
  }
}

function watchdogOf({ wdtMeasurement = '' }: Connector | Provider, newNames: NewNames): object | undefined {
  const to = newNames.measurements.get(wdtMeasurement);
  return to === undefined ? undefined : { wdtMeasurement: to };
}

/** A list of names, whatever they are names of: an old one stays where another object has it. */
function writesOf({ properties = {} }: FamilyObject[Family], content: Content, newNames: NewNames): object | undefined {
  const writes = Object.hasOwn(properties, 'writes') ? properties.writes : undefined;
  if (writes === undefined) return undefined;
  const replaced = writes.replaceAll(/[^\s,]+/g, (item) => {
    const names = archiveKinds.flatMap((kind) => newNames[kind].get(item) ?? []);
    const isShared = archiveKinds.some((kind) => !newNames[kind].has(item) && content[kind].has(item));
    return names.length === 0 ? item : [...new Set([...(isShared ? [item] : []), ...names])].join(', ');
  });
  return replaced === writes ? undefined : { properties: { ...properties, writes: replaced } };
}
