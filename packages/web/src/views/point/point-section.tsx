// A part of the drawer with its title; those that are read when somebody opens them.
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';

export interface PointSectionProps {
  readonly title: string;
  /** Beside the title. */
  readonly link?: ComponentChildren;
  readonly id?: string;
  readonly children: ComponentChildren;
}

export function PointSection({ title, link, id, children }: PointSectionProps) {
  return (
    <section class="point-section" id={id}>
      <header>
        <h2>{title}</h2>
        {link}
      </header>
      {children}
    </section>
  );
}

/** Its children come when it is opened. */
export function FoldedSection({
  title,
  children,
}: Pick<PointSectionProps, 'title'> & { readonly children: () => ComponentChildren }) {
  const isOpen = useSignal(false);
  return (
    <details
      class="point-section"
      onToggle={({ currentTarget }) => {
        isOpen.value = currentTarget.open;
      }}
    >
      <summary>{title}</summary>
      {isOpen.value && children()}
    </details>
  );
}
