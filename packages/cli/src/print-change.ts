// Prints what became, or would become, of an object: `+` added, `~` changed with its fields, `-` removed.
import type { Change } from '@telltale/schema';
import type { Cell, Style, Terminal } from './terminal.ts';
import { timeText } from './words.ts';

const marks: Record<Change['change'], readonly [string, Style]> = {
  added: ['+', 'green'],
  changed: ['~', 'yellow'],
  removed: ['-', 'red'],
};

/** A change that has not happened yet has no time and no author. */
export type PrintedChange = Omit<Change, 'time' | 'author'> & Partial<Pick<Change, 'time' | 'author'>>;

export async function printChange(terminal: Terminal, printed: PrintedChange): Promise<void> {
  const { family, name, change, renamedFrom, time, author, fields = [] } = printed;
  const [mark, style] = marks[change];
  const what: Cell = {
    text: `${mark} ${family}/${name}${renamedFrom === undefined ? '' : `, renamed from ${renamedFrom}`}`,
    style,
  };
  const when: Cell = { text: time === undefined ? '' : `  ${timeText(time)} by ${author}`, style: 'dim' };
  await terminal.line(what, when);
  for (const { field, before, after } of fields) {
    await terminal.line(`    ${field}: ${fieldText(before)} → ${fieldText(after)}`);
  }
}

function fieldText(value: unknown): string {
  return value === undefined ? 'not set' : JSON.stringify(value);
}
