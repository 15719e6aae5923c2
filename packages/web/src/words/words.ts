// What the page says, in the language of its reader. Every text of the page is in these tables, one file a section and
// language; English is the form that the others must have.
import { type ReadonlySignal, signal } from '@preact/signals';
import { type Language, language } from '../settings.ts';
import { en } from './en/index.ts';

export type Words = typeof en;

const table = signal<Words>(en);

/** `words.value.points.filter`; texts that depend on a number or a name are functions. */
export const words: ReadonlySignal<Words> = table;

const loaders: Readonly<Record<Language, () => Promise<Words>>> = {
  en: async () => en,
  de: async () => (await import('./de/index.ts')).de,
};

/** Resolves when the texts of the language are there. */
export async function loadWords(): Promise<void> {
  await load(language.value);
  language.subscribe((chosen) => void load(chosen));
}

async function load(chosen: Language): Promise<void> {
  // Without a link, the texts stay as they are.
  const found = await loaders[chosen]().catch(() => table.peek());
  if (language.value === chosen) table.value = found;
}

/** A decimal number as it is written in the reader's language; what is no number stays. */
export function localNumber(text: string): string {
  return language.value === 'de' && /^[+-]?\d*\.\d+$/.test(text) ? text.replace('.', ',') : text;
}

/** A number that a person has typed, with the decimal separator of any language, as the service wants it. */
export function plainNumber(text: string): string {
  const typed = text.trim();
  return /^[+-]?\d*,\d+$/.test(typed) ? typed.replace(',', '.') : typed;
}
