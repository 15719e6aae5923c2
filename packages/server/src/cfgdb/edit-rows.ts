// When and by whom an object was put or deleted, in its row.
import { type Family, familyNames } from '@telltale/schema';
import type { Edit } from './revisions.ts';

export interface EditRow {
  readonly changedAt: number;
  readonly changedBy: string;
}

export function toEdit({ changedAt, changedBy }: EditRow): Edit {
  return { timeUs: changedAt, author: changedBy };
}

/** All that a row has, for its checksum; an object's text by itself, since it may be long. */
export function rowTexts(text: string, { timeUs, author }: Edit): string[] {
  return [text, `\n${timeUs}\n${author}`];
}

export function noEdits(): { readonly [F in Family]: Map<string, Edit> } {
  return Object.fromEntries(familyNames.map((family) => [family, new Map()])) as unknown as {
    [F in Family]: Map<string, Edit>;
  };
}
