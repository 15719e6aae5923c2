// `telltale browse`: what the device of a connector has, as a tree, as a transaction, or put into the configuration.
import { TelltaleProblem } from '@telltale/client';
import {
  type AlarmOffer,
  type BrowsedItem,
  type CommandOffer,
  freeName,
  type MeasurementOffer,
  maxBrowseItems,
  type Operation,
} from '@telltale/schema';
import { type Call, type CommandDeclaration, UsageError } from '../declaration.ts';
import { refuseIdle } from '../known-names.ts';
import type { Cell } from '../terminal.ts';

const defaultDepth = 2;
const maxDepth = 20;
/** A device may have any number; who wants more looks at a part of it. */
const mostItems = 20_000;

type Family = 'measurements' | 'commands' | 'alarms';

export const browse: CommandDeclaration = {
  path: ['browse'],
  summary: 'Browse the device of a connector; piped, as JSON for config import',
  arguments: [
    { name: 'CONNECTOR', names: 'connectors' },
    { name: 'PATH', optional: true },
  ],
  options: [
    { name: 'depth', value: 'LEVELS', summary: `Levels below PATH; default: ${defaultDepth}` },
    { name: 'put', summary: 'Add the objects to the configuration; telltale config render runs them' },
  ],
  details: 'Objects that are already configured or that the stack refuses are reported and left out.',
  examples: ['telltale browse waterworks', 'telltale browse waterworks tank1 --put'],
  run: async (call) => {
    const found = new Findings(call);
    const { terminal, options } = call;
    const [connector = '', path] = call.args;
    try {
      await found.look(path, readDepth(call), '');
    } catch (error) {
      if (error instanceof TelltaleProblem && error.problem === 'unknown-object') {
        await refuseIdle(call, 'connectors', [connector]);
      }
      throw error;
    }
    const operations = await withUniqueNames(call, found.operations);
    if (options.has('put')) await put(call, operations);
    else if (terminal.isJson) await terminal.json({ operations });
    found.reportOmitted();
  },
};

class Findings {
  readonly operations: Operation[] = [];
  readonly #call: Call;
  readonly #connector: string;
  readonly #isTree: boolean;
  #items = 0;
  #refused = 0;
  #configured = 0;
  #closed = 0;
  /** By family and address: the same may be found at several places. */
  readonly #offered = new Set<string>();

  constructor(call: Call) {
    const [connector = ''] = call.args;
    this.#call = call;
    this.#connector = connector;
    this.#isTree = !call.terminal.isJson && !call.options.has('put');
  }

  /** Everything at a path, and so far below it. */
  async look(path: string | undefined, depth: number, indent: string): Promise<void> {
    const { client, signal } = this.#call;
    let cursor: string | null = null;
    do {
      const request = {
        limit: maxBrowseItems,
        ...(path !== undefined && { path }),
        ...(cursor !== null && { cursor }),
      };
      const page = await client.connectors.browse(this.#connector, request, { signal });
      cursor = page.cursor;
      for (const item of page.items) {
        if (++this.#items > mostItems) return;
        await this.#take(item, indent);
        if (item.path !== null && depth > 1) await this.#lookBelow(item.path, depth - 1, `${indent}  `);
      }
    } while (cursor !== null);
  }

  /** A part that the device does not show hides nothing else. */
  async #lookBelow(path: string, depth: number, indent: string): Promise<void> {
    try {
      await this.look(path, depth, indent);
    } catch (error) {
      if (!(error instanceof TelltaleProblem) || error.problem !== 'device-refused') throw error;
      this.#closed++;
      if (this.#isTree) await this.#call.terminal.line(indent, { text: error.detail, style: 'red' });
    }
  }

  /** What was left out, for people, wherever the output goes. */
  reportOmitted(): void {
    const { terminal } = this.#call;
    if (this.#items > mostItems) terminal.note(`There are more than ${mostItems} items: name a PATH.`);
    if (this.#isTree) return;
    if (this.#configured > 0) terminal.note(`${this.#configured} are configured already.`);
    if (this.#closed > 0) terminal.note(`${this.#closed} nodes could not be browsed.`);
    if (this.#refused > 0) terminal.note(`${this.#refused} cannot be configured; telltale browse shows why.`);
  }

  async #take({ title, path, measurement, command, alarm }: BrowsedItem, indent: string): Promise<void> {
    const offers = [
      ...this.#offer('measurements', measurement),
      ...this.#offer('commands', command),
      ...this.#offer('alarms', alarm),
    ];
    if (!this.#isTree) return;
    const below: Cell[] = path === null || path === title ? [] : [{ text: `  ${path}`, style: 'dim' }];
    await this.#call.terminal.line(indent, path === null ? title : { text: title, style: 'bold' }, ...below);
    for (const cells of offers) await this.#call.terminal.line(`${indent}  `, ...cells);
  }

  #offer(family: Family, offer: MeasurementOffer | CommandOffer | AlarmOffer | null | undefined): Cell[][] {
    if (offer === null || offer === undefined) return []; // a server of an earlier version has no alarms here
    const { object, configured, refused } = offer;
    const kind = `${family.slice(0, -1)} `;
    if (object !== null) {
      const { name, address = '', description } = object;
      if (!this.#offered.has(`${family} ${address}`)) {
        this.#offered.add(`${family} ${address}`);
        this.operations.push({ operation: 'put', family, name, object } as Operation);
      }
      const unit = 'eu' in object ? ` ${object.eu}` : '';
      const what = 'severity' in object ? `severity ${object.severity}` : `${object.datatype}${unit}`;
      const about = description === undefined ? '' : `  ${description}`;
      return [[kind, { text: name, style: 'green' }, `  ${what}  ${address}`, { text: about, style: 'dim' }]];
    }
    if (configured !== null) {
      this.#configured++;
      return [[kind, { text: `is configured as ${configured}`, style: 'dim' }]];
    }
    this.#refused++;
    return [[kind, { text: `cannot be configured: ${refused}`, style: 'red' }]];
  }
}

function readDepth({ options }: Call): number {
  const text = options.get('depth');
  if (text === undefined) return defaultDepth;
  const depth = Number(text);
  if (/^\d{1,2}$/.test(text) && depth >= 1 && depth <= maxDepth) return depth;
  throw new UsageError(`--depth is a whole number from 1 to ${maxDepth}, not ${JSON.stringify(text)}.`);
}

/** Names are unique within an answer of the service; between answers, numbers are added here. */
async function withUniqueNames({ client, signal }: Call, operations: readonly Operation[]): Promise<Operation[]> {
  const used: Record<Family, Set<string>> = { measurements: new Set(), commands: new Set(), alarms: new Set() };
  const configured: Partial<Record<Family, Set<string>>> = {};
  const unique: Operation[] = [];
  for (const operation of operations) {
    const family = operation.family as Family;
    let { name } = operation;
    if (used[family].has(name)) {
      const known = configured[family] ?? new Set(await client.configuration.names(family, { signal }));
      configured[family] = known;
      name = freeName(name, (each) => used[family].has(each) || known.has(each));
    }
    used[family].add(name);
    unique.push({ ...operation, name, object: { ...(operation as { object: object }).object, name } } as Operation);
  }
  return unique;
}

async function put({ client, terminal, signal }: Call, operations: readonly Operation[]): Promise<void> {
  if (operations.length > 0) await client.configuration.transaction(operations, { signal });
  const names = (family: Family) => operations.filter((each) => each.family === family).map(({ name }) => name);
  const [measurements, commands, alarms] = [names('measurements'), names('commands'), names('alarms')];
  if (terminal.isJson) await terminal.json({ put: { measurements, commands, alarms } });
  else if (operations.length === 0) await terminal.line('There is nothing to put.');
  else {
    await terminal.line(
      `${measurements.length} measurements, ${commands.length} commands and ${alarms.length} alarms are on disk. They run after: telltale config render`,
    );
  }
}
