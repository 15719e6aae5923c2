// Brings a file to the service, which makes it harmless, and tells what is left out. The page never makes nodes of a file that the
// service has not cleaned.
import { checkPicture, getEditedPicture, type Picture, putPicture } from '../../../data/pictures.ts';

export interface Uploaded {
  readonly picture: Picture;
  /** What the file had and the picture has not, such as `script` or `onload=`, and how often. */
  readonly removed: readonly (readonly [string, number])[];
}

const mostBytes = 4 << 20;

export class FileTooLarge extends Error {
  override readonly name = 'FileTooLarge';
}

/** It is stored as a pending edit, which nobody is shown before it is rendered. */
export async function upload(picture: Picture, file: Blob): Promise<Uploaded> {
  if (file.size > mostBytes) throw new FileTooLarge();
  const given = { ...picture, svg: await file.text() };
  await checkPicture(given);
  await putPicture(given);
  const stored = (await getEditedPicture(picture.name)) ?? given;
  return { picture: stored, removed: difference(namesIn(given.svg), namesIn(stored.svg)) };
}

const tag = /<([A-Za-z_][\w:.-]*)((?:\s+[\w:.-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*\/?>/g;
const attribute = /\s([\w:.-]+)\s*=\s*(?:"[^"]*"|'[^']*')/g;
/** Becomes attributes that look the same, or was never drawn. */
const unsaid = /^(?:style=|xmlns|xml:|[\w-]+:[\w.-]+=?$)/;

function namesIn(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  const count = (name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);
  for (const [, name = '', attributes = ''] of text.matchAll(tag)) {
    count(name);
    for (const [, each = ''] of attributes.matchAll(attribute)) count(`${each}=`);
  }
  return counts;
}

function difference(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): [string, number][] {
  return [...before].flatMap(([name, count]): [string, number][] => {
    const gone = count - (after.get(name) ?? 0);
    return gone > 0 && !unsaid.test(name) && name !== 'style' ? [[name, gone]] : [];
  });
}
