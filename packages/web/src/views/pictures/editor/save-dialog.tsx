// Before a picture is saved: what changes, and whether the service would take it.

import { useSignal } from '@preact/signals';
import { readOverview } from '../../../data/overview.ts';
import { checkPicture, getEditedPicture, putPicture } from '../../../data/pictures.ts';
import { Dialog } from '../../../parts/dialog.tsx';
import { ProblemText } from '../../../parts/problem-text.tsx';
import { useRead } from '../../../parts/use-read.ts';
import { words } from '../../../words/words.ts';
import { type Binding, bindingsIn, type Draft, type EditorModel, emptyDrawing } from './editor-model.ts';

const mostLines = 200;

export function SaveDialog({
  model,
  onClose,
}: {
  readonly model: EditorModel;
  readonly onClose: (isSaved: boolean) => void;
}) {
  const { common, pictures } = words.value;
  const { editor } = pictures;
  const draft = model.draft.peek();
  const check = useRead(() => checkPicture(draft).then(() => true), [draft]);
  const failure = useSignal<unknown>(undefined);
  const isSaving = useSignal(false);
  const lines = changesOf(model.stored.peek(), draft);
  const save = async () => {
    isSaving.value = true;
    try {
      await putPicture(draft);
      model.noteStored(draft);
      const stored = await getEditedPicture(draft.name);
      // What the service has made of it is what is edited on.
      if (stored !== undefined && stored.svg !== draft.svg) model.change(stored);
      model.noteStored(stored ?? draft);
      void readOverview();
      onClose(true);
    } catch (error) {
      failure.value = error;
      isSaving.value = false;
    }
  };
  const error = failure.value ?? check.error;
  return (
    <Dialog
      title={editor.save}
      onClose={() => onClose(false)}
      actions={
        <>
          <button type="button" onClick={() => onClose(false)}>
            {common.cancel}
          </button>
          <button
            type="button"
            class="main"
            disabled={check.value !== true || isSaving.value}
            onClick={() => void save()}
          >
            {common.save}
          </button>
        </>
      }
    >
      {error !== undefined && <ProblemText error={error} />}
      {check.isLoading && <p class="quiet">{editor.checking}</p>}
      {lines.length === 0 && <p class="quiet">{editor.noDifference}</p>}
      <ul class="pictures-changes" aria-label={editor.difference}>
        {lines.slice(0, mostLines).map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      {lines.length > mostLines && <p class="quiet">{editor.moreChanges(lines.length - mostLines)}</p>}
      <p class="quiet">{editor.saveHelp}</p>
    </Dialog>
  );
}

function changesOf(before: Draft | undefined, after: Draft): string[] {
  const { editor } = words.value.pictures;
  const lines: string[] = [];
  if (before === undefined) lines.push(editor.isNew);
  for (const field of ['description', 'area'] as const) {
    const [old = '', now = ''] = [before?.[field], after[field]];
    if (old !== now) lines.push(editor.changed(field, old, now));
  }
  const [old, now] = [before, after].map((each) => new URLSearchParams(each?.parameters ?? {}).toString());
  if (old !== now) lines.push(editor.changed('parameters', old ?? '', now ?? ''));
  const keyOf = ({ label, attribute, value }: Binding) => `${label}: ${attribute}="${value}"`;
  const [were, are] = [bindingsIn(before?.svg ?? emptyDrawing).map(keyOf), bindingsIn(after.svg).map(keyOf)];
  lines.push(...without(were, are).map((key) => `− ${key}`), ...without(are, were).map((key) => `+ ${key}`));
  if (before !== undefined && before.svg !== after.svg) lines.push(editor.drawingChanged);
  return [...new Set(lines)];
}

/** Those that the others have less often. */
function without(all: readonly string[], others: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const each of others) left.set(each, (left.get(each) ?? 0) + 1);
  return all.filter((each) => {
    const count = left.get(each) ?? 0;
    left.set(each, count - 1);
    return count <= 0;
  });
}
