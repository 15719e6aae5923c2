// Reads the newest lines of the logs of a module, from the ends of the files backwards: no more than requested.
import { closeSync, fstatSync, openSync, read } from 'node:fs';
import { promisify } from 'node:util';
import type { LogLine, LogStream } from '@telltale/schema';
import { toTimestamp } from '@telltale/schema/values';
import { lineBreak, logPath, maxFileBytes, maxFiles } from './module-log-file.ts';
import { parseLine, shownText } from './module-log-text.ts';

export const maxLines = 10_000;
const blockBytes = 64 * 1024;
/** Of one stream, however large its files have grown by other means. */
const maxReadBytes = maxFiles * maxFileBytes;

const readAt = promisify(read);

interface OpenFile {
  readonly handle: number;
  readonly sizeBytes: number;
}

interface TimedLine {
  readonly timeUs: number;
  readonly stream: LogStream;
  readonly text: string;
}

/** The newest lines of one stream or both, at most 10,000, the newest last. A module that has never printed has none. */
export async function readModuleLog(
  folder: string,
  { lines, stream }: { lines: number; stream: LogStream | undefined },
): Promise<LogLine[]> {
  const wanted = Math.min(lines, maxLines);
  const streams: LogStream[] = stream === undefined ? ['out', 'err'] : [stream];
  const opened: OpenFile[] = [];
  try {
    const sources = streams.map((each) => {
      const before = opened.length;
      openFiles(folder, each, opened);
      return newestFirst(opened.slice(before), each);
    });
    return (await mergeBackwards(sources, wanted)).map(({ timeUs, ...line }) => ({ t: toTimestamp(timeUs), ...line }));
  } finally {
    for (const { handle } of opened) closeSync(handle);
  }
}

/** All at once, the newest first, so that a rotation meanwhile makes no difference; a file that was renamed is met twice. */
function openFiles(folder: string, stream: LogStream, opened: OpenFile[]): void {
  const met = new Set<number>();
  for (let number = 0; number < maxFiles; number += 1) {
    const handle = openIfThere(logPath(folder, stream, number));
    if (handle === undefined) continue;
    const { ino, size } = fstatSync(handle);
    if (met.has(ino)) closeSync(handle);
    else opened.push({ handle, sizeBytes: size });
    met.add(ino);
  }
}

function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Taken from the ends, so that fewer lines are always the last ones of more. Of lines of one time those of `out` are first. */
async function mergeBackwards(sources: AsyncGenerator<TimedLine>[], wanted: number): Promise<TimedLine[]> {
  const merged: TimedLine[] = [];
  const heads = await Promise.all(sources.map(async (source) => (await source.next()).value as TimedLine | undefined));
  while (merged.length < wanted) {
    let newest = -1;
    for (const [index, head] of heads.entries()) {
      if (head !== undefined && head.timeUs >= (heads[newest]?.timeUs ?? 0)) newest = index;
    }
    const line = heads[newest];
    if (line === undefined) break;
    merged.push(line);
    heads[newest] = (await sources[newest]?.next())?.value as TimedLine | undefined;
  }
  return merged.reverse();
}

/** A line without a time of its own, in a file that was damaged, has the time of the one after it. */
async function* newestFirst(files: readonly OpenFile[], stream: LogStream): AsyncGenerator<TimedLine> {
  let laterUs: number | undefined;
  let leftBytes = maxReadBytes;
  for (const file of files) {
    for await (const bytes of linesBackwards(file, leftBytes)) {
      const line = bytes.toString();
      const { timeUs, text } = parseLine(line) ?? { timeUs: laterUs ?? changedUs(file), text: line };
      laterUs = timeUs;
      yield { timeUs, stream, text: shownText(text) };
    }
    leftBytes = Math.max(0, leftBytes - file.sizeBytes);
  }
}

function changedUs({ handle }: OpenFile): number {
  return Math.max(0, Math.trunc(fstatSync(handle).mtimeMs)) * 1000;
}

/** No line of a log is empty: each has a time. One that is longer than a block comes in pieces. */
async function* linesBackwards({ handle, sizeBytes }: OpenFile, atMostBytes: number): AsyncGenerator<Buffer> {
  const block = Buffer.allocUnsafe(blockBytes);
  const first = Math.max(0, sizeBytes - atMostBytes);
  let rest: Buffer = Buffer.alloc(0);
  let start = sizeBytes;
  while (start > first) {
    const length = Math.min(blockBytes, start - first);
    start -= length;
    const { bytesRead } = await readAt(handle, block, 0, length, start);
    rest = Buffer.concat([block.subarray(0, bytesRead), rest]);
    for (let at = rest.lastIndexOf(lineBreak); at >= 0; at = rest.lastIndexOf(lineBreak)) {
      if (at + 1 < rest.length) yield rest.subarray(at + 1);
      rest = rest.subarray(0, at);
    }
    if (rest.length <= blockBytes) continue;
    yield rest;
    rest = Buffer.alloc(0);
  }
  if (rest.length > 0) yield rest;
}
