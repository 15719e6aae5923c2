// Stack traces of a build, mapped to the sources. The maps are read when a stack is shown: Node would read all of them
// at every start of every thread.
import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';

/** Frequent errors have few distinct stacks: reading a map takes some milliseconds. */
const maxCached = 100;

const positionPattern = /\bfile:\/\/\S+\.mjs:\d+:\d+/g;

/** The result names the files and lines of the sources where those are known. */
export function createSourceStack(): (stack: string) => string {
  const cached = new Map<string, readonly string[]>();
  return (stack) => {
    const positions = stack.match(positionPattern);
    if (positions === null) return stack;
    const key = positions.join();
    const sources = cached.get(key) ?? sourcePositions(positions);
    if (cached.size >= maxCached) cached.clear();
    cached.set(key, sources);
    const left = sources.values();
    return stack.replace(positionPattern, () => left.next().value ?? '');
  };
}

/** One for each, in their order. */
function sourcePositions(positions: readonly string[]): string[] {
  const maps = new Map<string, SourceMap | undefined>();
  return positions.map((text) => {
    const [, url = '', line, column] = /^(.*):(\d+):(\d+)$/.exec(text) ?? [];
    if (!maps.has(url)) maps.set(url, readMap(url));
    const origin = maps.get(url)?.findOrigin(Number(line), Number(column));
    if (origin === undefined || !('fileName' in origin)) return text;
    return `${new URL(origin.fileName, url)}:${origin.lineNumber}:${origin.columnNumber}`;
  });
}

function readMap(url: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${fileURLToPath(url)}.map`, 'utf8')));
  } catch {
    return undefined;
  }
}
