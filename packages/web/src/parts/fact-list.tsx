// Titles and what they say, one below the other; what says nothing is left out.
import type { ComponentChildren } from 'preact';

export type Fact = readonly [title: string, content: ComponentChildren];

export function FactList({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl class="facts">
      {facts.map(
        ([title, content]) =>
          content !== undefined &&
          content !== '' && (
            <div key={title}>
              <dt>{title}</dt>
              <dd>{typeof content === 'string' ? <bdi>{content}</bdi> : content}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
