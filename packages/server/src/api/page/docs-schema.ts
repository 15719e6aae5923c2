// Schemas for people: the type in words, its constraints, and the fields as a table.
import { type Content, type Html, html, join } from './html.ts';
import {
  allowsNull,
  alternatives,
  itemOf,
  type JsonSchema,
  mapOf,
  referredName,
  resolve,
  type Schemas,
  tupleOf,
  withoutNull,
} from './json-schema.ts';

const typeWords = new Map([['string', 'text']]);
const anyText = new Set(['', '^.*$']);
const someText = '^[\\s\\S]+$';

export const schemaAnchor = (name: string) => `schema-${name}`;

/** `integer`, `list of Change`, `map of text to text`, `text, or null`: with links to the schemas that have a name. */
export function typeInWords(schema: JsonSchema, schemas: Schemas): Content {
  const name = referredName(schema);
  if (name !== undefined) return schemas.has(name) ? html`<a href="#${schemaAnchor(name)}">${name}</a>` : name;
  if ('const' in schema) return html`<code>${JSON.stringify(schema.const)}</code>`;
  const choices = alternatives(schema);
  if (allowsNull(schema)) return choices.length === 0 ? 'null' : [either(choices, schemas), ', or null'];
  if (choices[0] !== schema) return either(choices, schemas);
  const { type, format } = schema;
  const map = mapOf(schema);
  if (map !== undefined) return ['map of text to ', typeInWords(map.values, schemas)];
  if (type === 'array') return listInWords(schema, schemas);
  if (format === 'binary') return 'bytes';
  return type === undefined ? 'any value' : (typeWords.get(String(type)) ?? String(type));
}

function either(choices: readonly JsonSchema[], schemas: Schemas): Content {
  return join(
    choices.map((choice) => typeInWords(choice, schemas)),
    ' or ',
  );
}

function listInWords(schema: JsonSchema, schemas: Schemas): Content {
  const tuple = tupleOf(schema);
  if (tuple !== undefined) {
    const members = tuple.map((member) => typeInWords(member, schemas));
    return ['[', join(members, ', '), ']'];
  }
  const item = itemOf(schema);
  return item === undefined ? 'list' : ['list of ', typeInWords(item, schemas)];
}

/** All constraints on a value beyond its type; for a list and a map also those on their members. */
export function constraints(schema: JsonSchema): Content[] {
  const bare = withoutNull(schema);
  const item = itemOf(bare);
  const map = mapOf(bare);
  const found = [
    ...constraintsOfValue(bare),
    ...constraintsOfSize(bare),
    ...(tupleOf(bare) ?? []).flatMap((member, index) => about(`member ${index + 1}`, constraintsOfValue(member))),
    ...(item === undefined ? [] : about('each', constraintsOfValue(withoutNull(item)))),
    ...(map === undefined ? [] : about('key', keyConstraint(map.keys))),
    ...(map === undefined ? [] : about('value', constraintsOfValue(withoutNull(map.values)))),
  ];
  if (bare.default !== undefined) found.push(html`default <code>${JSON.stringify(bare.default)}</code>`);
  return found;
}

function about(what: string, found: readonly Content[]): Content[] {
  return found.map((content) => [`${what}: `, content]);
}

function keyConstraint(pattern: string): Content[] {
  if (anyText.has(pattern)) return [];
  return pattern === someText ? ['not empty'] : constraintsOfValue({ pattern });
}

function constraintsOfValue(schema: JsonSchema): Content[] {
  const found: Content[] = [];
  const { enum: words, pattern, multipleOf, format } = schema;
  if (words !== undefined) {
    const codes = words.map((word) => html`<code>${typeof word === 'string' ? word : JSON.stringify(word)}</code>`);
    found.push(['one of ', join(codes, ', ')]);
  }
  if (pattern !== undefined) found.push(html`matches <code>${pattern}</code>`);
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  const range = rangeInWords(minimum, maximum);
  if (range !== undefined) found.push(range);
  if (exclusiveMinimum !== undefined) found.push(`above ${exclusiveMinimum}`);
  if (exclusiveMaximum !== undefined) found.push(`below ${exclusiveMaximum}`);
  if (multipleOf !== undefined) found.push(`a multiple of ${multipleOf}`);
  if (format !== undefined && format !== 'binary') found.push(`format ${format}`);
  return found;
}

function constraintsOfSize(schema: JsonSchema): Content[] {
  const { minLength, maxLength, minItems, maxItems, uniqueItems } = schema;
  const length = rangeInWords(minLength, maxLength);
  const count = tupleOf(schema) === undefined ? rangeInWords(minItems, maxItems) : undefined;
  const found: Content[] = [];
  if (length !== undefined) found.push(`${length} characters`);
  if (count !== undefined) found.push(`${count} entries`);
  if (uniqueItems === true) found.push('no entry twice');
  return found;
}

function rangeInWords(low: number | undefined, high: number | undefined): string | undefined {
  if (low === undefined) return high === undefined ? undefined : `at most ${numberInWords(high)}`;
  if (high === undefined) return `${low} or more`;
  return low === high ? `exactly ${low}` : `${low} to ${numberInWords(high)}`;
}

function numberInWords(number: number): string {
  return number === Number.MAX_SAFE_INTEGER ? '2⁵³ − 1' : String(number);
}

/** Type, constraints and description of a schema, with its fields where it is an object. */
export function schemaInFull(schema: JsonSchema, schemas: Schemas): Html {
  const whole = resolve(schema, schemas);
  const bounds = constraints(whole);
  const fields = fieldTable(whole, schemas);
  return html`${(fields === undefined || bounds.length > 0) && html`<p class="type">${typeInWords(whole, schemas)}</p>`}
${constraintList(bounds)}${whole.description && html`<p>${whole.description}</p>`}${fields}`;
}

export function constraintList(bounds: readonly Content[]): Content {
  return bounds.length > 0 && html`<ul class="bounds">${bounds.map((bound) => html`<li>${bound}</li>`)}</ul>`;
}

/** Undefined where the schema has no fields of its own. */
export function fieldTable(schema: JsonSchema, schemas: Schemas): Html | undefined {
  const rows = fieldRows(resolve(schema, schemas), schemas, '');
  if (rows.length === 0) return undefined;
  return html`<table class="fields"><thead><tr><th scope="col">Field</th><th scope="col">Type</th>
<th scope="col">Description</th></tr></thead><tbody>${rows}</tbody></table>`;
}

/** The fields of an object, and below each the fields of an object without a name of its own. */
function fieldRows(schema: JsonSchema, schemas: Schemas, before: string): Html[] {
  return Object.entries(schema.properties ?? {}).flatMap(([field, type]) => {
    const bare = withoutNull(type);
    const item = itemOf(bare);
    const required = schema.required?.includes(field) === true;
    const row = html`<tr><th scope="row"><code><span class="before">${before}</span>${field}</code>${
      required && html` <span class="required">required</span>`
    }</th><td class="type">${typeInWords(type, schemas)}${constraintList(constraints(type))}</td>
<td>${bare.description ?? type.description}</td></tr>`;
    if (bare.type === 'object') return [row, ...fieldRows(bare, schemas, `${before}${field}.`)];
    return item === undefined ? [row] : [row, ...fieldRows(item, schemas, `${before}${field}[].`)];
  });
}
