// Differences as people read them: an object a line, and below it each field before and after.
import { useSignal } from '@preact/signals';
import type { Family } from '@telltale/schema/values';
import { fromTimestamp } from '@telltale/schema/values';
import type { ComponentChildren } from 'preact';
import { personText } from '../../parts/person-text.ts';
import { momentText } from '../../parts/times.ts';
import { words } from '../../words/words.ts';
import { fieldLines, type ShownChange } from './field-lines.ts';

export interface ChangeListProps {
  readonly changes: readonly ShownChange[];
  /** Of changes that do not name theirs. */
  readonly family?: Family;
  readonly actions?: ((change: ShownChange) => ComponentChildren) | undefined;
}

/** More are shown on request. */
const step = 100;
const mostShown = 500;

export function ChangeList({ changes, family, actions }: ChangeListProps) {
  const { config } = words.value;
  const most = useSignal(step);
  return (
    <>
      <ul class="change-list">
        {changes.slice(0, most.value).map((change) => (
          <ChangeItem
            key={`${change.family ?? family} ${change.name} ${change.change}`}
            change={change}
            family={change.family ?? family}
            actions={actions?.(change)}
          />
        ))}
      </ul>
      {changes.length > most.value && (
        <button
          type="button"
          onClick={() => {
            most.value += step * 10;
          }}
        >
          {config.showMore(changes.length - most.value)}
        </button>
      )}
    </>
  );
}

const marks = { added: '+', changed: '~', removed: '−' } as const;

interface ChangeItemProps {
  readonly change: ShownChange;
  readonly family: Family | undefined;
  readonly actions: ComponentChildren;
}

function ChangeItem({ change, family, actions }: ChangeItemProps) {
  const { config } = words.value;
  const { name, change: kind, renamedFrom, fields, time, author, row } = change;
  return (
    <li class={`change change-${kind}`}>
      <div class="change-head">
        <b class="change-mark" aria-hidden="true">
          {marks[kind]}
        </b>
        <span class="quiet">{config.changeWords[kind]}</span>
        {family !== undefined && <span class="quiet">{config.one[family]}</span>}
        {kind === 'removed' || family === undefined ? <b>{name}</b> : <a href={`/config/${family}/${name}`}>{name}</a>}
        {renamedFrom !== undefined && <span>{config.renamedFrom(renamedFrom)}</span>}
        {row !== undefined && <span class="quiet">{config.row(row)}</span>}
        {time !== undefined && (
          <span class="quiet grow">
            {personText(author ?? '')}, {momentText(fromTimestamp([time[0], time[1]]))}
          </span>
        )}
        {actions}
      </div>
      {fields !== undefined && fields.length > 0 && (
        <dl class="change-fields">
          {fieldLines(fields).map(({ field, before, after }) => (
            <div key={field}>
              <dt>{field}</dt>
              <dd>
                <Before text={before} /> → <After text={after} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </li>
  );
}

function Before({ text }: { readonly text: string | undefined }) {
  return text === undefined ? <i class="quiet">{words.value.config.notSet}</i> : <del>{shortened(text)}</del>;
}

function After({ text }: { readonly text: string | undefined }) {
  return text === undefined ? <i class="quiet">{words.value.config.notSet}</i> : <ins>{shortened(text)}</ins>;
}

function shortened(text: string): string {
  return text.length > mostShown ? `${text.slice(0, mostShown).toWellFormed()}…` : text;
}
