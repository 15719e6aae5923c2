// The objects that refer to one that gets another name, as they are afterwards: triggers, leaders, watchdogs, and what function
// modules may write.
import {
  type Alarm,
  type ArchiveKind,
  archiveKinds,
  type Connector,
  type Family,
  type FamilyObject,
  type FunctionModule,
  familyNames,
  type Measurement,
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

/** `content` still has the object under its old name. */
export function* renamedReferences(content: Content, rename: Rename): Generator<Referrer> {
  const { from } = rename;
  for (const family of familyNames) {
    for (const [name, text] of content[family]) {
      if (!text.includes(from)) continue;
      const object = parseJson(text) as FamilyObject[Family];
      const changed = following(family, object, content, rename);
      if (changed !== undefined) yield { family, name, object: { ...object, ...changed } };
    }
  }
}

/** The fields that change; undefined where none does. */
function following(
  family: Family,
  object: FamilyObject[Family],
  content: Content,
  { family: renamed, from, to }: Rename,
): object | undefined {
  const isMeasurement = renamed === 'measurements';
  switch (family) {
    case 'alarms':
      return isMeasurement && (object as Alarm).trgMeasurement === from ? { trgMeasurement: to } : undefined;
    case 'connectors':
    case 'providers':
      return isMeasurement && (object as Connector).wdtMeasurement === from ? { wdtMeasurement: to } : undefined;
    case 'measurements':
    case 'commands': {
      // A measurement leads before a command of the same name.
      const isLeader = isMeasurement || (renamed === 'commands' && !content.measurements.has(from));
      return isLeader && (object as Measurement).leader === from ? { leader: to } : undefined;
    }
    case 'function-modules':
      return writesOf(object as FunctionModule, content, renamed, { from, to });
  }
}

/** A list of names, whatever they are names of: the old one stays where another object has it. */
function writesOf(
  { properties = {} }: FunctionModule,
  content: Content,
  renamed: ArchiveKind,
  { from, to }: { from: string; to: string },
): object | undefined {
  const writes = Object.hasOwn(properties, 'writes') ? properties.writes : undefined;
  if (writes === undefined || !writes.split(/[\s,]+/).includes(from)) return undefined;
  const isShared = archiveKinds.some((kind) => kind !== renamed && content[kind].has(from));
  const replaced = writes.replaceAll(/[^\s,]+/g, (item) => (item === from ? (isShared ? `${from}, ${to}` : to) : item));
  return { properties: { ...properties, writes: replaced } };
}
