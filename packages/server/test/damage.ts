// Damages files one at a time, as disks and people do: a bit flipped, the end cut off, emptied, removed. DAMAGE_POSITIONS
// says at how many places of each file.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const positions = Number(process.env.DAMAGE_POSITIONS ?? 16);

export interface Damage {
  readonly title: string;
  apply(folder: string): void;
}

/** Every damage to every file of the folder that `of` names. */
export function damagesTo(folder: string, of: readonly string[]): Damage[] {
  return of.flatMap((name): Damage[] => {
    const { size } = statSync(join(folder, name));
    // Odd steps: fields of headers, and all bits of a byte, come up in turn.
    const places = Array.from({ length: Math.min(positions, size) }, (_, at) => Math.floor((at * size) / positions));
    return [
      ...places.map((at, index) => ({
        title: `bit ${index % 8} of byte ${at} of ${name} is flipped`,
        apply: (folder: string) => change(join(folder, name), (bytes) => flip(bytes, at, index % 8)),
      })),
      ...places.slice(1).map((at) => ({
        title: `${name} is cut off at ${at}`,
        apply: (folder: string) => change(join(folder, name), (bytes) => bytes.subarray(0, at)),
      })),
      { title: `${name} is emptied`, apply: (folder) => writeFileSync(join(folder, name), '') },
      { title: `${name} is removed`, apply: (folder) => rmSync(join(folder, name)) },
    ];
  });
}

/** The files of one folder, in another one that is new. */
export function copyFiles(from: string, to: string): void {
  mkdirSync(to);
  for (const name of readdirSync(from)) copyFileSync(join(from, name), join(to, name));
}

function change(path: string, make: (bytes: Buffer) => Uint8Array): void {
  writeFileSync(path, make(readFileSync(path)));
}

function flip(bytes: Buffer, at: number, bit: number): Buffer {
  bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
  return bytes;
}
