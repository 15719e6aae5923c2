// `telltale explain`: why a measurement is what it is, stage by stage, or who wrote a command.
import { TelltaleProblem } from '@telltale/client';
import type { CommandExplanation, Explanation, StageExplained } from '@telltale/schema';
import { type Call, type CommandDeclaration, Refused } from '../declaration.ts';
import { refuseMissing } from '../known-names.ts';
import type { Cell, Style, Terminal } from '../terminal.ts';
import { liveText, qualityCell, timeText } from '../words.ts';
import { printCommand, stateCells } from './explain-command.ts';

export const explain: CommandDeclaration = {
  path: ['explain'],
  summary:
    'Explain a measurement: its last reading and what became of it; or a command: who wrote it, what the device said',
  arguments: [{ name: 'NAME', names: 'measurements' }],
  options: [{ name: 'commands', summary: 'The command, where a measurement has the same name' }],
  details: 'Where a measurement and a command have the same name, both are explained; in JSON, the measurement.',
  examples: ['telltale explain tank1_level', 'telltale explain pump1_start'],
  run: async (call) => {
    const { terminal } = call;
    const { measurement, command } = await explanations(call);
    if (terminal.isJson) return terminal.json(measurement ?? command);
    if (measurement !== undefined) await print(terminal, measurement);
    if (measurement !== undefined && command !== undefined) await terminal.line('');
    if (command !== undefined) await printCommand(terminal, command);
  },
};

interface Found {
  readonly measurement: Explanation | undefined;
  readonly command: CommandExplanation | undefined;
}

/** At least one of them. */
async function explanations(call: Call): Promise<Found> {
  const [name = ''] = call.args;
  const { client, options } = call;
  const onlyCommand = options.has('commands');
  const [measurement, command] = await Promise.all([
    onlyCommand ? undefined : ifKnown(client.measurements.explain(name, call)),
    ifKnown(client.commands.explain(name, call)),
  ]);
  if (measurement === undefined && command === undefined) {
    const alarms = await client.alarms.list({ names: [name], fields: ['name'], signal: call.signal });
    if (Object.hasOwn(alarms, name)) throw new Refused(`${name} is an alarm: telltale alarms ${name}`);
    await refuseMissing(call, onlyCommand ? ['commands'] : ['measurements', 'commands'], [name]);
  }
  return { measurement, command };
}

async function ifKnown<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof TelltaleProblem && error.problem === 'unknown-object') return undefined;
    throw error;
  }
}

async function print(terminal: Terminal, found: Explanation): Promise<void> {
  const { name, vtq, eu, precision, summary, connector, address, reading, stages, rendering } = found;
  const [, time, quality] = vtq;
  await terminal.line(
    { text: name, style: 'bold' },
    ' = ',
    liveText(vtq, { eu: eu ?? '', precision }),
    '  ',
    qualityCell(quality),
    `  ${timeText(time)}`,
  );
  await terminal.line(summary);
  await terminal.line('');
  const line = (title: string, ...cells: Cell[]) => terminal.line({ text: title.padEnd(13), style: 'bold' }, ...cells);
  for (const { stage, effect, text } of stages) {
    await line(stage, { text: effect.padEnd(8), style: styles[effect] }, text);
  }
  await terminal.line('');
  if (connector === null) await line('Connector', 'none');
  else await line('Connector', `${connector.name} (${connector.stack}) `, ...stateCells(connector));
  if (address !== null) await line('Address', address);
  if (reading !== null) {
    await line('Request', `${reading.request} at ${timeText(reading.t)}`);
    if (reading.raw !== null) await line('Raw', reading.raw);
    if (reading['scan-period'] !== null) await line('Scan group', `every ${reading['scan-period']} ms`);
  }
  if (rendering !== null) {
    await line('Rendering', `${rendering.revision}, of ${timeText(rendering.time)}, by ${rendering.author}`);
  }
}

const styles: Record<StageExplained['effect'], Style> = {
  off: 'dim',
  passed: 'green',
  changed: 'magenta',
  stopped: 'yellow',
  unknown: 'dim',
};
