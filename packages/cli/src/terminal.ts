// Where a command's words go: tables and colours for people, JSON for programs. What comes from the plant is shown
// with its control characters written out, so that no text can move the cursor.
import { printable } from '@telltale/schema';

export interface Stream {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string | Uint8Array): boolean;
  once(event: 'drain', listener: () => void): unknown;
}

export interface TerminalOptions {
  readonly out: Stream;
  readonly err: Stream;
  /** JSON even on a terminal. */
  readonly json: boolean;
  readonly color: boolean;
}

export type Style = 'plain' | 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'magenta';

const codes: Record<Style, number> = { plain: 0, bold: 1, dim: 2, red: 31, green: 32, yellow: 33, magenta: 35 };

/** A text and how it looks; a plain text is a cell too. */
export type Cell = string | { readonly text: string; readonly style: Style };

const narrowest = 40;

export class Terminal {
  readonly #out: Stream;
  readonly #err: Stream;
  /** Whether what is printed is for programs. */
  readonly isJson: boolean;
  readonly #color: boolean;
  #hasBar = false;

  constructor({ out, err, json, color }: TerminalOptions) {
    this.#out = out;
    this.#err = err;
    this.isJson = json || out.isTTY !== true;
    this.#color = color && out.isTTY === true;
  }

  get hasProgress(): boolean {
    return this.#err.isTTY === true;
  }

  get isOutTerminal(): boolean {
    return this.#out.isTTY === true;
  }

  /** Resolves when there is room for more. */
  async write(text: string | Uint8Array): Promise<void> {
    if (this.#out.write(text)) return;
    await new Promise<void>((resolve) => this.#out.once('drain', resolve));
  }

  line(...cells: Cell[]): Promise<void> {
    return this.write(`${cells.map((cell) => this.#styled(cell)).join('')}\n`);
  }

  /** One JSON document; indented where people look at it, and then without characters that a terminal obeys. */
  json(document: unknown): Promise<void> {
    if (!this.isOutTerminal) return this.jsonLine(document);
    return this.write(`${JSON.stringify(document, null, 2).split('\n').map(printable).join('\n')}\n`);
  }

  /** One JSON document a line. */
  jsonLine(document: unknown): Promise<void> {
    const text = JSON.stringify(document);
    return this.write(`${this.isOutTerminal ? printable(text) : text}\n`);
  }

  /** To the standard error: for people, whatever becomes of the output. */
  note(text: string): void {
    this.bar('');
    this.#err.write(`${text}\n`);
  }

  /** To the standard error, without an end of the line. */
  prompt(text: string): void {
    this.#err.write(text);
  }

  /** The line on the standard error that says how far something is; empty to take it away. */
  bar(text: string): void {
    if (text !== '' || this.#hasBar) this.#err.write(`\r\x1b[K${text}`);
    this.#hasBar = text !== '';
  }

  /** Columns aligned; the last one is cut where the terminal ends. */
  async table(headings: readonly string[], rows: readonly (readonly Cell[])[]): Promise<void> {
    const all: (readonly Cell[])[] = [headings.map((text): Cell => ({ text, style: 'bold' })), ...rows];
    const widths = headings.map((_, column) =>
      all.reduce((widest, row) => Math.max(widest, widthOf(textOf(row[column] ?? ''))), 0),
    );
    const last = headings.length - 1;
    const room =
      Math.max(narrowest, this.#out.columns ?? 120) - widths.slice(0, last).reduce((sum, w) => sum + w + 2, 0);
    const lines = all.map((row) => {
      const cells = headings.map((_, column) => {
        const cell = row[column] ?? '';
        if (column === last) return this.#styled(cut(cell, Math.max(10, room)));
        return this.#styled(cell) + ' '.repeat((widths[column] ?? 0) - widthOf(textOf(cell)) + 2);
      });
      return `${cells.join('').trimEnd()}\n`;
    });
    await this.write(lines.join(''));
  }

  #styled(cell: Cell): string {
    const text = printable(textOf(cell));
    const style = typeof cell === 'string' ? 'plain' : cell.style;
    return this.#color && style !== 'plain' && text !== '' ? `\x1b[${codes[style]}m${text}\x1b[0m` : text;
  }
}

function textOf(cell: Cell): string {
  return typeof cell === 'string' ? cell : cell.text;
}

function widthOf(text: string): number {
  return [...printable(text)].length;
}

function cut(cell: Cell, width: number): Cell {
  const characters = [...printable(textOf(cell))];
  if (characters.length <= width) return cell;
  const text = `${characters.slice(0, width - 1).join('')}…`;
  return typeof cell === 'string' ? text : { ...cell, text };
}
