// What a number format of a spreadsheet makes of a number: a plain number, a percentage, or a time.

export type NumberKind = 'number' | 'percent' | 'time';

const percents: ReadonlySet<number> = new Set([9, 10]);
/** Of the formats that have no text in the file: dates and times, those of East Asian languages included. */
const times: readonly (readonly [number, number])[] = [
  [14, 22],
  [27, 36],
  [45, 47],
  [50, 58],
];

/** `code` is the text of a format that the workbook defines itself. */
export function numberKind(id: number, code: string | undefined): NumberKind {
  if (code === undefined) {
    if (percents.has(id)) return 'percent';
    return times.some(([from, to]) => id >= from && id <= to) ? 'time' : 'number';
  }
  // Texts, escaped characters, colours and conditions say nothing; [h] is a time.
  const bare = code.replaceAll(/"[^"]*"|\\.|_.|\*.|\[(?!h+\]|m+\]|s+\])[^\]]*\]/gi, '');
  if (/general/i.test(bare)) return 'number';
  if (/[ymdhs]/i.test(bare)) return 'time';
  return bare.includes('%') ? 'percent' : 'number';
}
