// The thread that makes the page ready: finds its build, or has the launcher make it, and reads its files. It ends when it has
// handed them over.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { builtFolder, programs } from '@telltale/launcher';
import { Moved, parentLink } from '../threads/index.ts';
import type { MadePage, PageFile, PageThread } from './made-page.ts';

/** Those that the launcher puts beside a file. */
const codings = { br: '.br', gzip: '.gz' } as const;

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};

parentLink<Record<never, never>, PageThread>({ make });

async function make(): Promise<Moved<MadePage>> {
  const folder = await builtFolder(programs.page);
  const moved: ArrayBuffer[] = [];
  const index = readFile(join(folder, 'index.html'), moved);
  const assets = new Map<string, PageFile>();
  for (const name of readdirSync(join(folder, 'assets'))) {
    if (types[extname(name)] !== undefined) assets.set(name, readFile(join(folder, 'assets', name), moved));
  }
  const version = createHash('sha256').update(index.codings.identity).digest('base64url').slice(0, 22);
  return new Moved({ version, index, assets }, moved);
}

function readFile(path: string, moved: ArrayBuffer[]): PageFile {
  const read = (file: string) => {
    const bytes = new Uint8Array(readFileSync(file)); // a copy: of a buffer with others, nothing could be moved
    moved.push(bytes.buffer);
    return bytes;
  };
  const packed = Object.entries(codings).filter(([, suffix]) => existsSync(path + suffix));
  return {
    type: types[extname(path)] ?? 'application/octet-stream',
    codings: {
      identity: read(path),
      ...Object.fromEntries(packed.map(([coding, suffix]) => [coding, read(path + suffix)])),
    },
  };
}
