// The state of a link or a module: a shape and a word, so that it is seen in greyscale. What is as it should be stays grey; what
// nobody follows any more says so.
import { StaleMark } from './quality-mark.tsx';

export type StateLook = 'up' | 'wait' | 'down' | 'failed' | 'off';

const shapes: Readonly<Record<StateLook, string>> = {
  up: 'M10 3 A7 7 0 1 1 9.99 3 Z',
  wait: 'M10 3 A7 7 0 1 1 9.99 3 Z M10 6 V10 H13',
  down: 'M4 4 L16 16 M16 4 L4 16',
  failed: 'M10 2 L19 18 L1 18 Z M10 8 V12 M10 14.5 V15.5',
  off: 'M4 4 H16 V16 H4 Z',
};

export function StateMark({ look, text }: { readonly look: StateLook; readonly text: string }) {
  return (
    <span class={`state state-${look}`}>
      <svg viewBox="0 0 20 20" aria-hidden="true">
        <path d={shapes[look]} />
      </svg>
      {text} <StaleMark />
    </span>
  );
}
