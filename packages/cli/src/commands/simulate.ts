// `telltale simulate`: forces measurements, stops that, and lists what is forced.
import { quality } from '@telltale/schema';
import { type Call, type CommandDeclaration, Refused, UsageError } from '../declaration.ts';
import { missingOf, refuseMissing } from '../known-names.ts';
import { readSeconds } from '../moments.ts';
import { criteriaIn, hasCriteria, isSelecting, plainNames, selectorOptions } from '../selector-options.ts';
import { type CarryOut, confirming, confirmOptions, pendingText } from '../signing.ts';
import { qualityCell, timeText, valueText } from '../words.ts';
import { namesIn } from './read.ts';
import { rawOption, readValue } from './write.ts';

const qualities: Readonly<Record<string, number>> = {
  good: quality.good,
  uncertain: quality.uncertain.nonSpecific,
  bad: quality.bad.nonSpecific,
};

export const simulate: CommandDeclaration = {
  path: ['simulate'],
  summary: 'Simulate the value of measurements, stop that, or list simulations',
  arguments: [
    { name: 'NAME', optional: true, names: 'measurements' },
    { name: 'VALUE', optional: true, names: 'measurements' },
  ],
  repeatsFrom: 1,
  usage: '[NAME VALUE] [--stop NAME…]',
  options: [
    {
      name: 'for',
      value: 'DURATION',
      summary: 'Stop after this time, such as 90s or 1h30m; default: run until stopped',
    },
    { name: 'quality', value: 'QUALITY', summary: 'good, uncertain, bad, or a number such as 192 or 0x54' },
    { name: 'stop', summary: 'Stop the simulation of each NAME, or of all that is selected' },
    { name: 'yes', summary: 'Simulate all that a pattern or an option selects' },
    rawOption,
    ...confirmOptions,
    ...selectorOptions.points,
  ],
  examples: [
    'telltale simulate tank1_level 1.5 --for 5m',
    "telltale simulate 'tank*_level' 1.5 --area works --yes",
    'telltale simulate --stop tank1_level',
    "telltale simulate --stop '*'",
    'telltale simulate',
  ],
  run: async (call) => {
    if (call.options.has('stop')) await stop(call);
    else if (call.args.length === 0) await list(call);
    else if (call.args.length === 2) await confirming(call, force);
    else throw new UsageError('The command is: telltale simulate NAME VALUE, or telltale simulate --stop NAME…');
  },
};

interface Simulated {
  readonly name: string;
  readonly value: string;
  readonly 'valid-for': number | null;
}

/** All values are read, and all of it is confirmed, before anything is simulated. */
async function force(call: Call, carryOut: CarryOut): Promise<void> {
  const { client, terminal, options, signal } = call;
  const [name = '', text = ''] = call.args;
  const selecting = { ...call, args: [name] };
  const asked = { ...criteriaIn(call), names: [name], fields: ['name', 'datatype'] as const, signal };
  const known = await client.measurements.list(asked);
  await refuseMissing(call, 'measurements', missingOf(plainNames(selecting), known));
  const span = options.get('for');
  const validForS = span === undefined ? undefined : readSeconds('for', span);
  const chosen = readQuality(call);
  const wanted = Object.entries(known).map(([each, { datatype }]): Simulated => {
    return { name: each, value: readValue(call, each, datatype, text), 'valid-for': validForS ?? null };
  });
  if (isSelecting(selecting)) confirm(call, Object.keys(known));
  const simulated: Simulated[] = [];
  const forceAll = async (): Promise<void> => {
    for (const each of wanted) {
      const { name: own, value } = each;
      const reason = options.get('reason');
      const input = { name: own, value, 'valid-for': validForS, quality: chosen };
      const pending = await carryOut({ operation: 'simulateMeasurement', input }, () =>
        client.measurements.simulate(own, value, { validForS, quality: chosen, reason, signal }),
      );
      if (pending !== undefined) {
        terminal.note(`${own} ${pendingText(pending)}`);
        continue;
      }
      simulated.push(each);
      const until =
        validForS === undefined
          ? `until telltale simulate --stop ${each.name}`
          : `for ${/^[\d.]+$/.test(span ?? '') ? `${span} s` : span}`;
      if (terminal.isJson) continue;
      await terminal.line(each.name, ' = ', valueText(each.value), { text: ` simulated, ${until}`, style: 'magenta' });
    }
  };
  try {
    await forceAll();
  } finally {
    // Where one fails, those before it are simulated all the same.
    if (terminal.isJson && isSelecting(selecting)) await terminal.json({ simulated });
    else if (terminal.isJson && simulated[0] !== undefined) await terminal.json(simulated[0]);
  }
}

function confirm({ options }: Call, names: readonly string[]): void {
  if (names.length === 0) throw new Refused('Nothing matches; nothing is simulated.');
  if (options.has('yes')) return;
  const shown = names.slice(0, 5).join(', ') + (names.length > 5 ? ` and ${names.length - 5} more` : '');
  const what = names.length === 1 ? '1 measurement' : `${names.length} measurements`;
  throw new Refused(`This simulates ${what}: ${shown}. Add --yes to do it.`);
}

async function stop(call: Call): Promise<void> {
  const { client, terminal, args, signal } = call;
  if (args.length === 0 && !hasCriteria(call))
    throw new UsageError('A name is required: telltale simulate --stop NAME…');
  const known = await client.measurements.list({ ...criteriaIn(call), names: namesIn(args), fields: ['name'], signal });
  await refuseMissing(call, 'measurements', missingOf(plainNames(call), known));
  const names = isSelecting(call) ? await simulatedAmong(call, known) : args;
  const stopped: string[] = [];
  try {
    for (const name of names) {
      await client.measurements.stopSimulation(name, { signal });
      stopped.push(name);
      if (!terminal.isJson) await terminal.line(name, ' is no longer simulated');
    }
    if (names.length === 0 && !terminal.isJson) await terminal.line('Nothing that is selected is simulated.');
  } finally {
    // Where one fails, those before it are stopped all the same.
    if (terminal.isJson) await terminal.json({ stopped });
  }
}

async function simulatedAmong({ client, signal }: Call, selected: object): Promise<string[]> {
  return Object.keys(await client.measurements.simulations({ signal })).filter((name) => Object.hasOwn(selected, name));
}

async function list(call: Call): Promise<void> {
  const { client, terminal, signal } = call;
  const all = await client.measurements.simulations({ signal });
  const selected = hasCriteria(call) ? await client.measurements.list({ ...criteriaIn(call), signal }) : all;
  const forced = Object.fromEntries(Object.entries(all).filter(([name]) => Object.hasOwn(selected, name)));
  if (terminal.isJson) {
    await terminal.json(forced);
    return;
  }
  const rows = Object.values(forced).map(({ name, value, quality: q, since, until, by, reason }) => [
    name,
    valueText(value),
    qualityCell(q),
    timeText(since),
    until === null ? 'it is stopped' : timeText(until),
    by,
    reason ?? '',
  ]);
  if (rows.length === 0) await terminal.line('Nothing is simulated.');
  else await terminal.table(['NAME', 'VALUE', 'QUALITY', 'SINCE', 'UNTIL', 'BY', 'REASON'], rows);
}

function readQuality({ options }: Call): number | undefined {
  const text = options.get('quality');
  if (text === undefined) return undefined;
  const known = Object.hasOwn(qualities, text) ? qualities[text] : undefined;
  const number = /^(?:\d{1,5}|0x[0-9a-f]{1,4})$/i.test(text) ? Number(text) : Number.NaN;
  const chosen = known ?? number;
  if (chosen >= 0 && chosen <= 0xffff) return chosen;
  throw new UsageError(`--quality is good, uncertain, bad or a number to 65535, not ${JSON.stringify(text)}.`);
}
