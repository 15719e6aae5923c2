// What a person chooses for this browser: theme, language, time zone and density. Kept in its local storage.
import { effect, type Signal, signal } from '@preact/signals';

export const themes = ['light', 'dark', 'contrast'] as const;
export type Theme = (typeof themes)[number];
export const languages = ['en', 'de'] as const;
export type Language = (typeof languages)[number];
export const zoneChoices = ['plant', 'browser', 'UTC'] as const;
export type ZoneChoice = (typeof zoneChoices)[number];

function chosen<Choice extends string>(name: string, choices: readonly Choice[], otherwise: Choice): Signal<Choice> {
  const kept = keptText(name) as Choice | null;
  const choice = signal(kept !== null && choices.includes(kept) ? kept : otherwise);
  let isFirst = true;
  effect(() => {
    const value = choice.value;
    if (isFirst) isFirst = false;
    else keepText(name, value);
  });
  return choice;
}

/** Storage may be refused: then a choice lasts as long as the page. */
export function keptText(name: string): string | null {
  try {
    return localStorage.getItem(`telltale.${name}`);
  } catch {
    return null;
  }
}

export function keepText(name: string, value: string): void {
  try {
    localStorage.setItem(`telltale.${name}`, value);
  } catch {
    // As in keptText.
  }
}

const browserLanguage = globalThis.navigator?.language?.startsWith('de') ? 'de' : 'en';

export const theme = chosen('theme', themes, 'light');
export const language = chosen('language', languages, browserLanguage);
export const zoneChoice = chosen('zone', zoneChoices, 'plant');

export function startSettings(): void {
  effect(() => {
    document.documentElement.dataset.theme = theme.value;
    document.documentElement.lang = language.value;
  });
}
