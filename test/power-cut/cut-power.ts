// Takes back what a process did to the files of a folder and had not synced when it ended: what a power cut leaves.
// power-cut.c, preloaded, has noted it.
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where there is no compiler, there is no power cut. */
export function hasCompiler(): boolean {
  try {
    execFileSync('cc', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Builds the library into the folder; returns the environment of a process whose work on `watched` is noted. */
export function noting(watched: string, notes: string): Record<string, string> {
  const library = join(notes, 'power-cut.so');
  const source = fileURLToPath(new URL('./power-cut.c', import.meta.url));
  fs.mkdirSync(notes, { recursive: true });
  if (!fs.existsSync(library)) execFileSync('cc', ['-O1', '-shared', '-fPIC', '-o', library, source, '-ldl']);
  return { LD_PRELOAD: library, POWER_CUT_FOLDER: watched, POWER_CUT_NOTES: notes };
}

interface Note {
  readonly what: string;
  readonly path: string;
  readonly inode: number;
  readonly offset: number;
  readonly before: number;
  readonly bytes: Buffer;
}

export interface PowerCut {
  /** How much of what was not synced had reached the disk all the same, of each file and of the folder: from 0 to 1. */
  readonly reached: () => number;
}

/** Returns how much was taken back. The notes are gone afterwards. */
export function cutPower(watched: string, notes: string, { reached }: PowerCut): number {
  const all = readNotes(fs.readFileSync(join(notes, 'notes')));
  const paths = new Map<number, string>();
  for (const { inode, path } of filesIn(watched)) paths.set(inode, path);
  const undone = unsynced(all, reached);
  for (const note of undone) undo(note, paths, (number) => join(notes, `saved-${number}`));
  for (const name of fs.readdirSync(notes)) if (!name.endsWith('.so')) fs.unlinkSync(join(notes, name));
  return undone.length;
}

/** Newest first. Of each file, and of the names in each folder, the oldest may have reached the disk. */
function unsynced(notes: readonly Note[], reached: () => number): Note[] {
  const open = new Map<string, number[]>();
  const placeOf = ({ what, path, inode }: Note) => ('wt'.includes(what) ? `file ${inode}` : `folder ${dirname(path)}`);
  notes.forEach((note, at) => {
    if (note.what === 's') open.delete(`file ${note.inode}`);
    else if (note.what === 'd') open.delete(`folder ${note.path}`);
    else open.set(placeOf(note), [...(open.get(placeOf(note)) ?? []), at]);
  });
  const lost = [...open.values()].flatMap((at) => at.slice(Math.floor(reached() * at.length)));
  return lost.sort((a, b) => b - a).map((at) => notes[at] as Note);
}

function undo(
  { what, path, inode, offset, before, bytes }: Note,
  paths: Map<number, string>,
  saved: (n: number) => string,
) {
  if (what === 'c') fs.rmSync(path, { force: true });
  else if (what === 'u') restore(saved(offset), path, paths);
  else if (what === 'r') {
    const to = bytes.toString();
    fs.renameSync(to, path);
    paths.set(inode, path);
    if (offset > 0) restore(saved(offset), to, paths);
  } else {
    const file = paths.get(inode);
    if (file === undefined || !fs.existsSync(file)) return;
    const fd = fs.openSync(file, 'r+');
    fs.ftruncateSync(fd, before);
    fs.writeSync(fd, bytes, 0, bytes.length, offset);
    fs.closeSync(fd);
  }
}

function restore(saved: string, path: string, paths: Map<number, string>): void {
  fs.linkSync(saved, path);
  paths.set(fs.statSync(path).ino, path);
}

function* filesIn(folder: string): Generator<{ inode: number; path: string }> {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesIn(path);
    else yield { inode: fs.statSync(path).ino, path };
  }
}

/** The last one may be cut off: what it announces was not done yet. */
function readNotes(bytes: Buffer): Note[] {
  const notes: Note[] = [];
  for (let at = 0; at + 5 <= bytes.length; ) {
    const afterPath = at + 5 + bytes.readUInt32LE(at + 1);
    if (afterPath + 32 > bytes.length) break;
    const number = (index: number) => Number(bytes.readBigUInt64LE(afterPath + 8 * index));
    const end = afterPath + 32 + number(3);
    if (end > bytes.length) break;
    notes.push({
      what: String.fromCharCode(bytes[at] as number),
      path: bytes.toString('utf8', at + 5, afterPath),
      inode: number(0),
      offset: number(1),
      before: number(2),
      bytes: bytes.subarray(afterPath + 32, end),
    });
    at = end;
  }
  return notes;
}
