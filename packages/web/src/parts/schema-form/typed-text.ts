// Texts of fields as people see and type them: numbers with the decimal separator of their language.
import type { Field } from '../../data/fields.ts';
import { localNumber, plainNumber, words } from '../../words/words.ts';

/** As the service reads it. An apostrophe before a text, as spreadsheets are given it, is none of it. */
export function typedText(field: Field, text: string): string {
  const bare = text.startsWith("'") ? text.slice(1) : text;
  return field.kind === 'number' || field.kind === 'integer' ? plainNumber(bare) : bare;
}

export function shownText(field: Field, text: string): string {
  if (field.kind === 'number') return localNumber(text);
  if (field.kind === 'boolean' && text === 'true') return words.value.common.yes;
  if (field.kind === 'boolean' && text === 'false') return words.value.common.no;
  return text;
}

/** The service says it in English; what the page has in the language of its reader is taken from there. */
export function titleOf({ key, title }: Pick<Field, 'key' | 'title'>): string {
  const { fieldTitles } = words.value.config;
  return Object.hasOwn(fieldTitles, key) ? (fieldTitles[key] ?? title) : title;
}
