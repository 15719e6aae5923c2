// Check and compact, with how far they have come.
import { useSignal } from '@preact/signals';
import { type ArchiveProgress, type Care, takeCare } from '../../data/archive.ts';
import { bytesText } from '../../parts/figure-text.ts';
import { ProblemText } from '../../parts/problem-text.tsx';
import { useTask } from '../../parts/use-task.ts';
import { words } from '../../words/words.ts';

const cares = ['check', 'compact'] as const;

export function ArchiveCare({ onDone }: { readonly onDone: () => void }) {
  const { archive, common } = words.value;
  const { isUnderway, error, run, stop } = useTask();
  const which = useSignal<Care>('check');
  const step = useSignal<ArchiveProgress | undefined>(undefined);
  const begin = (care: Care) =>
    run(async (signal) => {
      which.value = care;
      step.value = undefined;
      for await (const each of takeCare(care, signal)) step.value = each;
      onDone();
    });
  const progress = step.value;
  const found = progress?.damages?.length ?? 0;
  return (
    <section class="panel">
      <h2>{archive.care}</h2>
      {cares.map((care) => (
        <p key={care} class="row">
          <button type="button" disabled={isUnderway} onClick={() => void begin(care)}>
            {archive.cares[care]}
          </button>
          <span class="quiet">{archive.caresWhy[care]}</span>
        </p>
      ))}
      {isUnderway && (
        <p class="row" role="status">
          {archive.cares[which.value]}
          <progress max={Math.max(1, progress?.['total-bytes'] ?? 1)} value={progress?.['done-bytes'] ?? 0} />
          {progress !== undefined &&
            common.partOf(bytesText(progress['done-bytes']), bytesText(progress['total-bytes']))}
          <button type="button" onClick={stop}>
            {common.cancel}
          </button>
        </p>
      )}
      {!isUnderway && progress?.done && (
        <p role="status">
          {which.value === 'check'
            ? found === 0
              ? `✓ ${archive.checkedWell}`
              : archive.damaged(found)
            : `✓ ${archive.compacted}`}
        </p>
      )}
      {error !== undefined && <ProblemText error={error} />}
    </section>
  );
}
