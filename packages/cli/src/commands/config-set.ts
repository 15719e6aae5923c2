// `telltale config set`: fields of all objects that a pattern and a condition select, sent as one table.
import { TelltaleProblem } from '@telltale/client';
import { csvRow, type Family, type FamilyObject, familyNames, isPattern, NamePattern } from '@telltale/schema';
import { type Call, type CommandDeclaration, Refused } from '../declaration.ts';
import { refuseMissing } from '../known-names.ts';
import { readPair } from '../read-pair.ts';
import { changeOptions } from '../render-options.ts';
import { sendTable } from './config-tables.ts';

const form = 'FIELD=VALUE, such as deadband=0.5';

export const configSet: CommandDeclaration = {
  path: ['config', 'set'],
  summary: 'Set fields of all objects that a name or a pattern with * selects, all or nothing',
  arguments: [
    { name: 'FAMILY', values: familyNames },
    { name: 'PATTERN', names: 'the family before it' },
    { name: 'FIELD=VALUE' },
  ],
  repeatsFrom: 2,
  options: [
    { name: 'where', value: 'FIELD=VALUE,…', summary: 'Only those with these values; FIELD= is not set' },
    ...changeOptions,
  ],
  details: 'A field of a map is such as properties.scanPeriod. FIELD= unsets it.',
  examples: [
    "telltale config set measurements 'skid_*' deadband=0.5 properties.scanPeriod=250 --dry-run",
    "telltale config set measurements '*' enabled=false --where connectorName=plc",
  ],
  run: async (call) => {
    const [family = '', pattern = '', ...texts] = call.args as [Family, string, ...string[]];
    const assignments = texts.map((text) => readPair(text, form));
    const names = await selectedNames(call, family as Family, pattern);
    const header = csvRow(['name', ...assignments.map(([field]) => field)]);
    // Behind an apostrophe, a text is what it is.
    const values = assignments.map(([, value]) => (value === '' ? '' : `'${value}`));
    const rows = names.map((name) => csvRow([`'${name}`, ...values]));
    try {
      await sendTable(call, family as Family, Buffer.from(header + rows.join('')));
    } catch (error) {
      throw error instanceof TelltaleProblem && error.errors.length > 0 ? refusalOf(error, names) : error;
    }
  },
};

const mostReasons = 5;

/** By field and object: nobody has seen the table. What is wrong with many objects is said once. */
function refusalOf({ errors }: TelltaleProblem, names: readonly string[]): Refused {
  const reasons = new Map<string, { field: string; message: string; of: string[] }>();
  for (const { path, message } of errors) {
    const [, row, field = path] = /^row (\d+), column (.+)$/s.exec(path) ?? [];
    const name = names[Number(row) - firstRow];
    const key = JSON.stringify([field, message]);
    const reason = reasons.get(key) ?? { field, message, of: [] };
    reasons.set(key, reason);
    if (name !== undefined) reason.of.push(name);
  }
  const texts = [...reasons.values()].slice(0, mostReasons).map(({ field, message, of: [first, ...others] }) => {
    const more = others.length > 0 ? ` and ${others.length} more` : '';
    return `${field}${first === undefined ? '' : ` of ${first}${more}`}: ${message.replace(/[.?]?$/, (end) => end || '.')}`;
  });
  const left = reasons.size - texts.length;
  return new Refused(`${texts.join(' ')}${left > 0 ? ` And ${left} more.` : ''} Nothing was changed.`);
}

/** Behind the header, as a spreadsheet counts. */
const firstRow = 2;

async function selectedNames(call: Call, family: Family, pattern: string): Promise<string[]> {
  const conditions = (call.options.get('where')?.split(',') ?? []).map((text) => readPair(text, form));
  const objects = await call.client.configuration.list(family, call);
  if (!isPattern(pattern) && !Object.hasOwn(objects, pattern)) await refuseMissing(call, family, [pattern]);
  const wanted = isPattern(pattern) ? new NamePattern(pattern) : undefined;
  const names = Object.entries<FamilyObject[Family]>(objects)
    .filter(([name]) => wanted?.matches(name) ?? name === pattern)
    .filter(([, object]) => conditions.every(([field, value]) => textAt(object, field) === value))
    .map(([name]) => name);
  if (names.length === 0) throw new Refused(`No ${family.replace('-', ' ')} are selected; nothing was changed.`);
  return names;
}

/** Of a field, or of a key of a map; empty where it is not set. */
function textAt(object: object, field: string): string {
  if (Object.hasOwn(object, field)) return String((object as Record<string, unknown>)[field]);
  const dot = field.indexOf('.');
  const map = (object as Record<string, Record<string, string> | undefined>)[field.slice(0, dot)];
  const key = field.slice(dot + 1);
  return dot > 0 && typeof map === 'object' && Object.hasOwn(map, key) ? (map[key] ?? '') : '';
}
