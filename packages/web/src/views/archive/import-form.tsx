// A file of CSV into the archive: its first lines, where they go, how far it has come, and what was refused.
import { useSignal } from '@preact/signals';
import { type ImportProgress, importCsv } from '../../data/archive.ts';
import { submits, typedInto } from '../../parts/fields.tsx';
import { bytesText } from '../../parts/figure-text.ts';
import { ProblemText } from '../../parts/problem-text.tsx';
import { useTask } from '../../parts/use-task.ts';
import { words } from '../../words/words.ts';
import { KindField } from './interval-fields.tsx';

const kinds = ['measurements', 'commands'] as const;
const previewBytes = 16_384;
const previewLines = 8;
const longestLine = 200;

export function ImportForm({ onDone }: { readonly onDone: () => void }) {
  const { archive, common } = words.value;
  const kind = useSignal<(typeof kinds)[number]>('measurements');
  const name = useSignal('');
  const file = useSignal<File | undefined>(undefined);
  const preview = useSignal<readonly string[]>([]);
  const progress = useSignal<ImportProgress | undefined>(undefined);
  const { isUnderway, error, run, stop, forget } = useTask();
  const choose = async (chosen: File | undefined) => {
    forget();
    progress.value = undefined;
    file.value = chosen;
    const text = (await chosen?.slice(0, previewBytes).text()) ?? '';
    if (file.peek() === chosen) preview.value = text.split(/\r?\n/).slice(0, previewLines);
  };
  const begin = () =>
    run(async (signal) => {
      const chosen = file.peek();
      if (chosen === undefined) return;
      await importCsv(kind.peek(), name.peek().trim(), chosen, (step) => (progress.value = step), signal);
      onDone();
    });
  const step = progress.value;
  const isDone = !isUnderway && error === undefined && step !== undefined && step.doneBytes === step.totalBytes;
  return (
    <section class="panel">
      <h2>{archive.importing}</h2>
      <p class="quiet">{archive.importWhy}</p>
      <form class="archive-form" onSubmit={submits(begin)}>
        <label class="row">
          {archive.file}
          <input
            type="file"
            accept=".csv,text/csv"
            required
            onChange={({ currentTarget }) => void choose(currentTarget.files?.[0])}
          />
        </label>
        {file.value !== undefined && (
          <textarea class="archive-preview mono" readOnly wrap="off" rows={6} aria-label={archive.preview}>
            {preview.value.map((line) => line.slice(0, longestLine)).join('\n')}
          </textarea>
        )}
        <KindField kinds={kinds} kind={kind} />
        <label class="row">
          {archive.oneName}
          <input class="mono" required pattern="[_0-9a-zA-Z]{1,64}" {...typedInto(name)} spellcheck={false} />
        </label>
        <div class="row">
          <button type="submit" class="main" disabled={isUnderway || file.value === undefined}>
            {archive.importNow}
          </button>
          {isUnderway && step !== undefined && (
            <>
              <progress max={Math.max(1, step.totalBytes)} value={step.doneBytes} />
              <span role="status">{common.partOf(bytesText(step.doneBytes), bytesText(step.totalBytes))}</span>
              <button type="button" onClick={stop}>
                {common.cancel}
              </button>
            </>
          )}
        </div>
      </form>
      {isDone && <p role="status">✓ {archive.imported(step.nextLine - 1)}</p>}
      {error !== undefined && (
        <>
          {step !== undefined && <p>{archive.refusedFrom(step.nextLine)}</p>}
          <ProblemText error={error} />
        </>
      )}
    </section>
  );
}
