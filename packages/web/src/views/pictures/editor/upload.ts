// Brings a file to the service, which makes it harmless, and tells what is left out. The page never makes nodes of a file that the
// service has not cleaned.
import { cleanPicture } from '../../../data/pictures.ts';

export interface Uploaded {
  /** Cleaned. */
  readonly svg: string;
  /** What the file had and the picture has not, such as `script` or `onload=`, and how often. */
  readonly removed: readonly (readonly [string, number])[];
}

/** As the service takes a text at most. */
const mostBytes = 2 << 20;

export class FileTooLarge extends Error {
  override readonly name = 'FileTooLarge';
}

/** Nothing is stored. */
export async function upload(file: Blob): Promise<Uploaded> {
  if (file.size > mostBytes) throw new FileTooLarge();
  const { svg, removed } = await cleanPicture(await file.text());
  return { svg, removed: removed.map(({ name, count }) => [name, count]) };
}
