// The difference between two renderings as it leaves the configuration's thread: bytes, handed over as they are, which the
// service reads object by object, at its own pace. Who runs it, and how, is not known here.
import { type Family, type FamilyObject, parsingJson } from '@telltale/schema';
import { type Content, sectionsOf } from './content.ts';

/** One object that came, changed or went; not both are undefined. */
export type RenderedChange = {
  [F in Family]: {
    readonly family: F;
    readonly before: FamilyObject[F] | undefined;
    readonly after: FamilyObject[F] | undefined;
  };
}[Family];

export type RenderingBytes = Uint8Array<ArrayBuffer>;

/**
 * What others refer to comes before them, and goes after them. Providers come before connectors, which keep to threads without
 * any where they can.
 */
const order: readonly Family[] = [
  'providers',
  'connectors',
  'measurements',
  'commands',
  'alarms',
  'function-modules',
  'pictures',
  'trends',
];
const referred: ReadonlySet<Family> = new Set<Family>(['connectors', 'providers']);

const newline = 0x0a;

type ChangeKind = 'added' | 'changed' | 'removed';

/**
 * For each family, those that went, changed and came: a line with the family, which of these, and how many; then a line an
 * object, or two where it changed: before and after.
 */
export function packRendering(before: Content, after: Content): RenderingBytes {
  const lines: string[] = [];
  const gone: string[] = [];
  for (const family of order) {
    const [removed, changed, added]: [string[], string[], string[]] = [[], [], []];
    for (const [name, text] of before[family]) if (!after[family].has(name)) removed.push(text);
    for (const [name, text] of after[family]) {
      const old = before[family].get(name);
      if (old === undefined) added.push(text);
      else if (old !== text) changed.push(old, text);
    }
    append(referred.has(family) ? gone : lines, family, 'removed', removed);
    append(lines, family, 'changed', changed);
    append(lines, family, 'added', added);
  }
  return bytesOf(lines.concat(gone));
}

function append(lines: string[], family: Family, kind: ChangeKind, objects: readonly string[]): void {
  if (objects.length === 0) return;
  lines.push(opening(family, kind, kind === 'changed' ? objects.length / 2 : objects.length));
  for (const object of objects) lines.push(object);
}

function opening(family: Family, kind: ChangeKind, count: number): string {
  return `${family} ${kind} ${count}`;
}

/** Of stored content. Its objects are not checked: the start waits for this. */
export function wholeRendering(content: Buffer): RenderingBytes {
  const sections = sectionsOf(content);
  const parts = order.flatMap((family) => {
    const { count = 0, lines = content } = sections.get(family) ?? {};
    return count === 0 ? [] : [Buffer.from(`${opening(family, 'added', count)}\n`), lines, Buffer.from('\n')];
  });
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** Each line written where it belongs: all of them as one text would be as much again, left lying until it is collected. */
export function bytesOf(lines: readonly string[]): RenderingBytes {
  const length = lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
  const bytes = Buffer.from(new ArrayBuffer(length));
  let at = 0;
  for (const line of lines) {
    at += bytes.write(line, at);
    bytes[at++] = newline;
  }
  return bytes;
}

/** Yields undefined in the middle of an object that takes long to read. */
export function* readRendering(bytes: RenderingBytes): Generator<RenderedChange | undefined> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const line = (): string => {
    const end = buffer.indexOf(newline, at);
    const text = buffer.toString('utf8', at, end);
    at = end + 1;
    return text;
  };
  while (at < buffer.length) {
    const [family, kind, count] = line().split(' ') as [Family, ChangeKind, string];
    for (let left = Number(count); left > 0; left--) {
      const before = kind === 'added' ? undefined : yield* parsingJson(line());
      const after = kind === 'removed' ? undefined : yield* parsingJson(line());
      yield { family, before, after } as RenderedChange;
    }
  }
}
