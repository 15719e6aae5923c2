// Named trends, which everybody shares: the list, and saving what is drawn as one.
import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { listTrends, saveTrend } from '../../data/named-trends.ts';
import { overview, revision } from '../../data/overview.ts';
import { may } from '../../data/session.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { notify } from '../../parts/notices.tsx';
import { ProblemText } from '../../parts/problem-text.tsx';
import type { TrendParts } from '../../parts/trend/trend-parts.ts';
import { useRead } from '../../parts/use-read.ts';
import { words } from '../../words/words.ts';
import { trendOf } from './trend-form.ts';

export interface NamedTrendsProps {
  readonly parts: TrendParts;
  readonly name: string | undefined;
}

export function NamedTrends({ parts, name }: NamedTrendsProps) {
  const { trends } = words.value;
  const isSaving = useSignal(false);
  const mayRead = may('read-config');
  const edits = overview.value?.configuration?.edits;
  const read = (signal: AbortSignal) => listTrends(mayRead, signal);
  const { value: found, error, again } = useRead(read, [mayRead, revision.value, edits]);
  const isEmpty = parts.model.pens.value.length === 0;
  return (
    <section class="named-trends" aria-label={trends.named}>
      <h2>{trends.named}</h2>
      {error !== undefined && <ProblemText error={error} />}
      {found?.length === 0 && <p class="quiet">{may('configure') ? trends.noNamed : words.value.common.none}</p>}
      <ul>
        {found?.map((each) => (
          <li key={each.name}>
            {each.isPending ? (
              <>
                {each.name} <a href="/config/changes">✎ {trends.pending}</a>
              </>
            ) : (
              <a href={`/trends/${each.name}`} aria-current={each.name === name ? 'page' : undefined}>
                {each.name}
              </a>
            )}
            {each.description !== '' && <span class="quiet"> {each.description}</span>}
          </li>
        ))}
      </ul>
      {may('configure') && !isEmpty && (
        <button type="button" onClick={() => (isSaving.value = true)}>
          {trends.saveAs}
        </button>
      )}
      {isSaving.value && (
        <SaveDialog
          parts={parts}
          name={name}
          onClose={() => {
            isSaving.value = false;
            again();
          }}
        />
      )}
    </section>
  );
}

function SaveDialog({ parts, name, onClose }: NamedTrendsProps & { readonly onClose: () => void }) {
  const { trends, common } = words.value;
  const { model, drawing } = parts;
  const id = useId();
  const newName = useSignal(name ?? '');
  const description = useSignal(model.title.peek() === name ? '' : (model.title.peek() ?? ''));
  const error = useSignal<unknown>(undefined);
  const save = async (event: Event) => {
    event.preventDefault();
    try {
      await saveTrend(trendOf(newName.value, description.value, model, drawing?.known() ?? []));
      notify(trends.saved(newName.value));
      onClose();
    } catch (caught) {
      error.value = caught;
    }
  };
  return (
    <Dialog
      title={trends.saveAs}
      onClose={onClose}
      actions={
        <>
          <button type="button" onClick={onClose}>
            {common.cancel}
          </button>
          <button type="submit" class="main" form={id}>
            {common.save}
          </button>
        </>
      }
    >
      <form id={id} class="named-trend-form" onSubmit={(event) => void save(event)}>
        <label for={`${id}-name`}>{common.name}</label>
        <input
          id={`${id}-name`}
          required
          maxLength={64}
          pattern="[_a-zA-Z0-9]{1,64}"
          title={trends.nameForm}
          value={newName.value}
          onInput={(event) => (newName.value = event.currentTarget.value)}
        />
        <label for={`${id}-description`}>{common.description}</label>
        <input
          id={`${id}-description`}
          value={description.value}
          onInput={(event) => (description.value = event.currentTarget.value)}
        />
        <p class="quiet">{trends.savedWhy}</p>
        {error.value !== undefined && <ProblemText error={error.value} />}
      </form>
    </Dialog>
  );
}
