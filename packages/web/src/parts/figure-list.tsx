// Facts about one thing, as a list of names and what they are; a figure that somebody should look at stands out.
import type { ComponentChildren } from 'preact';

export interface Figure {
  readonly what: string;
  readonly value: ComponentChildren;
  readonly isNotable?: boolean;
}

export function FigureList({ facts }: { readonly facts: readonly Figure[] }) {
  return (
    <dl class="figures">
      {facts.map(({ what, value, isNotable }) => (
        <div key={what} class={isNotable === true ? 'notable' : undefined}>
          <dt>{what}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
