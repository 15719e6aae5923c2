// Stack traces of a build, told in the terms of the sources. The maps are read when a stack is shown: Node would read all
// of them at every start of every thread.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Errors that come in crowds have few stacks: reading a map takes some milliseconds. */
const maxKept = 100;

const placePattern = /\bfile:\/\/\S+\.mjs:\d+:\d+/g;

interface SourceMapFile {
  readonly sources: readonly string[];
  readonly mappings: string;
}

interface Place {
  readonly line: number;
  readonly column: number;
}

/** What it gives names the files and lines of the sources where those are known. */
export function createSourceStack(): (stack: string) => string {
  const kept = new Map<string, readonly string[]>();
  return (stack) => {
    const places = stack.match(placePattern);
    if (places === null) return stack;
    const key = places.join();
    const sources = kept.get(key) ?? sourcePlaces(places);
    if (kept.size >= maxKept) kept.clear();
    kept.set(key, sources);
    const left = sources.values();
    return stack.replace(placePattern, () => left.next().value ?? '');
  };
}

/** One for each, in their order. */
function sourcePlaces(places: readonly string[]): string[] {
  const files = new Map<string, SourceMapFile | undefined>();
  return places.map((text) => {
    const [, url = '', line, column] = /^(.*):(\d+):(\d+)$/.exec(text) ?? [];
    if (!files.has(url)) files.set(url, readMap(url));
    const file = files.get(url);
    const source = file && sourcePlace(file, { line: Number(line) - 1, column: Number(column) - 1 });
    return source === undefined ? text : `${new URL(source.file, url)}:${source.line + 1}:${source.column + 1}`;
  });
}

function readMap(url: string): SourceMapFile | undefined {
  try {
    return JSON.parse(readFileSync(`${fileURLToPath(url)}.map`, 'utf8')) as SourceMapFile;
  } catch {
    return undefined;
  }
}

const digits = new Map(
  Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/', (letter, at) => [
    letter.charCodeAt(0),
    at,
  ]),
);
const [comma, semicolon] = [44, 59];

/** Reads the mappings (Source Map, revision 3) up to the place: the last segment of its line that begins before it. */
function sourcePlace(
  { sources, mappings }: SourceMapFile,
  { line, column }: Place,
): (Place & { file: string }) | undefined {
  // Of a segment: column in the build, source, line and column in it. All but the first go on from line to line.
  const fields = [0, 0, 0, 0];
  let found: number[] | undefined;
  let [atLine, atField, value, shift] = [0, 0, 0, 0];
  for (let at = 0; at <= mappings.length; at++) {
    const code = at === mappings.length ? semicolon : mappings.charCodeAt(at);
    if (code === comma || code === semicolon) {
      if (atLine === line && atField >= 4 && (fields[0] as number) <= column) found = [...fields];
      atField = 0;
      if (code === comma) continue;
      if (atLine++ === line) break;
      fields[0] = 0;
      continue;
    }
    const digit = digits.get(code) ?? 0;
    value |= (digit & 31) << shift;
    shift += 5;
    if ((digit & 32) !== 0) continue;
    if (atField < 4) fields[atField] = (fields[atField] as number) + ((value & 1) === 1 ? -(value >> 1) : value >> 1);
    atField++;
    value = shift = 0;
  }
  if (found === undefined) return undefined;
  const [, source = 0, sourceLine = 0, sourceColumn = 0] = found;
  return { file: sources[source] ?? '', line: sourceLine, column: sourceColumn };
}
