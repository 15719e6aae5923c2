// The rows of the first sheet of a workbook that a spreadsheet program has saved, as texts. What is no text, number or
// boolean, such as a date, is said to be so: nothing is guessed.
import { formatDouble } from '@telltale/schema';
import { mostColumns, type SheetRow, UnreadableCell } from './cell.ts';
import { type NumberKind, numberKind } from './number-format.ts';
import { malformed, tooLarge, ZipReader } from './read-zip.ts';
import { attributeOf, readXml, type XmlVisitor } from './xml-reader.ts';

/** Of the parts without cells. */
const mostSmallBytes = 8 << 20;
/** Twice 100,000 rows of 20 different texts. */
const mostTexts = 4_000_000;
/** Unpacked: 100,000 rows with 20 texts each are a third of it. */
const mostBytes = 256 << 20;
/** Of all cells together: a text that many cells share counts each time, as it would in CSV. */
const mostCharacters = 64 << 20;

/** The sheet of this title, else the first. In steps. */
export function* readXlsx(
  bytes: Uint8Array,
  title: string,
  onRow: (row: SheetRow) => void,
): Generator<undefined, void> {
  const files = new ZipReader(bytes, mostBytes);
  const sheet = yield* sheetFile(files, title);
  const texts = new SharedTexts();
  const formats = new Formats();
  yield* readPart(files, 'xl/sharedStrings.xml', texts, mostBytes);
  yield* readPart(files, 'xl/styles.xml', formats);
  const reader = new SheetReader(texts.all, formats.kinds, onRow);
  yield* readXml(sheet, reader);
}

function* readPart(
  files: ZipReader,
  name: string,
  visitor: XmlVisitor,
  most = mostSmallBytes,
): Generator<undefined, void> {
  const bytes = files.read(name, most);
  if (bytes !== undefined) yield* readXml(bytes, visitor);
}

function* sheetFile(files: ZipReader, title: string): Generator<undefined, Buffer> {
  const sheets: { name: string; id: string }[] = [];
  const targets = new Map<string, string>();
  const ignore = () => undefined;
  yield* readPart(files, 'xl/workbook.xml', {
    open: (tag, attributes) => {
      const [name, id] = [attributeOf(attributes, 'name'), attributeOf(attributes, 'id')];
      if (tag === 'sheet' && name !== undefined && id !== undefined) sheets.push({ name, id });
    },
    close: ignore,
    text: ignore,
  });
  yield* readPart(files, 'xl/_rels/workbook.xml.rels', {
    open: (tag, attributes) => {
      const [id, target] = [attributeOf(attributes, 'Id'), attributeOf(attributes, 'Target')];
      if (tag === 'Relationship' && id !== undefined && target !== undefined) targets.set(id, target);
    },
    close: ignore,
    text: ignore,
  });
  const chosen = sheets.find(({ name }) => name === title) ?? sheets[0];
  const target = targets.get(chosen?.id ?? '');
  if (target === undefined) throw malformed('it has no sheet');
  const bytes = files.read(target.startsWith('/') ? target.slice(1) : `xl/${target}`, mostBytes);
  if (bytes === undefined) throw malformed('its sheet is missing');
  return bytes;
}

/** The text of `<t>`, but for how it is pronounced. */
class TextOfRuns {
  #text = '';
  #isIn = false;
  #isPhonetic = false;

  open(tag: string): void {
    if (tag === 't') this.#isIn = !this.#isPhonetic;
    else if (tag === 'rPh') this.#isPhonetic = true;
  }

  close(tag: string): void {
    if (tag === 't') this.#isIn = false;
    else if (tag === 'rPh') this.#isPhonetic = false;
  }

  text(text: string): void {
    if (this.#isIn) this.#text += text;
  }

  take(): string {
    const text = this.#text.replaceAll(/_x([\dA-Fa-f]{4})_/g, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
    this.#text = '';
    return text;
  }
}

class SharedTexts implements XmlVisitor {
  readonly all: string[] = [];
  readonly #runs = new TextOfRuns();

  open(tag: string): void {
    this.#runs.open(tag);
  }

  close(tag: string): void {
    this.#runs.close(tag);
    if (tag !== 'si') return;
    if (this.all.length === mostTexts) throw tooLarge();
    this.all.push(this.#runs.take());
  }

  text(text: string): void {
    this.#runs.text(text);
  }
}

/** What the number format of each cell style is. */
class Formats implements XmlVisitor {
  readonly kinds: NumberKind[] = [];
  readonly #codes = new Map<number, string>();
  #isInCellStyles = false;

  open(tag: string, attributes: string): void {
    const id = Number(attributeOf(attributes, 'numFmtId') ?? 0);
    if (tag === 'numFmt') this.#codes.set(id, attributeOf(attributes, 'formatCode') ?? '');
    else if (tag === 'cellXfs') this.#isInCellStyles = true;
    else if (tag === 'xf' && this.#isInCellStyles) this.kinds.push(numberKind(id, this.#codes.get(id)));
  }

  close(tag: string): void {
    if (tag === 'cellXfs') this.#isInCellStyles = false;
  }

  text(): void {}
}

class SheetReader implements XmlVisitor {
  readonly #texts: readonly string[];
  readonly #kinds: readonly NumberKind[];
  readonly #onRow: (row: SheetRow) => void;
  readonly #runs = new TextOfRuns();
  #row = 0;
  #cells: (string | UnreadableCell)[] = [];
  #column = -1;
  #type = '';
  #kind: NumberKind = 'number';
  #value = '';
  #isInValue = false;
  #characters = 0;

  constructor(texts: readonly string[], kinds: readonly NumberKind[], onRow: (row: SheetRow) => void) {
    this.#texts = texts;
    this.#kinds = kinds;
    this.#onRow = onRow;
  }

  open(tag: string, attributes: string): void {
    if (tag === 'c') this.#openCell(attributes);
    else if (tag === 'v') this.#isInValue = true;
    else if (tag === 'row') {
      const number = attributeOf(attributes, 'r') ?? '';
      this.#row = /^\d{1,7}$/.test(number) ? Number(number) : this.#row + 1;
      this.#cells = [];
      this.#column = -1;
    } else this.#runs.open(tag);
  }

  close(tag: string): void {
    if (tag === 'c') this.#closeCell();
    else if (tag === 'v') this.#isInValue = false;
    else if (tag === 'row') this.#onRow({ number: this.#row, cells: this.#cells, mayHaveDecimalComma: true });
    else this.#runs.close(tag);
  }

  text(text: string): void {
    if (this.#isInValue) this.#value += text;
    else this.#runs.text(text);
  }

  #openCell(attributes: string): void {
    const place = attributeOf(attributes, 'r');
    this.#column = place === undefined ? this.#column + 1 : columnAt(place);
    if (this.#column >= mostColumns) throw tooLarge();
    this.#type = attributeOf(attributes, 't') ?? 'n';
    this.#kind = this.#kinds[Number(attributeOf(attributes, 's') ?? 0)] ?? 'number';
    this.#value = '';
  }

  #closeCell(): void {
    const runs = this.#runs.take();
    const cell = this.#type === 'inlineStr' ? runs : this.#valueText();
    if (cell === '') return;
    this.#characters += typeof cell === 'string' ? cell.length : 1;
    if (this.#characters > mostCharacters) throw tooLarge();
    for (; this.#cells.length < this.#column; this.#characters++) this.#cells.push('');
    this.#cells[this.#column] = cell;
  }

  #valueText(): string | UnreadableCell {
    const value = this.#value;
    if (value === '') return '';
    switch (this.#type) {
      case 's':
        return this.#texts[Number(value)] ?? unreadable('a text that is not in the file');
      case 'str':
        return value;
      case 'b':
        return value === '1' ? 'true' : 'false';
      case 'e':
        return unreadable(`the error ${value.slice(0, 20)}`);
      case 'd':
        return unreadable('a date');
      default:
        return numberText(value, this.#kind);
    }
  }
}

const unreadable = (what: string) =>
  new UnreadableCell(`is ${what}: give the column the format Text, and write it again`);

function numberText(value: string, kind: NumberKind): string | UnreadableCell {
  const number = Number(value);
  if (!Number.isFinite(number)) return unreadable('no number');
  if (kind === 'time') return unreadable('a date or a time');
  // As a spreadsheet counts: 15 digits.
  if (kind === 'percent') return `${formatDouble(Number((number * 100).toPrecision(15)))}%`;
  return formatDouble(number);
}

/** Of `AB12`. */
function columnAt(place: string): number {
  let column = 0;
  for (let at = 0; at < place.length; at++) {
    const letter = place.charCodeAt(at) - 64;
    if (letter < 1 || letter > 26) break;
    column = Math.min(26 * column + letter, mostColumns + 1);
  }
  if (column === 0) throw malformed('a cell of it has no column');
  return column - 1;
}
