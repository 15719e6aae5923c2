// `telltale explain`: why a measurement is what it is, stage by stage.
import { TelltaleProblem } from '@telltale/client';
import { type Explanation, operations, type StageExplained } from '@telltale/schema';
import type { Call, CommandDeclaration } from '../declaration.ts';
import { refuseMissing } from '../known-names.ts';
import type { Cell, Style, Terminal } from '../terminal.ts';
import { linkCell, qualityCell, timeText, valueText } from '../words.ts';

export const explain: CommandDeclaration = {
  path: ['explain'],
  summary: operations.explainMeasurement.summary,
  arguments: [{ name: 'MEASUREMENT', names: 'measurements' }],
  options: [],
  examples: ['telltale explain tank1_level'],
  run: async (call) => {
    const found = await explanation(call);
    if (call.terminal.isJson) await call.terminal.json(found);
    else await print(call.terminal, found);
  },
};

async function explanation(call: Call): Promise<Explanation> {
  const [name = ''] = call.args;
  try {
    return await call.client.measurements.explain(name, call);
  } catch (error) {
    if (error instanceof TelltaleProblem && error.problem === 'unknown-object') {
      await refuseMissing(call, 'measurements', [name]);
    }
    throw error;
  }
}

async function print(terminal: Terminal, found: Explanation): Promise<void> {
  const { name, vtq, eu, precision, summary, connector, address, reading, stages, rendering } = found;
  const [value, time, quality] = vtq;
  await terminal.line(
    { text: name, style: 'bold' },
    ' = ',
    valueText(value, { eu: eu ?? '', precision }),
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
  else {
    const error = connector['last-error'] === null ? '' : `; last error: ${connector['last-error'].text}`;
    const since = ` since ${timeText(connector.since)}${error}`;
    await line('Connector', `${connector.name} (${connector.stack}) `, linkCell(connector.state), since);
  }
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
