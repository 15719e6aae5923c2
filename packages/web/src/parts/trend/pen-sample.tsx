// A short piece of a pen's line, with its dash: how it is told from the others.
import { penDash } from './colours.ts';

export function PenSample({ colour }: { readonly colour: number }) {
  return (
    <svg class="trend-sample" viewBox="0 0 28 8" aria-hidden="true">
      <line x1="0" y1="4" x2="28" y2="4" stroke-dasharray={penDash(colour).join(' ')} />
    </svg>
  );
}
