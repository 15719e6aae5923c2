// A whole configuration in memory: the canonical text of every object, by family and name. The database has one, the
// newest rendering another; where objects are equal the two share their strings.
import { isDeepStrictEqual } from 'node:util';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import {
  type Change,
  type ComparedChange,
  type Family,
  type FieldChange,
  familyNames,
  parseJson,
} from '@telltale/schema';
import { nameIn } from './tables.ts';

export type Content = { readonly [F in Family]: Map<string, string> };

/** Reported before every answer, so that no request is needed. */
export interface Figures {
  readonly objects: Readonly<Record<Family, number>>;
  readonly upToDate: boolean;
  /** The revision that runs. */
  readonly running: number;
  /** Another text whenever the configuration may be another, rendered or not; also after each start. */
  readonly version: string;
}

export function emptyContent(): Content {
  return Object.fromEntries(familyNames.map((family) => [family, new Map()])) as unknown as Content;
}

export function copyOf(content: Content): Content {
  return Object.fromEntries(familyNames.map((family) => [family, new Map(content[family])])) as unknown as Content;
}

export function countObjects(content: Content): Record<Family, number> {
  return Object.fromEntries(familyNames.map((family) => [family, content[family].size])) as Record<Family, number>;
}

export function sortedNames(objects: ReadonlyMap<string, string>): string[] {
  return [...objects.keys()].sort();
}

/** One JSON object from name to object, in name order; made as texts, so that every name is an ordinary one. */
export function collectionTexts(objects: ReadonlyMap<string, string>, names: Iterable<string>): string[] {
  const texts: string[] = [];
  for (const name of names) {
    const text = objects.get(name);
    if (text !== undefined) texts.push(`${texts.length === 0 ? '{' : ','}"${name}":`, text);
  }
  return [...texts, texts.length === 0 ? '{}' : '}'];
}

export function configurationTexts(content: Content): string[] {
  const texts = familyNames.flatMap((family, index) => [
    `${index === 0 ? '{' : ','}"${family}":`,
    ...collectionTexts(content[family], sortedNames(content[family])),
  ]);
  return [...texts, '}'];
}

/** As a rendering keeps it: for each family a line with its name and count, then a line an object. */
export function packContent(content: Content): Uint8Array {
  return pack(linesOf(content));
}

function* linesOf(content: Content): Generator<string> {
  let newline = '';
  for (const family of familyNames) {
    yield `${newline}${family} ${content[family].size}`;
    newline = '\n';
    for (const text of content[family].values()) yield `\n${text}`;
  }
}

/** Of what `packContent` has packed, unpacked. */
export function readContent(text: string): Content {
  const content = emptyContent();
  let objects = new Map<string, string>();
  let left = 0;
  for (const line of text.split('\n')) {
    if (left === 0) {
      const [family, count] = line.split(' ') as [Family, string];
      objects = content[family];
      left = Number(count);
    } else {
      objects.set(nameIn(line), line);
      left--;
    }
  }
  return content;
}

interface Section {
  readonly count: number;
  /** Of its objects, without the last newline. */
  readonly lines: Buffer;
}

/** The families of such a text, found without looking at its objects: no line of theirs begins with the name of one. */
export function sectionsOf(text: Buffer): Map<Family, Section> {
  const sections = new Map<Family, Section>();
  const known: { family: Family; start: number }[] = [];
  for (const family of familyNames) {
    const from = known.at(-1)?.start ?? 0; // they stand in this order
    const isFirst = text.toString('latin1', 0, family.length + 1) === `${family} `;
    const start = isFirst ? 0 : text.indexOf(`\n${family} `, from) + 1;
    if (isFirst || start > 0) known.push({ family, start });
  }
  known.forEach(({ family, start }, index) => {
    const next = known[index + 1];
    const section = text.subarray(start, next === undefined ? text.length : next.start - 1);
    const newline = section.indexOf('\n');
    const end = newline < 0 ? section.length : newline;
    const count = Number(section.toString('latin1', family.length, end));
    sections.set(family, { count, lines: section.subarray(end + 1) });
  });
  return sections;
}

/** Of a frame, before it is compressed; about as far as the compression looks back. */
const frameCharacters = 1 << 20;

/** The parts behind each other, in one frame or several: all of them as one text would be as much again. */
export function pack(parts: Iterable<string>): Uint8Array {
  const frames: Uint8Array[] = [];
  let text = '';
  let bytes = Buffer.alloc(0); // for each of them, so that none is left lying until it is collected
  const end = () => {
    const length = Buffer.byteLength(text);
    if (length > bytes.length) bytes = Buffer.allocUnsafeSlow(length);
    bytes.write(text);
    frames.push(zstdCompressSync(bytes.subarray(0, length), { params: { [constants.ZSTD_c_compressionLevel]: 1 } }));
    text = '';
  };
  for (const part of parts) {
    text += part;
    if (text.length >= frameCharacters) end();
  }
  if (text !== '' || frames.length === 0) end();
  return Buffer.concat(frames);
}

export function unpack(packed: Uint8Array): Buffer {
  return zstdDecompressSync(packed);
}

export class Differences {
  readonly #names: { readonly [F in Family]: Set<string> };

  constructor() {
    this.#names = Object.fromEntries(familyNames.map((family) => [family, new Set()])) as unknown as {
      [F in Family]: Set<string>;
    };
  }

  static between(before: Content, after: Content): Differences {
    const differences = new Differences();
    for (const family of familyNames) {
      for (const [name, text] of after[family]) differences.note(family, name, before[family].get(name) !== text);
      for (const name of before[family].keys()) {
        if (!after[family].has(name)) differences.note(family, name, true);
      }
    }
    return differences;
  }

  note(family: Family, name: string, differs: boolean): void {
    if (differs) this.#names[family].add(name);
    else this.#names[family].delete(name);
  }

  has(family: Family, name: string): boolean {
    return this.#names[family].has(name);
  }

  get size(): number {
    return familyNames.reduce((sum, family) => sum + this.#names[family].size, 0);
  }

  *[Symbol.iterator](): Generator<{ family: Family; name: string }> {
    for (const family of familyNames) {
      for (const name of [...this.#names[family]].sort()) yield { family, name };
    }
  }
}

/** What became of an object between two configurations; `formerName` is that of a renamed one. */
export function compareObject(
  before: Content,
  after: Content,
  { family, name }: { family: Family; name: string },
  formerName?: string,
): ComparedChange {
  const now = after[family].get(name);
  const { change, fields } = describeChange(before[family].get(name), now);
  if (formerName === undefined) return { family, name, change, ...(fields && { fields }) };
  const others = describeChange(before[family].get(formerName), now).fields?.filter(({ field }) => field !== 'name');
  return { family, name, change, renamedFrom: formerName, ...(others?.length && { fields: others }) };
}

/** What became of one object, without time and author; a changed one with the fields that differ. */
export function describeChange(
  before: string | undefined,
  after: string | undefined,
): Pick<Change, 'change'> & { fields?: FieldChange[] } {
  if (before === undefined) return { change: 'added' };
  if (after === undefined) return { change: 'removed' };
  const old = new Map<string, unknown>(Object.entries(parseJson(before) as object));
  const now = new Map<string, unknown>(Object.entries(parseJson(after) as object));
  const fields = [...new Set([...old.keys(), ...now.keys()])]
    .filter((field) => !isDeepStrictEqual(old.get(field), now.get(field)))
    .map((field) => ({
      field,
      ...(old.has(field) && { before: old.get(field) }),
      ...(now.has(field) && { after: now.get(field) }),
    }));
  return { change: 'changed', fields };
}
