// Short notices about what a person has just done; they say it to screen readers too, and go by themselves unless it failed.
import { type ReadonlySignal, signal } from '@preact/signals';
import { words } from '../words/words.ts';

export interface Notice {
  readonly id: number;
  readonly text: string;
  readonly isFailure: boolean;
}

const shown = signal<readonly Notice[]>([]);
export const notices: ReadonlySignal<readonly Notice[]> = shown;

const shownMs = 6000;
const most = 5;

export function notify(text: string, { isFailure = false } = {}): void {
  const id = (shown.peek().at(-1)?.id ?? 0) + 1;
  shown.value = [...shown.peek(), { id, text, isFailure }].slice(-most);
  if (!isFailure) setTimeout(() => dismiss(id), shownMs);
}

export function notifyFailure(error: unknown): void {
  notify(error instanceof Error ? error.message : String(error), { isFailure: true });
}

export function dismiss(id: number): void {
  shown.value = shown.peek().filter((each) => each.id !== id);
}

export function Notices() {
  return (
    <div class="notices" role="status">
      {shown.value.map(({ id, text, isFailure }) => (
        <div key={id} class={`notice ${isFailure ? 'failure' : ''}`}>
          <span>{text}</span>
          <button type="button" class="plain" aria-label={words.value.common.close} onClick={() => dismiss(id)}>
            ✕
          </button>
        </div>
      ))}
    </div>
  );
}
