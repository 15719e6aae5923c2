// A table from a file, CSV or a workbook: what it would change, or what is wrong with which row and column; then it is taken.
import { useSignal } from '@preact/signals';
import type { TableResult } from '@telltale/schema';
import type { Family } from '@telltale/schema/values';
import { useEffect, useId } from 'preact/hooks';
import { saveTable, tryTable } from '../../data/configuration.ts';
import { notify } from '../../parts/notices.tsx';
import { ProblemText } from '../../parts/problem-text.tsx';
import { words } from '../../words/words.ts';
import { ChangeList } from './change-list.tsx';
import { ActionDialog } from './object-dialogs.tsx';

export function UploadDialog({ family, onClose }: { readonly family: Family; readonly onClose: () => void }) {
  const { config } = words.value;
  const file = useSignal<File | undefined>(undefined);
  const deleteMissing = useSignal(false);
  const result = useSignal<TableResult | undefined>(undefined);
  const error = useSignal<unknown>(undefined);
  const id = useId();
  useEffect(() => {
    const chosen = file.value;
    result.value = undefined;
    error.value = undefined;
    if (chosen === undefined) return;
    let isOver = false;
    tryTable(family, chosen, deleteMissing.value).then(
      (found) => {
        if (!isOver) result.value = found;
      },
      (thrown: unknown) => {
        if (!isOver) error.value = thrown;
      },
    );
    return () => {
      isOver = true;
    };
  }, [file.value, deleteMissing.value]);
  const found = result.value;
  return (
    <ActionDialog
      title={config.uploadTitle(config.families[family])}
      action={config.takeTable}
      isReady={found !== undefined}
      onClose={onClose}
      run={async () => {
        if (file.value === undefined) return;
        const taken = await saveTable(family, file.value, { deleteMissing: deleteMissing.value });
        notify(config.counts(taken));
      }}
    >
      <div class="dialog-form">
        <label for={id}>{config.file}</label>
        <input
          id={id}
          type="file"
          accept=".csv,.xlsx,.txt,text/csv"
          onChange={(event) => {
            file.value = event.currentTarget.files?.[0];
          }}
        />
      </div>
      <p>
        <label>
          <input
            type="checkbox"
            checked={deleteMissing.value}
            onChange={(event) => {
              deleteMissing.value = event.currentTarget.checked;
            }}
          />{' '}
          {config.deleteMissing}
        </label>
      </p>
      {file.value !== undefined && found === undefined && error.value === undefined && (
        <p class="quiet">{words.value.common.loading}</p>
      )}
      {error.value !== undefined && <ProblemText error={error.value} />}
      {found !== undefined && (
        <>
          <p role="status">✓ {config.counts(found)}</p>
          <ChangeList changes={found.changes ?? []} family={family} />
        </>
      )}
    </ActionDialog>
  );
}
