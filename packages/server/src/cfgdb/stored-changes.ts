// Finds changes in what a revision has stored of them, a JSON list as bytes, without parsing it: it may have 100,000 of them.
// No text within has the quotes that are looked for, since it would have them escaped; maps are told by what stands before.
import { type Change, type Family, parseJson } from '@telltale/schema';
import type { Rename } from './renamed-references.ts';

/** With this every change begins, behind `[` or a comma; the maps of an object stand behind a colon. */
const opening = '{"family":"';
/** More than the members that are read have. */
const mostHeadBytes = 320;

/** What became of one object; undefined where nothing did. */
export function changeOf(text: Buffer, family: Family, name: string): Change | undefined {
  const head = `${opening}${family}","name":"${name}",`;
  for (let at = text.indexOf(head); at >= 0; at = text.indexOf(head, at + 1)) {
    if (!isOpening(text, at)) continue;
    const next = text.indexOf(`,${opening}`, at);
    return parseJson(text.toString('utf8', at, next < 0 ? text.length - 1 : next)) as Change;
  }
  return undefined;
}

export function renamesIn(text: Buffer): Rename[] {
  const form = /^\{"family":"(\w+)","name":"(\w+)","change":"added","renamedFrom":"(\w+)"/;
  return Array.from(heads(text, '"change":"added","renamedFrom":"', form), ([, family, to = '', from = '']) => ({
    family: family as Rename['family'],
    from,
    to,
  }));
}

export function removalsIn(text: Buffer): { family: Family; name: string }[] {
  const form = /^\{"family":"([a-z-]+)","name":"(\w+)","change":"removed"/;
  return Array.from(heads(text, '"change":"removed"', form), ([, family, name = '']) => ({
    family: family as Family,
    name,
  }));
}

function* heads(text: Buffer, mark: string, form: RegExp): Generator<RegExpExecArray> {
  for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) {
    const start = text.lastIndexOf(opening, at);
    if (start < 0 || at - start > mostHeadBytes || !isOpening(text, start)) continue;
    const found = form.exec(text.toString('latin1', start, start + mostHeadBytes));
    if (found !== null && start + found[0].length > at) yield found;
  }
}

function isOpening(text: Buffer, at: number): boolean {
  const before = text[at - 1];
  return before === 0x5b || before === 0x2c; // [ or a comma
}
