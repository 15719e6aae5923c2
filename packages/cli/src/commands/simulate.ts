// `telltale simulate`: forces measurements, stops that, and lists what is forced.
import { quality } from '@telltale/schema';
import { type Call, type CommandDeclaration, UsageError } from '../declaration.ts';
import { missingOf, refuseMissing } from '../known-names.ts';
import { readSeconds } from '../moments.ts';
import { qualityCell, timeText, valueText } from '../words.ts';
import { rawOption, readValue } from './write.ts';

const qualities: Readonly<Record<string, number>> = {
  good: quality.good,
  uncertain: quality.uncertain.nonSpecific,
  bad: quality.bad.nonSpecific,
};

export const simulate: CommandDeclaration = {
  path: ['simulate'],
  summary: 'Simulate the value of a measurement, stop that, or list simulations',
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
    { name: 'stop', summary: 'Stop the simulation of each NAME' },
    rawOption,
  ],
  examples: ['telltale simulate tank1_level 1.5 --for 5m', 'telltale simulate --stop tank1_level', 'telltale simulate'],
  run: async (call) => {
    if (call.options.has('stop')) await stop(call);
    else if (call.args.length === 0) await list(call);
    else if (call.args.length === 2) await force(call);
    else throw new UsageError('The command is: telltale simulate NAME VALUE, or telltale simulate --stop NAME…');
  },
};

async function force(call: Call): Promise<void> {
  const { client, terminal, args, signal } = call;
  const [name = '', text = ''] = args;
  const known = await client.measurements.list({ names: [name], fields: ['name', 'datatype'], signal });
  await refuseMissing(call, 'measurements', missingOf([name], known));
  const value = readValue(call, name, known[name]?.datatype ?? 's', text);
  const span = call.options.get('for');
  const validForS = span === undefined ? undefined : readSeconds('for', span);
  const chosen = readQuality(call);
  await client.measurements.simulate(name, value, { validForS, quality: chosen, signal });
  const until = validForS === undefined ? `until telltale simulate --stop ${name}` : `for ${validForS} s`;
  if (terminal.isJson) await terminal.json({ name, value, 'valid-for': validForS ?? null });
  else await terminal.line(name, ' = ', valueText(value), { text: ` simulated, ${until}`, style: 'magenta' });
}

async function stop(call: Call): Promise<void> {
  const { client, terminal, args, signal } = call;
  if (args.length === 0) throw new UsageError('A name is required: telltale simulate --stop NAME…');
  const known = await client.measurements.list({ names: args, fields: ['name'], signal });
  await refuseMissing(call, 'measurements', missingOf(args, known));
  const stopped: string[] = [];
  try {
    for (const name of args) {
      await client.measurements.stopSimulation(name, { signal });
      stopped.push(name);
      if (!terminal.isJson) await terminal.line(name, ' is no longer simulated');
    }
  } finally {
    // Where one fails, those before it are stopped all the same.
    if (terminal.isJson) await terminal.json({ stopped });
  }
}

async function list({ client, terminal, signal }: Call): Promise<void> {
  const forced = await client.measurements.simulations({ signal });
  if (terminal.isJson) {
    await terminal.json(forced);
    return;
  }
  const rows = Object.values(forced).map(({ name, value, quality: q, since, until, by }) => [
    name,
    valueText(value),
    qualityCell(q),
    timeText(since),
    until === null ? 'it is stopped' : timeText(until),
    by,
  ]);
  if (rows.length === 0) await terminal.line('Nothing is simulated.');
  else await terminal.table(['NAME', 'VALUE', 'QUALITY', 'SINCE', 'UNTIL', 'BY'], rows);
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
