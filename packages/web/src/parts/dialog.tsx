// A modal dialog on the browser's own element: Escape closes it, the focus stays in it and goes back afterwards.
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { siteName } from '../data/sites.ts';
import { words } from '../words/words.ts';

export interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  /** Buttons at its end. */
  readonly actions?: ComponentChildren;
  readonly class?: string;
}

export function Dialog({ title, onClose, children, actions, class: className = '' }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    // Not the button that closes it, which stands first.
    dialog?.querySelector<HTMLElement>('.dialog-body :is(input, select, textarea, button, a[href])')?.focus();
    return () => dialog?.close();
  }, []);
  const onCancel = (event: Event) => {
    event.preventDefault();
    onClose();
  };
  return (
    <dialog ref={ref} class={`dialog ${className}`} aria-labelledby={id} onCancel={onCancel}>
      <header class="dialog-head">
        <h2 id={id}>
          {siteName.value !== '' && <span class="site-tag">{siteName.value}</span>} {title}
        </h2>
        <button type="button" class="plain" aria-label={words.value.common.close} onClick={onClose}>
          ✕
        </button>
      </header>
      <div class="dialog-body">{children}</div>
      {actions !== undefined && <footer class="dialog-actions">{actions}</footer>}
    </dialog>
  );
}
