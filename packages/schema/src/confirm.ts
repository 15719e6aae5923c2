// How an action is confirmed before it is done: not at all, by a reason, by the signature of who does it, or by that of a
// second person as well. A command says it in its properties, the service in its settings.
import type { PropertyFault } from './module-properties.ts';

export const confirmLevels = ['none', 'reason', 'sign', 'two-person'] as const;
export type ConfirmLevel = (typeof confirmLevels)[number];

export interface Confirm {
  readonly level: ConfirmLevel;
  /** The programs that need not confirm, such as module/loop. */
  readonly except: ReadonlySet<string>;
}

export const noConfirm: Confirm = { level: 'none', except: new Set() };

/** The properties of a command. */
export const confirmProperty = 'confirm';
export const confirmExceptProperty = 'confirmExcept';

type Properties = Readonly<Record<string, string>> | undefined;

const programForm = /^(module|provider|token|certificate)\/[A-Za-z0-9_][A-Za-z0-9_.@-]{0,63}$/;

export function readConfirm(properties: Properties): Confirm {
  const level = confirmLevels.find((each) => each === textOf(properties, confirmProperty)) ?? 'none';
  if (level === 'none') return noConfirm;
  return { level, except: readPrograms(textOf(properties, confirmExceptProperty) ?? '') };
}

export function confirmFaults(properties: Properties): PropertyFault[] {
  const faults: PropertyFault[] = [];
  const level = textOf(properties, confirmProperty);
  if (level !== undefined && !confirmLevels.some((each) => each === level)) {
    faults.push({ property: confirmProperty, message: `must be one of ${confirmLevels.join(', ')}` });
  }
  const message = programsFault(textOf(properties, confirmExceptProperty) ?? '');
  if (message !== undefined) faults.push({ property: confirmExceptProperty, message });
  return faults;
}

/** Identities of programs, separated by commas or white space. */
export function readPrograms(text: string): ReadonlySet<string> {
  return new Set(itemsOf(text));
}

/** What is wrong with such a list; undefined: nothing. */
export function programsFault(text: string): string | undefined {
  const wrong = itemsOf(text).find((item) => !programForm.test(item));
  if (wrong === undefined) return undefined;
  return `${JSON.stringify(wrong.slice(0, 80))} is no program: write such as module/loop, provider/scada or token/recipes`;
}

function textOf(properties: Properties, property: string): string | undefined {
  return properties !== undefined && Object.hasOwn(properties, property) ? properties[property] : undefined;
}

function itemsOf(text: string): string[] {
  return text.split(/[\s,]+/).filter((item) => item !== '');
}
