// `telltale config get|put|delete`: objects of the configuration.
import {
  type Command,
  type Connector,
  type Family,
  type FamilyObject,
  familyNames,
  isPattern,
  type Measurement,
  type Provider,
  parseJson,
} from '@telltale/schema';
import { type Call, type CommandDeclaration, UsageError } from '../declaration.ts';
import { readInput } from '../files.ts';
import { missingOf, refuseMissing } from '../known-names.ts';
import type { Cell } from '../terminal.ts';

const family = { name: 'FAMILY', values: familyNames } as const;

type Columns<Item> = Record<string, (object: Item) => Cell | undefined>;

const pointColumns: Columns<Measurement | Command> = {
  TYPE: ({ datatype }) => datatype,
  UNIT: ({ eu }) => eu,
  CONNECTOR: ({ connectorName }) => connectorName,
  ADDRESS: ({ address }) => address,
  DESCRIPTION: ({ description }) => description,
};

const instanceColumns: Columns<Connector | Provider> = {
  STACK: ({ stackName }) => stackName,
  WATCHDOG: ({ wdtMeasurement }) => wdtMeasurement,
  VARIABLES: ({ vars = {} }) =>
    Object.entries(vars)
      .map((entry) => entry.join('='))
      .join(' '),
};

/** What a table shows of each family besides the name. */
const columns: { [F in Family]: Columns<FamilyObject[F]> } = {
  alarms: {
    SEVERITY: ({ severity }) => String(severity),
    TRIGGER: ({ trgMeasurement, trgOperator, trgRefValue }) =>
      [trgMeasurement, trgOperator, trgRefValue].filter((part) => part !== undefined).join(' '),
    CONNECTOR: ({ connectorName }) => connectorName,
    ADDRESS: ({ address }) => address,
    DESCRIPTION: ({ description }) => description,
  },
  commands: pointColumns,
  measurements: pointColumns,
  connectors: instanceColumns,
  providers: instanceColumns,
  'function-modules': {
    EXECUTABLE: ({ executable }) => executable,
    RUNS: ({ enabled = true }) => (enabled ? 'yes' : 'no'),
    DESCRIPTION: ({ description }) => description,
  },
  pictures: {
    PARAMETERS: ({ parameters = {} }) => Object.keys(parameters).join(' '),
    AREA: ({ area }) => area,
    DESCRIPTION: ({ description }) => description,
  },
  trends: {
    PENS: ({ pens }) => String(pens.length),
    AREA: ({ area }) => area,
    DESCRIPTION: ({ description }) => description,
  },
};

export const configGet: CommandDeclaration = {
  path: ['config', 'get'],
  summary: 'Show objects of the configuration; default: all of the family',
  arguments: [family, { name: 'NAME', optional: true, names: 'the family before it' }],
  repeatsFrom: 1,
  options: [],
  examples: ['telltale config get measurements', 'telltale config get alarms tank1_level_high'],
  run: async (call) => {
    const [which = '', ...names] = call.args;
    await show(call, which as Family, names);
  },
};

async function show<F extends Family>(call: Call, which: F, names: readonly string[]): Promise<void> {
  const { client, terminal, signal } = call;
  const found = await client.configuration.list(which, { ...(names.length > 0 && { names }), signal });
  const objects: FamilyObject[F][] = Object.values(found);
  const [only] = objects;
  if (names.length > 0 && only === undefined) await refuseMissing(call, which, names);
  if (names.length === 1 && only !== undefined) {
    if (terminal.isJson) await terminal.json(only);
    else
      await terminal.table(
        ['FIELD', 'VALUE'],
        Object.entries(only).map(([field, value]) => [field, textOf(value)]),
      );
  } else if (terminal.isJson) {
    await terminal.json(found);
  } else if (objects.length > 0) {
    const chosen = Object.entries(columns[which]) as [string, (object: FamilyObject[F]) => Cell | undefined][];
    const rows = objects.map((object) => [object.name, ...chosen.map(([, cell]) => cell(object) ?? '')]);
    await terminal.table(['NAME', ...chosen.map(([heading]) => heading)], rows);
  } else {
    await terminal.line(`There are no ${which.replace('-', ' ')}.`);
  }
  await refuseMissing(call, which, missingOf(names, found));
}

export const configPut: CommandDeclaration = {
  path: ['config', 'put'],
  summary: 'Create or replace an object with the JSON in a file (-: standard input); of a picture also its SVG alone',
  arguments: [family, { name: 'NAME', names: 'the family before it' }, { name: 'FILE' }],
  options: [],
  details: 'It takes effect with the next telltale config render.',
  examples: [
    `echo '{"datatype": "d", "eu": "mm"}' | telltale config put measurements rain -`,
    'telltale config put pictures overview overview.svg',
  ],
  run: async (call) => {
    const [which = '', name = '', file = ''] = call.args;
    const text = (await readInput(call, file)).toString();
    const isSvg = which === 'pictures' && text.trimStart().startsWith('<');
    const object = isSvg ? await redrawn(call, name, text) : readObject(text, file);
    await call.client.configuration.put(which as Family, name, { name, ...object } as FamilyObject[Family], call);
    await done(call, `${which}/${name} is on disk. It runs after: telltale config render`, {
      put: { family: which, name },
    });
  },
};

export const configDelete: CommandDeclaration = {
  path: ['config', 'delete'],
  summary: 'Delete objects of the configuration, all or nothing',
  arguments: [family, { name: 'NAME', names: 'the family before it' }],
  repeatsFrom: 1,
  options: [],
  details: 'It takes effect with the next telltale config render.',
  run: async (call) => {
    const { client, signal } = call;
    const [which = '', ...names] = call.args as [Family, ...string[]];
    const pattern = names.find(isPattern);
    if (pattern !== undefined)
      throw new UsageError(`NAME is the whole name of an object here, no pattern such as ${JSON.stringify(pattern)}.`);
    const known = await client.configuration.names(which as Family, { signal });
    const present = new Set(known);
    const missing = names.filter((name) => !present.has(name));
    await refuseMissing(call, which as Family, missing);
    const operations = [...new Set(names)].map(
      (name) => ({ operation: 'delete', family: which as Family, name }) as const,
    );
    await client.configuration.transaction(operations, { signal });
    await done(call, `Deleted ${names.join(', ')}. What runs changes with: telltale config render`, {
      deleted: { family: which, names },
    });
  },
};

/** The picture with another SVG. */
async function redrawn({ client, signal }: Call, name: string, svg: string): Promise<object> {
  const present = await client.configuration.list('pictures', { names: [name], signal });
  return { ...(Object.hasOwn(present, name) && present[name]), svg };
}

async function done({ terminal }: Call, text: string, document: object): Promise<void> {
  if (terminal.isJson) await terminal.json(document);
  else await terminal.line(text);
}

function readObject(text: string, file: string): object {
  const where = file === '-' ? 'The standard input' : file;
  let object: unknown;
  try {
    object = parseJson(text);
  } catch (error) {
    throw new UsageError(`${where} is not JSON: ${(error as Error).message}.`);
  }
  if (typeof object === 'object' && object !== null && !Array.isArray(object)) return object;
  throw new UsageError(`${where} is not one JSON object.`);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
