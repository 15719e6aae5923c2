// Keys that work everywhere, and those that a view adds while it is shown. Keys that are typed into a field are the field's.
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

export interface Key {
  /** As in `KeyboardEvent.key`; with `Ctrl+` before it where that is held. */
  readonly key: string;
  readonly text: string;
  readonly run: () => void;
}

const active = signal<readonly Key[]>([]);

/** All that work now, for the help. */
export const keys = active;

export function startKeys(): void {
  addEventListener('keydown', (event) => {
    const name = `${event.ctrlKey || event.metaKey ? 'Ctrl+' : ''}${event.key}`;
    if (event.altKey || event.defaultPrevented || (isTyping(event) && !name.startsWith('Ctrl+'))) return;
    const found = active.value.findLast(({ key }) => key.toLowerCase() === name.toLowerCase());
    if (found === undefined || (isDialogOpen() && found.key !== 'Escape')) return;
    event.preventDefault();
    found.run();
  });
}

/** The keys work as long as the component is shown; those of the newest win. */
export function useKeys(made: () => readonly Key[], dependencies: readonly unknown[]): void {
  useEffect(() => {
    const own = made();
    active.value = [...active.peek(), ...own];
    return () => {
      active.value = active.peek().filter((each) => !own.includes(each));
    };
  }, [...dependencies]);
}

function isTyping({ target }: KeyboardEvent): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]');
}

function isDialogOpen(): boolean {
  return document.querySelector('dialog[open]') !== null;
}
