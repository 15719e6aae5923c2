// Why a text is no picture, and where.

export class SvgFault extends Error {
  constructor(message: string, text?: string, at?: number) {
    super(text === undefined || at === undefined ? message : `${placeIn(text, at)}: ${message}`);
    this.name = 'SvgFault';
  }
}

/** As editors count them. */
function placeIn(text: string, at: number): string {
  const before = text.slice(0, at);
  const lines = before.split('\n');
  return `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
}
