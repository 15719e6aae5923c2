// What `telltale explain` prints of a command: who wrote it, and what the device said.
import type { CommandExplanation, CommandWrite } from '@telltale/schema';
import type { Cell, Style, Terminal } from '../terminal.ts';
import { linkCell, liveText, timeText, valueText } from '../words.ts';

export async function printCommand(terminal: Terminal, found: CommandExplanation): Promise<void> {
  const { name, vt, eu, precision, origin, by, summary, raw, connector, address, providers, rendering } = found;
  const shown = { eu: eu ?? '', precision };
  await terminal.line({ text: name, style: 'bold' }, ' = ', liveText(vt, shown), '  command');
  await terminal.line(summary);
  await terminal.line('');
  const line = (title: string, ...cells: Cell[]) => terminal.line({ text: title.padEnd(13), style: 'bold' }, ...cells);
  await line('Written', origin === 'written' ? `${timeText(vt[1])}, by ${by ?? 'somebody not known'}` : 'never');
  const last = found['last-write'];
  if (last === null) await line('Last write', 'none since the start of the service');
  else {
    const { value, t, outcome, error } = last;
    const who = last.by === null ? '' : `, by ${last.by}`;
    const said = error === null ? '' : `: ${error}`;
    const what = `${valueText(value, shown)} at ${timeText(t)}${who}, `;
    await line('Last write', what, { text: outcome, style: outcomes[outcome] }, said);
  }
  if (raw !== null && connector !== null) await line('Raw', valueText(raw));
  if (connector === null) await line('Connector', 'none');
  else await line('Connector', `${connector.name} (${connector.stack}) `, ...stateCells(connector));
  if (address !== null) await line('Address', address);
  for (const provider of providers) {
    await line('Provider', `${provider.name} (${provider.stack}) as ${provider.address} `, ...stateCells(provider));
  }
  if (rendering !== null) {
    await line('Rendering', `${rendering.revision}, of ${timeText(rendering.time)}, by ${rendering.author}`);
  }
}

export function stateCells(link: NonNullable<CommandExplanation['connector']>): Cell[] {
  const error = link['last-error'] === null ? '' : `; last error: ${link['last-error'].text}`;
  return [linkCell(link.state), ` since ${timeText(link.since)}${error}`];
}

const outcomes: Record<CommandWrite['outcome'], Style> = {
  underway: 'yellow',
  accepted: 'green',
  refused: 'red',
  unknown: 'red',
};
