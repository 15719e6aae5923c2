// `telltale connectors` and `telltale providers`: how they are, all in a table, one in detail; restart, disable, enable.
import {
  type DisabledLink,
  type LastError,
  type LiveConnector,
  type LiveProvider,
  operations,
  type ScanGroupStatus,
} from '@telltale/schema';
import type { Call, CommandDeclaration } from '../declaration.ts';
import { missingOf, refuseIdle } from '../known-names.ts';
import type { Cell, Terminal } from '../terminal.ts';
import { linkCell, timeText } from '../words.ts';
import { namesIn } from './read.ts';

type Instance = LiveConnector | LiveProvider;

export const connectors: CommandDeclaration = {
  path: ['connectors'],
  summary: 'Show the state of connectors; of one, with devices and scan groups',
  arguments: [{ name: 'NAME', optional: true, names: 'connectors' }],
  repeatsFrom: 0,
  options: [],
  examples: ['telltale connectors', 'telltale connectors waterworks'],
  run: async (call) => {
    const { client, args, signal } = call;
    const found = await client.connectors.list({ names: namesIn(args), signal });
    await show(call, 'connectors', found, connectorColumns, (connector) =>
      detailsOfConnector(call.terminal, connector),
    );
  },
};

export const providers: CommandDeclaration = {
  path: ['providers'],
  summary: 'Show the state of providers; of one, with its clients',
  arguments: [{ name: 'NAME', optional: true, names: 'providers' }],
  repeatsFrom: 0,
  options: [],
  examples: ['telltale providers'],
  run: async (call) => {
    const { client, args, signal } = call;
    const found = await client.providers.list({ names: namesIn(args), signal });
    await show(call, 'providers', found, providerColumns, (provider) => detailsOfProvider(call.terminal, provider));
  },
};

const operated = { restart: 'restarted', disable: 'disabled', enable: 'enabled' } as const;
type LinkOperation = keyof typeof operated;

const disabling = [
  { name: 'reason', value: 'TEXT', summary: 'Why; shown wherever it is missed' },
  { name: 'authority', value: 'WHO', summary: 'On whose authority; default: operator' },
];

function operationOf(family: 'connectors' | 'providers', operation: LinkOperation): CommandDeclaration {
  const example = family === 'connectors' ? 'waterworks' : 'telecontrol';
  const isDisabling = operation === 'disable';
  return {
    path: [family, operation],
    summary: operations[`${operation}${family === 'connectors' ? 'Connector' : 'Provider'}`].summary,
    arguments: [{ name: 'NAME', names: family }],
    repeatsFrom: 0,
    options: isDisabling ? disabling : [],
    examples: [
      `telltale ${family} ${operation} ${example}${isDisabling ? " --reason 'the pump is being replaced'" : ''}`,
    ],
    run: async (call) => {
      const { client, args, options, terminal, signal } = call;
      const found = await client[family].names({ signal });
      const missing = args.filter((name) => !found.includes(name));
      if (missing.length > 0) await refuseIdle(call, family, missing);
      const [reason, authority] = [options.get('reason'), options.get('authority')];
      const done: string[] = [];
      try {
        for (const name of args) {
          await client[family][operation](name, { ...(isDisabling && { reason, authority }), signal });
          done.push(name);
          if (!terminal.isJson) await terminal.line(name, ` is ${operated[operation]}`);
        }
      } finally {
        // Where one fails, those before it are done all the same.
        if (terminal.isJson && done.length > 0) await terminal.json({ [operated[operation]]: done });
      }
    },
  };
}

export const linkOperationCommands = {
  connectors: (['restart', 'disable', 'enable'] as const).map((operation) => operationOf('connectors', operation)),
  providers: (['restart', 'disable', 'enable'] as const).map((operation) => operationOf('providers', operation)),
};

type Columns<Item> = Record<string, (item: Item) => Cell>;

const commonColumns: Columns<Instance> = {
  NAME: ({ name }) => name,
  STACK: ({ stack }) => stack,
  STATE: ({ state }) => linkCell(state),
  SINCE: ({ since }) => timeText(since),
  'VALUES/S': (each) => rate(each['values-per-second']),
};

const pointColumns: Columns<Instance> = {
  GOOD: ({ points }) => String(points.good),
  UNCERTAIN: ({ points }) => counted(points.uncertain, 'yellow'),
  BAD: ({ points }) => counted(points.bad, 'red'),
};

/** Of one that is disabled, who wants it so matters more. */
const lastError: Columns<Instance> = {
  'LAST ERROR': (each) => (each.disabled === null ? (each['last-error']?.text ?? '') : disabledBy(each.disabled)),
};

const connectorColumns: Columns<LiveConnector> = {
  ...commonColumns,
  'REQUESTS/S': (each) => rate(each['requests-per-second']),
  P50: (each) => milliseconds(each['round-trip']?.p50),
  P99: (each) => milliseconds(each['round-trip']?.p99),
  ...pointColumns,
  ...lastError,
};

const providerColumns: Columns<LiveProvider> = {
  ...commonColumns,
  CLIENTS: ({ clients }) => (clients === null ? '' : String(clients)),
  ...pointColumns,
  ...lastError,
};

async function show<Item extends Instance>(
  call: Call,
  family: 'connectors' | 'providers',
  found: Record<string, Item>,
  columns: Columns<Item>,
  details: (item: Item) => Promise<void>,
): Promise<void> {
  const { terminal, args } = call;
  const items = Object.values(found);
  const [only] = items;
  if (args.length > 0 && only === undefined) {
    // missing names are reported
  } else if (terminal.isJson) await terminal.json(args.length === 1 ? only : found);
  else if (args.length === 1 && only !== undefined) await details(only);
  else if (only === undefined) await terminal.line(`There are no running ${family}.`);
  else
    await terminal.table(
      Object.keys(columns),
      items.map((item) => Object.values(columns).map((cell) => cell(item))),
    );
  await refuseIdle(call, family, missingOf(args, found));
}

async function detailsOfConnector(terminal: Terminal, connector: LiveConnector): Promise<void> {
  const { devices, overruns, counters, 'round-trip': roundTrip, 'left-out': leftOut } = connector;
  await common(terminal, connector);
  const trips =
    roundTrip === null
      ? ''
      : `, answered in ${milliseconds(roundTrip.p50)}, the slow ones in ${milliseconds(roundTrip.p99)}`;
  await line(terminal, 'Requests/s', `${rate(connector['requests-per-second'])}${trips}`);
  await line(terminal, 'Overruns', counted(overruns, 'yellow'));
  await count(terminal, counters);
  await showDevices(terminal, 'DEVICE', devices);
  if (connector['scan-groups'].length > 0) {
    await terminal.line('');
    await terminal.table(
      ['SCAN EVERY', 'POINTS', 'REQUESTS', 'TOOK', 'SCANS', 'OVERRUNS'],
      connector['scan-groups'].map(groupRow),
    );
  }
  if (leftOut > 0) await terminal.line(`and ${leftOut} more devices and scan groups`);
}

function groupRow({ period, points, requests, scans, overruns, took }: ScanGroupStatus): Cell[] {
  const lasted = took === null ? '' : milliseconds(took);
  return [milliseconds(period), String(points), String(requests), lasted, String(scans), counted(overruns, 'yellow')];
}

async function showDevices(terminal: Terminal, title: string, devices: LiveConnector['devices']): Promise<void> {
  if (devices.length === 0) return;
  await terminal.line('');
  const rows = devices.map((each) => [each.name, linkCell(each.state), timeText(each.since), each['last-error'] ?? '']);
  await terminal.table([title, 'STATE', 'SINCE', 'LAST ERROR'], rows);
}

async function detailsOfProvider(terminal: Terminal, provider: LiveProvider): Promise<void> {
  const { forwarding, devices } = provider;
  await common(terminal, provider);
  await line(terminal, 'Clients', provider.clients === null ? 'its stack does not say' : String(provider.clients));
  if (forwarding !== null) {
    const since = forwarding['waiting-since'];
    const waiting = since === null ? '' : `, waiting since ${timeText(since)}`;
    await line(terminal, 'Outages', `${forwarding.sent} values sent, ${forwarding['given-up']} given up${waiting}`);
  }
  await count(terminal, provider.counters);
  await showDevices(terminal, 'PEER', devices);
}

async function common(terminal: Terminal, instance: Instance): Promise<void> {
  const { name, stack, state, since, disabled, thread, points } = instance;
  await line(terminal, name, linkCell(state), ` since ${timeText(since)}`);
  if (disabled !== null) await line(terminal, 'Disabled', disabledBy(disabled));
  await line(terminal, 'Stack', `${stack}, in thread ${thread}`);
  await line(terminal, 'Last error', errorText(instance['last-error']));
  const parts: Cell[] = [`${points.good} good, `, counted(points.uncertain, 'yellow'), ' uncertain, '];
  await line(terminal, 'Points', ...parts, counted(points.bad, 'red'), ' bad');
  await line(terminal, 'Values/s', rate(instance['values-per-second']));
}

async function count(terminal: Terminal, counters: Readonly<Record<string, number>>): Promise<void> {
  const texts = Object.entries(counters).map(([what, number]) => `${what.replaceAll('-', ' ')} ${number}`);
  await line(terminal, 'Counted', texts.join(', '));
}

function line(terminal: Terminal, title: string, ...cells: Cell[]): Promise<void> {
  return terminal.line({ text: title.padEnd(15), style: 'bold' }, ' ', ...cells);
}

function disabledBy({ by, reason }: DisabledLink): string {
  return `by ${by}${reason === null ? '' : `: ${reason}`}`;
}

function errorText(error: LastError | null): string {
  return error === null ? 'none' : `${error.text} (${timeText(error.t)})`;
}

function counted(number: number, style: 'red' | 'yellow'): Cell {
  return number === 0 ? '0' : { text: String(number), style };
}

function rate(number: number): string {
  return number >= 100 ? String(Math.round(number)) : String(Math.round(number * 10) / 10);
}

function milliseconds(number: number | undefined): string {
  return number === undefined ? '' : `${number < 10 ? Math.round(number * 100) / 100 : Math.round(number)} ms`;
}
