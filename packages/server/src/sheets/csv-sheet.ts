// A table as CSV: rows as bytes, and bytes as rows. Texts that a spreadsheet would mistake begin with an apostrophe.
import { CsvReader, csvRow, ProblemError } from '@telltale/schema';
import { type Cell, isMistakable, type SheetRow, VerbatimCell, verbatimMark } from './cell.ts';

/** So much is read in one step. */
const pieceBytes = 64 << 10;

/** The bytes of a table, in steps. The byte order mark is for Excel, which else takes UTF-8 for the characters of old. */
export function* writeCsv(rows: Iterable<readonly Cell[]>): Generator<undefined, Uint8Array[]> {
  const pieces: Uint8Array[] = [];
  let text = '';
  let isAscii = true;
  const end = () => {
    const piece = Buffer.from(text);
    isAscii &&= piece.length === text.length;
    pieces.push(piece);
    text = '';
  };
  for (const row of rows) {
    text += csvRow(row.map(cellText));
    if (text.length < pieceBytes) continue;
    end();
    yield;
  }
  end();
  return isAscii ? pieces : [Buffer.from('\ufeff'), ...pieces];
}

function cellText(cell: Cell): string {
  if (typeof cell === 'string') return isMistakable(cell) ? verbatimMark + cell : cell;
  if (cell instanceof VerbatimCell) return verbatimMark + cell.text;
  return cell === undefined ? '' : String(cell);
}

/** Takes UTF-8, and UTF-16 with its byte order mark, as Excel's "Unicode text" is. */
export function* readCsv(bytes: Uint8Array, onRow: (row: SheetRow) => void): Generator<undefined, void> {
  const utf8 = asUtf8(bytes);
  const reader = new CsvReader((cells, number) =>
    onRow({ number, cells, mayHaveDecimalComma: reader.separator !== ',' }),
  );
  for (let at = 0; at < utf8.length; at += pieceBytes) {
    reader.feed(utf8.subarray(at, at + pieceBytes));
    yield;
  }
  reader.end();
}

function asUtf8(bytes: Uint8Array): Uint8Array {
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-16be';
  if (encoding === 'utf-16be' && !(bytes[0] === 0xfe && bytes[1] === 0xff)) return bytes;
  try {
    return Buffer.from(new TextDecoder(encoding, { fatal: true }).decode(bytes));
  } catch {
    throw new ProblemError('malformed-csv', 'The body is not UTF-16, though it begins like it.');
  }
}
