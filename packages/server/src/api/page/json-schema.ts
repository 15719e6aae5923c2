// A JSON schema as in the OpenAPI document, and the few functions that the page needs for one.

export interface JsonSchema {
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly default?: unknown;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly items?: JsonSchema | readonly JsonSchema[];
  readonly prefixItems?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: boolean | JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
}

export type Schemas = ReadonlyMap<string, JsonSchema>;

export function referredName({ $ref }: JsonSchema): string | undefined {
  return $ref?.slice($ref.lastIndexOf('/') + 1);
}

/** The referenced schema, or the schema itself; a dangling reference is a schema that allows everything. */
export function resolve(schema: JsonSchema, schemas: Schemas): JsonSchema {
  const name = referredName(schema);
  return name === undefined ? schema : (schemas.get(name) ?? {});
}

/** The schemas of which one has to fit, without null. */
export function alternatives(schema: JsonSchema): readonly JsonSchema[] {
  return (schema.anyOf ?? schema.oneOf ?? typesApart(schema)).filter(({ type }) => type !== 'null');
}

export function allowsNull(schema: JsonSchema): boolean {
  return (schema.anyOf ?? schema.oneOf ?? typesApart(schema)).some(({ type }) => type === 'null');
}

function typesApart(schema: JsonSchema): readonly JsonSchema[] {
  const { type } = schema;
  return typeof type === 'string' || type === undefined ? [schema] : type.map((one) => ({ ...schema, type: one }));
}

/** The members of a list of fixed length, in both spellings that are about. */
export function tupleOf({ prefixItems, items }: JsonSchema): readonly JsonSchema[] | undefined {
  return prefixItems ?? (Array.isArray(items) ? (items as readonly JsonSchema[]) : undefined);
}

export function itemOf({ items }: JsonSchema): JsonSchema | undefined {
  return Array.isArray(items) ? undefined : (items as JsonSchema | undefined);
}

/** Of a map with free keys: the pattern of the keys, and the schema of the values. */
export function mapOf(schema: JsonSchema): { keys: string; values: JsonSchema } | undefined {
  const [entry] = Object.entries(schema.patternProperties ?? {});
  if (entry !== undefined) return { keys: entry[0], values: entry[1] };
  const values = schema.additionalProperties;
  return typeof values === 'object' ? { keys: '', values } : undefined;
}

/** The one schema to look into where it is that or null. */
export function withoutNull(schema: JsonSchema): JsonSchema {
  const [first, second] = alternatives(schema);
  return first !== undefined && second === undefined ? first : schema;
}
