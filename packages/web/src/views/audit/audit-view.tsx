// Who did what: the audit trail, the newest record first, older ones as somebody scrolls; each whole on demand; and its export.
import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { exportAudit } from '../../data/audit.ts';
import { may } from '../../data/session.ts';
import { ColumnChooser } from '../../parts/live-grid/column-chooser.tsx';
import { useGridLayout } from '../../parts/live-grid/grid-layout.ts';
import { rowsOf } from '../../parts/live-grid/grid-model.ts';
import { LiveGrid } from '../../parts/live-grid/live-grid.tsx';
import { NotPermitted } from '../../parts/not-permitted.tsx';
import { now } from '../../parts/now.ts';
import { PastNote } from '../../parts/past-note.tsx';
import { ProblemText } from '../../parts/problem-text.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { saveBlob } from '../../parts/save-file.ts';
import { dayText } from '../../parts/times.ts';
import { useTask } from '../../parts/use-task.ts';
import { hereWith, setViewQuery, viewQueryOf } from '../../router.ts';
import { words } from '../../words/words.ts';
import { choiceAt, choiceKey } from './audit-choice.ts';
import { auditColumns, isDone } from './audit-columns.tsx';
import { AuditFilter } from './audit-filter.tsx';
import { AuditRecordDialog } from './audit-record.tsx';
import { mostRows, useRecords } from './use-records.ts';

/** Older ones are read when so many rows are left. */
const ahead = 50;

const shownRecord = viewQueryOf('record');

export default function AuditView() {
  const { audit } = words.value;
  return (
    <div class="view whole">
      <div class="view-head">
        <h1>{audit.title}</h1>
      </div>
      {may('read-audit') ? <Trail /> : <NotPermitted permission="read-audit" />}
    </div>
  );
}

function Trail() {
  const { audit, common } = words.value;
  const turn = useSignal(0);
  const {
    rows,
    isLoading,
    isDone: isWhole,
    error,
    more,
  } = useRecords(() => choiceAt(now.peek()), [choiceKey.value, turn.value]);
  const saving = useTask();
  const columns = useMemo(() => auditColumns((seq) => hereWith({ record: String(seq) })), [words.value]);
  const layout = useGridLayout('audit', columns);
  const gridRows = useMemo(() => rowsOf(rows, ({ seq }) => seq), [rows]);
  const seq = /^[1-9]\d{0,15}$/.test(shownRecord.value) ? Number(shownRecord.value) : undefined;
  const again = () => turn.value++;
  const save = (form: 'json' | 'csv') =>
    saving.run(async (signal) => {
      const blob = await exportAudit(form, choiceAt(now.peek()), signal);
      saveBlob(`audit-${dayText(now.peek())}.${form === 'csv' ? 'csv' : 'jsonl'}`, blob);
    });
  return (
    <>
      <PastNote />
      <AuditFilter rows={rows} />
      <div class="row">
        <span role="status">
          {isWhole ? audit.count(rows.length) : audit.countSoFar(rows.length)}
          {isLoading && <span class="quiet"> · {common.loading}</span>}
          {rows.length >= mostRows && <span class="quiet"> · {audit.capped(rows.length)}</span>}
        </span>
        <span class="grow" />
        <button type="button" onClick={again} title={audit.readingIsRecorded}>
          {audit.readAgain}
        </button>
        <button type="button" disabled={saving.isUnderway} onClick={() => void save('json')} title={audit.exportWhy}>
          {audit.exportJson}
        </button>
        <button type="button" disabled={saving.isUnderway} onClick={() => void save('csv')} title={audit.exportWhy}>
          {audit.exportCsv}
        </button>
        <ColumnChooser columns={columns} layout={layout} />
      </div>
      {saving.isUnderway && (
        <p class="row" role="status">
          {audit.exporting}
          <button type="button" onClick={saving.stop}>
            {common.cancel}
          </button>
        </p>
      )}
      {saving.error !== undefined && <ProblemText error={saving.error} />}
      <ReadState value={rows} error={error} again={again} />
      <LiveGrid
        label={audit.title}
        columns={columns}
        layout={layout}
        rows={gridRows}
        rowClass={(record) => (isDone(record) ? undefined : 'audit-not-done')}
        onOpen={(record) => setViewQuery({ record: String(record.seq) })}
        onSeen={(seen) => {
          const last = seen.at(-1);
          const rest = last === undefined ? 0 : rows.length - 1 - rows.lastIndexOf(last);
          if (rest < ahead) more();
        }}
        empty={isLoading ? common.loading : audit.none}
      />
      <p class="quiet audit-verify">
        {audit.verify} <code>telltale audit verify</code> · <a href="/docs/guides/audit.md">{audit.guide}</a>
      </p>
      {seq !== undefined && (
        <AuditRecordDialog
          key={seq}
          seq={seq}
          known={rows.find((record) => record.seq === seq)}
          onClose={() => setViewQuery({ record: undefined })}
        />
      )}
    </>
  );
}
