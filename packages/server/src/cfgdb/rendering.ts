// The difference between two renderings as it leaves the configuration's thread: bytes in shared memory, which the
// service reads object by object, at its own pace. Who runs it, and how, is not known here.
import { type Family, type FamilyObject, parseJson } from '@telltale/schema';
import type { Content } from './content.ts';

/** One object that came, changed or went; not both are undefined. */
export type RenderedChange = {
  [F in Family]: {
    readonly family: F;
    readonly before: FamilyObject[F] | undefined;
    readonly after: FamilyObject[F] | undefined;
  };
}[Family];

export type RenderingBytes = Uint8Array<SharedArrayBuffer>;

/** What others refer to comes before them, and goes after them. */
const order: readonly Family[] = ['connectors', 'providers', 'measurements', 'commands', 'alarms', 'function-modules'];
const referred: ReadonlySet<Family> = new Set<Family>(['connectors', 'providers']);

const newline = 0x0a;

/** Three lines a change: the family, the object before, the object after; an object that is not there is empty. */
export function packRendering(before: Content, after: Content): RenderingBytes {
  const lines: string[] = [];
  const gone: string[] = [];
  for (const family of order) {
    for (const [name, text] of before[family]) {
      if (!after[family].has(name)) (referred.has(family) ? gone : lines).push(family, text, '');
    }
    for (const [name, text] of after[family]) {
      const old = before[family].get(name);
      if (old !== text) lines.push(family, old ?? '', text);
    }
  }
  return bytesOf(lines.concat(gone));
}

/** Each line written where it belongs: all of them as one text would be as much again, left lying until it is collected. */
function bytesOf(lines: readonly string[]): RenderingBytes {
  const length = lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
  const bytes = Buffer.from(new SharedArrayBuffer(length));
  let at = 0;
  for (const line of lines) {
    at += bytes.write(line, at);
    bytes[at++] = newline;
  }
  return bytes;
}

export function* readRendering(bytes: RenderingBytes): Generator<RenderedChange> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const line = (): string => {
    const end = buffer.indexOf(newline, at);
    const text = buffer.toString('utf8', at, end);
    at = end + 1;
    return text;
  };
  while (at < buffer.length) {
    const [family, before, after] = [line() as Family, line(), line()];
    yield { family, before: parsed(before), after: parsed(after) } as RenderedChange;
  }
}

function parsed(text: string): unknown {
  return text === '' ? undefined : parseJson(text);
}
