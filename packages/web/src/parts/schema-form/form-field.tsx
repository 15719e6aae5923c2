// One field of a form: its title, its control, its unit, its help, what the service says against it, and what stands beside it.
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import type { Field } from '../../data/fields.ts';
import { words } from '../../words/words.ts';
import { CodeText } from './doc-text.tsx';
import { FieldInput } from './field-input.tsx';
import { titleOf } from './typed-text.ts';

export interface FormFieldProps {
  readonly field: Field;
  readonly value: string;
  readonly onInput: (text: string) => void;
  readonly fault?: string | undefined;
  /** It is not saved yet. */
  readonly isChanged?: boolean;
  readonly isDisabled?: boolean;
  /** Links and buttons behind the control. */
  readonly actions?: ComponentChildren;
  /** What runs, who changed it. */
  readonly aside?: ComponentChildren;
  /** More help, below. */
  readonly children?: ComponentChildren;
}

export function FormField(props: FormFieldProps) {
  const { field, value, onInput, fault, isChanged = false, isDisabled = false, actions, aside, children } = props;
  const id = useId();
  const { config } = words.value;
  const title = titleOf(field);
  return (
    <div class={`form-field ${isChanged ? 'changed' : ''}`} data-field={field.key}>
      <label for={id}>
        <span>
          {title}
          {field.isRequired && <span title={config.required}> *</span>}
        </span>
        {title !== field.key && <code>{field.key.replace(/^vars\./, '')}</code>}
      </label>
      <div class="form-control">
        <div class="form-line">
          <FieldInput
            id={id}
            field={field}
            value={value}
            onInput={onInput}
            isInvalid={fault !== undefined}
            isDisabled={isDisabled}
            describedBy={`${id}-help${fault === undefined ? '' : ` ${id}-fault`}`}
          />
          {field.unit !== '' && <span class="quiet">{field.unit}</span>}
          {actions}
        </div>
        {fault !== undefined && (
          <p class="form-fault" id={`${id}-fault`}>
            ✕ {fault}
          </p>
        )}
        <p class="form-help" id={`${id}-help`}>
          <span lang="en">
            <CodeText text={field.description} />
          </span>
          {field.default !== '' && <> {config.defaultIs(field.default)}.</>}
        </p>
        {children}
      </div>
      <div class="form-aside">{aside}</div>
    </div>
  );
}
