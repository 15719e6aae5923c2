// The objects that refer to one that gets another name, as they are afterwards: triggers, leaders, watchdogs, what function
// modules and providers may write, pens of trends, and bindings of pictures.
import {
  type Alarm,
  type ArchiveKind,
  archiveKinds,
  type Connector,
  type Family,
  type FamilyObject,
  familyNames,
  type Measurement,
  type Picture,
  type Provider,
  parseJson,
  type Trend,
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
  pictures: [' data-tt-'],
  trends: ['"pens":[{'],
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
    case 'pictures':
      return bindingsOf(object as Picture, content, newNames);
    case 'trends':
      return pensOf(object as Trend, newNames);
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

/** What is bound to a point, or opens it, by its whole name. */
const binding = / (?:data-tt-point="(?:(measurement|command|alarm):)?|data-tt-opens="point:)([A-Za-z0-9_]+)"/g;
const kindOf: Readonly<Record<string, ArchiveKind>> = {
  measurement: 'measurements',
  command: 'commands',
  alarm: 'alarms',
};

/** Without a kind, a measurement comes before a command of the same name, and both before an alarm. */
function bindingsOf({ svg }: Picture, content: Content, newNames: NewNames): object | undefined {
  const followed = svg.replaceAll(binding, (whole, kind: string | undefined, name: string) => {
    const family =
      kind === undefined ? bindable.find((each) => newNames[each].has(name) || content[each].has(name)) : kindOf[kind];
    const to = family === undefined ? undefined : newNames[family].get(name);
    return to === undefined ? whole : `${whole.slice(0, -name.length - 1)}${to}"`;
  });
  return followed === svg ? undefined : { svg: followed };
}

const bindable = ['measurements', 'commands', 'alarms'] as const;

function pensOf({ pens }: Trend, newNames: NewNames): object | undefined {
  if (!pens.some(({ kind, name }) => newNames[kind].has(name))) return undefined;
  return { pens: pens.map((pen) => ({ ...pen, name: newNames[pen.kind].get(pen.name) ?? pen.name })) };
}
