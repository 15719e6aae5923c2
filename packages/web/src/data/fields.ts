// The fields of configured objects as the service describes them, and the parameters of stacks: what forms and tables are
// made of. The service alone decides whether a value is right.
import type { FamilySchema, FamilySchemas, FieldReference, Stack, StackAddresses } from '@telltale/schema';
import { type Family, traitsOf } from '@telltale/schema/values';
import { configurationTurn } from './configuration.ts';
import { client } from './service.ts';

export type FieldKind = 'text' | 'number' | 'integer' | 'boolean' | 'choice' | 'map';

/** A field, or a key of a map, which has a column of its own such as `vars.host`. */
export interface Field {
  readonly key: string;
  readonly title: string;
  readonly kind: FieldKind;
  readonly isRequired: boolean;
  readonly choices: readonly string[];
  readonly unit: string;
  readonly description: string;
  readonly references: readonly FieldReference[];
  /** Of a map: what its keys name, and those that mean something to the service. */
  readonly keyReferences: readonly FieldReference[];
  readonly keys: ReadonlyMap<string, string>;
  /** Of an address: the field with the connector whose stack has its syntax. */
  readonly addressOf: string;
  readonly default: string;
  /** Set, and never shown. */
  readonly isSecret: boolean;
}

export interface FieldGroup {
  readonly name: string;
  readonly title: string;
  readonly fields: readonly Field[];
}

export interface FamilyFields {
  readonly groups: readonly FieldGroup[];
  readonly byKey: ReadonlyMap<string, Field>;
}

interface Property {
  readonly type?: string;
  readonly title?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly 'x-unit'?: string;
  readonly 'x-numeric'?: boolean;
  readonly 'x-reference'?: readonly FieldReference[];
  readonly 'x-key-reference'?: readonly FieldReference[];
  readonly 'x-address-of'?: string;
  readonly 'x-keys'?: Readonly<Record<string, string>>;
}

interface ObjectSchema {
  readonly properties: Readonly<Record<string, Property>>;
  readonly required?: readonly string[];
}

const plain = {
  isRequired: false,
  choices: [],
  unit: '',
  description: '',
  references: [],
  keyReferences: [],
  keys: new Map<string, string>(),
  addressOf: '',
  default: '',
  isSecret: false,
} as const;

const asked: { schemas?: Promise<FamilySchemas> } = {};

/** Asked for once; again where it failed. */
export async function readFields(family: Family): Promise<FamilyFields> {
  asked.schemas ??= client.configuration.schemas();
  try {
    return fieldsIn((await asked.schemas)[family]);
  } catch (error) {
    delete asked.schemas;
    throw error;
  }
}

function fieldsIn({ schema, groups }: FamilySchema): FamilyFields {
  const { properties, required = [] } = schema as ObjectSchema;
  const byKey = new Map(
    Object.entries(properties).map(([key, property]) => [key, fieldOfProperty(key, property, required.includes(key))]),
  );
  const found = groups.map(({ name, title, fields }) => ({
    name,
    title,
    fields: fields.flatMap((key) => byKey.get(key) ?? []),
  }));
  return { groups: found, byKey };
}

function fieldOfProperty(key: string, property: Property, isRequired: boolean): Field {
  return {
    ...plain,
    key,
    title: property.title ?? key,
    kind: kindOf(property),
    isRequired,
    choices: property.enum ?? [],
    unit: property['x-unit'] ?? '',
    description: property.description ?? '',
    references: property['x-reference'] ?? [],
    keyReferences: property['x-key-reference'] ?? [],
    keys: new Map(Object.entries(property['x-keys'] ?? {})),
    addressOf: property['x-address-of'] ?? '',
  };
}

function kindOf(property: Property): FieldKind {
  if (property.enum !== undefined) return 'choice';
  if (property.type === 'object') return 'map';
  if (property.type === 'integer' || property.type === 'boolean') return property.type;
  return property['x-numeric'] === true ? 'number' : 'text';
}

/** The column of a key of a map. */
export function keyField(map: Field, key: string): Field {
  const [references, description] = [[], map.keys.get(key) ?? ''];
  return { ...plain, key: `${map.key}.${key}`, title: key, kind: 'text', description, references };
}

/** Undefined where there is no such column. */
export function fieldOfColumn(byKey: ReadonlyMap<string, Field>, column: string): Field | undefined {
  const dot = column.indexOf('.');
  if (dot < 0) return byKey.get(column);
  const map = byKey.get(column.slice(0, dot));
  const key = column.slice(dot + 1);
  return map?.kind === 'map' && key !== '' ? keyField(map, key) : undefined;
}

/** The parameters of a stack, as the keys of `vars`. */
export function parametersOf({ description }: Stack): Field[] {
  return Object.entries(description?.parameters ?? {}).map(([key, parameter]) => {
    const { title, type, required, unit = '', secret = false, form } = parameter;
    const choices = parameter.enum ?? [];
    const [least, most] = parameter.range ?? [null, null];
    const range = least === null && most === null ? '' : `${least ?? '…'} – ${most ?? '…'}${unit && ` ${unit}`}.`;
    return {
      ...plain,
      key: `vars.${key}`,
      title,
      kind: choices.length > 0 ? 'choice' : type === 'string' ? 'text' : type,
      isRequired: required,
      choices,
      unit,
      description: [parameter.description, form && `\`${key}\`: ${form}.`, range].filter(Boolean).join(' '),
      default: parameter.default === undefined ? '' : String(parameter.default),
      isSecret: secret,
    };
  });
}

/** What a choice means, where it is but a letter or a word. */
export function choiceText(key: string, choice: string): string {
  if (key !== 'datatype' && key !== 'rawDatatype') return choice;
  return `${choice} · ${traitsOf(choice as Parameters<typeof traitsOf>[0]).title}`;
}

export type StackRole = 'connector' | 'provider';

export const readStacks = (role: StackRole, signal?: AbortSignal) => client.configuration.stacks(role, { signal });

/** Undefined where there is no such stack. */
export async function readStack(role: StackRole, name: string, signal?: AbortSignal): Promise<Stack | undefined> {
  if (name === '') return undefined;
  return (await client.configuration.stacks(role, { names: [name], signal }))[name];
}

/** How addresses look on the connector of a point or an alarm; undefined where that is not known. */
export async function readAddressSyntax(
  family: Family,
  connector: string,
  signal?: AbortSignal,
): Promise<StackAddresses | undefined> {
  if (connector === '') return undefined;
  const found = (await client.configuration.list('connectors', { names: [connector], signal }))[connector];
  const stack = await readStack('connector', found?.stackName ?? '', signal);
  const { description } = stack ?? {};
  return family === 'alarms' ? description?.alarm : description?.[family === 'commands' ? 'command' : 'measurement'];
}

const names: { turn?: number; readonly lists: Map<FieldReference, Promise<readonly string[]>> } = { lists: new Map() };

/** More are not read through. */
const mostSuggestions = 50;

/** Names that begin with what is typed, then those that contain it. Nothing where they cannot be read. */
export async function suggestNames(references: readonly FieldReference[], typed: string): Promise<string[]> {
  const turn = configurationTurn.peek();
  if (names.turn !== turn) names.lists.clear();
  names.turn = turn;
  const wanted = typed.toLowerCase();
  const lists = await Promise.all(references.map(namesOf));
  const all = [...new Set(lists.flat())];
  const starts = all.filter((name) => name.toLowerCase().startsWith(wanted));
  const contains = all.filter((name) => name.toLowerCase().includes(wanted) && !starts.includes(name));
  return [...starts.slice(0, mostSuggestions), ...contains.slice(0, mostSuggestions)].slice(0, mostSuggestions);
}

function namesOf(reference: FieldReference): Promise<readonly string[]> {
  const found = names.lists.get(reference) ?? readNames(reference).catch(() => []);
  names.lists.set(reference, found);
  return found;
}

async function readNames(reference: FieldReference): Promise<readonly string[]> {
  switch (reference) {
    case 'connector-stacks':
      return client.configuration.stackNames('connector');
    case 'provider-stacks':
      return client.configuration.stackNames('provider');
    case 'areas':
      return [];
    default:
      return client.configuration.names(reference);
  }
}
