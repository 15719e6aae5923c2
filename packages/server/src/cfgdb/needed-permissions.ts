// What a change of one object needs: permissions for the object where it was and where it is, and for what it refers to. A
// reference counts when a field changes that makes use of it: who may not touch a connector reads nothing else through it.
import { isDeepStrictEqual } from 'node:util';
import { archiveKinds, type Family, type Permission, parseJson, readWriteList } from '@telltale/schema';
import type { Content } from './content.ts';
import { areaIn, propertyOf } from './place.ts';

/** Not both texts are undefined. Where they are equal, it was put as it was. */
export interface ObjectChange {
  readonly family: Family;
  readonly name: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** A permission to something that has this name, in this area. */
export interface Need {
  /** One of them is enough. */
  readonly permissions: readonly [Permission, ...Permission[]];
  readonly name: string;
  readonly area: string | undefined;
  /** How it is called to people: the same, whether it exists or not. */
  readonly shown: string;
}

type Fields = Readonly<Record<string, unknown>>;
type Texts = Readonly<Record<string, string>> | undefined;

/** What a connector is told of a point or alarm: which part of its device is read or written. */
const deviceFields = ['connectorName', 'address', 'datatype', 'rawDatatype', 'properties'];
/** By these, somebody could learn the value of the measurement. */
const triggerFields = ['trgMeasurement', 'trgOperator', 'trgRefValue', 'trgHysteresis', 'properties'];
const codeFields = ['executable', 'env'];
const codeProperties = ['writes', 'reads', 'sha256'];

/** `content` is what there is after all changes. */
export function* neededFor(change: ObjectChange, content: Content): Generator<Need> {
  const { family, name, before, after } = change;
  yield* placesOf(change, 'configure');
  if (after === undefined) return;
  const [was, is] = [fieldsOf(before), fieldsOf(after)];
  if (family === 'function-modules' && (hasOtherCode(was, is) || hasMoved(change))) {
    yield* placesOf(change, 'install-code');
  }
  for (const need of references(family, was, is, content)) {
    yield { ...need, shown: `${need.shown}, which ${family}/${name} refers to` };
  }
}

/** The new place first: of an object that somebody does not see, it is all that they have said themselves. */
export function* placesOf({ family, name, before, after }: ObjectChange, permission: Permission): Generator<Need> {
  for (const text of [after, before]) {
    if (text !== undefined) yield needOf(permission, name, areaIn(family, text), `${family}/${name}`);
  }
}

function hasOtherCode(was: Fields, is: Fields): boolean {
  return differ(was, is, codeFields) || codeProperties.some((each) => property(was, each) !== property(is, each));
}

/** A function module that moves takes its code along. */
function hasMoved({ family, before, after }: ObjectChange): boolean {
  if (before === undefined || after === undefined) return false;
  return (areaIn(family, before) ?? '') !== (areaIn(family, after) ?? '');
}

function* references(family: Family, was: Fields, is: Fields, content: Content): Generator<Need> {
  switch (family) {
    case 'measurements':
    case 'commands':
      if (differ(was, is, deviceFields)) yield* reference('configure', 'connectors', is.connectorName, content);
      if (differ(was, is, ['leader'])) yield* named('view', ['measurements', 'commands'], is.leader, content);
      for (const provider of newKeys(was.providerAddresses as Texts, is.providerAddresses as Texts)) {
        yield* reference('configure', 'providers', provider, content);
      }
      break;
    case 'alarms':
      if (differ(was, is, deviceFields)) yield* reference('configure', 'connectors', is.connectorName, content);
      if (differ(was, is, triggerFields)) yield* reference('view', 'measurements', is.trgMeasurement, content);
      break;
    case 'connectors':
    case 'providers':
      // The service drives a watchdog that has no address.
      if (differ(was, is, ['wdtMeasurement']))
        yield* reference('configure', 'measurements', is.wdtMeasurement, content);
      yield* listed('configure', 'writes', was, is, content);
      break;
    case 'function-modules':
      yield* listed('install-code', 'writes', was, is, content);
      yield* listed('install-code', 'reads', was, is, content);
  }
}

/** What does not exist is in no area. */
function* reference(permission: Permission, family: Family, name: unknown, content: Content): Generator<Need> {
  if (typeof name !== 'string') return;
  const text = content[family].get(name);
  yield needOf(
    permission,
    name,
    text === undefined ? undefined : areaIn(family, text),
    `${family}/${name.slice(0, 80)}`,
  );
}

/** Whatever has the name. */
function* named(permission: Permission, families: readonly Family[], name: unknown, content: Content): Generator<Need> {
  if (typeof name !== 'string') return;
  const texts = families.flatMap((family) => {
    const text = content[family].get(name);
    return text === undefined ? [] : [areaIn(family, text)];
  });
  for (const area of texts.length === 0 ? [undefined] : texts) yield needOf(permission, name, area, name.slice(0, 80));
}

/** Of names, and of beginnings of names: these are for whoever may do it to every name that begins so. */
function* listed(permission: Permission, list: string, was: Fields, is: Fields, content: Content): Generator<Need> {
  const text = property(is, list) ?? '';
  if (text === (property(was, list) ?? '')) return;
  const { names, prefixes } = readWriteList(text);
  for (const name of names) yield* named(permission, archiveKinds, name, content);
  for (const prefix of prefixes) yield needOf(permission, prefix, undefined, `${prefix.slice(0, 80)}*`);
}

/** Whoever may change an object may see it. */
function needOf(permission: Permission, name: string, area: string | undefined, shown: string): Need {
  return { permissions: permission === 'view' ? ['view', 'configure'] : [permission], name, area, shown };
}

function fieldsOf(text: string | undefined): Fields {
  return text === undefined ? {} : (parseJson(text) as Fields);
}

function differ(was: Fields, is: Fields, fields: readonly string[]): boolean {
  return fields.some((field) => !isDeepStrictEqual(was[field], is[field]));
}

function property(fields: Fields, name: string): string | undefined {
  return propertyOf(fields.properties as Texts, name);
}

/** Keys that are new, or have another value. */
function newKeys(was: Texts = {}, is: Texts = {}): string[] {
  return Object.keys(is).filter((key) => !Object.hasOwn(was, key) || was[key] !== is[key]);
}
