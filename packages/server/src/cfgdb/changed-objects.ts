// What an edit has changed, for the audit trail: how many objects, and the first of them before and after; bounded, however many
// there are. Secrets are stars.
import { createHash } from 'node:crypto';
import { type Family, parseJson } from '@telltale/schema';
import { masked } from '../secrets/index.ts';
import { maskedObject, secretFamilies } from './configured-secrets.ts';
import { describeChange } from './content.ts';
import type { ObjectChange } from './needed-permissions.ts';
import { areaIn } from './place.ts';

export interface ChangedObjects {
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  /** The first of them, as many as fit. */
  readonly objects: readonly ChangedObject[];
  /** Of all of them, where these are not all. */
  readonly sha256?: string;
  /** It was undone again. */
  readonly isDryRun?: true;
  /** That has been rendered with it, and the one before. */
  readonly revision?: { readonly old: number; readonly new: number };
}

export interface ChangedObject {
  readonly family: Family;
  readonly name: string;
  readonly area: string | undefined;
  /** The object, or, where it was changed, the fields that differ; undefined: there was none. */
  readonly old: unknown;
  readonly new: unknown;
}

const mostShown = 20;
/** Of JSON. */
const mostCharacters = 2000;
/** There may be very many. */
const hashedAtOnce = 1 << 16;
const withSecrets: ReadonlySet<Family> = new Set<Family>(secretFamilies);

export function changedObjects(changes: Iterable<ObjectChange>): ChangedObjects {
  const counts = { added: 0, changed: 0, removed: 0 };
  const objects: ChangedObject[] = [];
  const hash = createHash('sha256');
  let [count, characters] = [0, 0];
  let pending = '';
  for (const change of changes) {
    const { family, name, before, after } = change;
    if (before === after) continue; // it was put as it was
    count++;
    counts[before === undefined ? 'added' : after === undefined ? 'removed' : 'changed']++;
    const text = `${family}/${name}\n${before ?? ''}\n${after ?? ''}\n`;
    pending += withSecrets.has(family) ? masked(text) : text;
    if (pending.length > hashedAtOnce) {
      hash.update(pending);
      pending = '';
    }
    if (objects.length >= mostShown || characters >= mostCharacters) continue;
    const shown = shownChange(change);
    characters += JSON.stringify([shown.old, shown.new]).length;
    if (objects.length === 0 || characters < mostCharacters) objects.push(shown);
  }
  return { ...counts, objects, ...(count > objects.length && { sha256: hash.update(pending).digest('hex') }) };
}

function shownChange({ family, name, before, after }: ObjectChange): ChangedObject {
  const area = areaIn(family, after ?? before ?? '') || undefined;
  const { fields } = describeChange(before, after);
  const whole = (text: string | undefined) => (text === undefined ? undefined : parseJson(text));
  const [old, now] =
    fields === undefined
      ? [whole(before), whole(after)]
      : (['before', 'after'] as const).map((side) =>
          Object.fromEntries(fields.flatMap((each) => (side in each ? [[each.field, each[side]]] : []))),
        );
  return { family, name, area, old: shownOf(old), new: shownOf(now) };
}

function shownOf(value: unknown): unknown {
  return value === undefined ? undefined : maskedObject(value);
}
