// One record, whole: who, what, the difference that it made, why, and what it hangs on.
import { type AuditRecord, readAuditRecord } from '../../data/audit.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { momentText } from '../../parts/times.ts';
import { useRead } from '../../parts/use-read.ts';
import { words } from '../../words/words.ts';
import { isDone, timeOf } from './audit-columns.tsx';
import { differenceOf, mostFields, textOf } from './difference.ts';

export interface AuditRecordProps {
  readonly seq: number;
  /** Where it was read already. */
  readonly known: AuditRecord | undefined;
  readonly onClose: () => void;
}

export function AuditRecordDialog({ seq, known, onClose }: AuditRecordProps) {
  const { audit, common } = words.value;
  const read = async (signal: AbortSignal) => ({ record: known ?? (await readAuditRecord(seq, signal)) });
  const { value, error } = useRead(read, [seq]);
  const record = value?.record;
  return (
    <Dialog
      title={audit.recordTitle(seq)}
      onClose={onClose}
      class="audit-record"
      actions={
        <>
          {record !== undefined && <CopyButton text={JSON.stringify(record, undefined, 2)} label={audit.copyJson} />}
          <button type="button" onClick={onClose}>
            {common.close}
          </button>
        </>
      }
    >
      <ReadState value={value} error={error} />
      {value !== undefined && record === undefined && <p>{audit.noRecord}</p>}
      {record !== undefined && <Facts record={record} />}
    </Dialog>
  );
}

/** Told in places of their own, or of no use to people. */
const told = new Set([
  'seq',
  'time',
  'who',
  'kind',
  'source',
  'session',
  'operation',
  'object',
  'area',
  'old',
  'new',
]).union(new Set(['reason', 'approver', 'result', 'rendering', 'previous', 'hash']));

function Facts({ record }: { readonly record: AuditRecord }) {
  const { audit, common } = words.value;
  const { who, kind, source, session, operation, object, area, reason, approver, result, rendering } = record;
  const facts: readonly (readonly [string, string | undefined])[] = [
    [common.time, momentText(timeOf(record), { millis: true })],
    [audit.who, `${who} (${audit.kinds[kind] ?? kind})`],
    [audit.source, source],
    [audit.session, session],
    [audit.operation, operation],
    [audit.object, object],
    [common.area, area],
    [common.reason, reason],
    [audit.approver, approver],
    [audit.revision, rendering === undefined ? undefined : String(rendering)],
    ...Object.entries(record)
      .filter(([name]) => !told.has(name))
      .map(([name, value]): [string, string | undefined] => [name, textOf(value)]),
    [audit.hash, record.hash],
    [audit.previous, record.previous],
  ];
  return (
    <>
      <dl class="facts">
        <div>
          <dt>{audit.result}</dt>
          <dd>{isDone(record) ? audit.done : <b class="audit-refused">✕ {result}</b>}</dd>
        </div>
        {facts.map(
          ([title, text]) =>
            text !== undefined &&
            text !== '' && (
              <div key={title}>
                <dt>{title}</dt>
                <dd>
                  <bdi>{text}</bdi>
                </dd>
              </div>
            ),
        )}
      </dl>
      <Difference record={record} />
    </>
  );
}

function Difference({ record }: { readonly record: AuditRecord }) {
  const { audit } = words.value;
  const fields = differenceOf(record.old, record.new);
  if (fields.length === 0) return null;
  return (
    <div class="scrolls">
      <table class="audit-difference">
        <caption>{audit.change}</caption>
        <thead>
          <tr>
            <th scope="col">{audit.field}</th>
            <th scope="col">{audit.before}</th>
            <th scope="col">{audit.after}</th>
          </tr>
        </thead>
        <tbody>
          {fields.slice(0, mostFields).map(({ path, old, new: now }) => (
            <tr key={path}>
              <th scope="row">
                <bdi>{path === '' ? audit.whole : path}</bdi>
              </th>
              <td class="mono">{old === undefined ? <span class="quiet">{audit.notThere}</span> : <bdi>{old}</bdi>}</td>
              <td class="mono">{now === undefined ? <span class="quiet">{audit.notThere}</span> : <bdi>{now}</bdi>}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {fields.length > mostFields && <p class="quiet">{audit.moreFields}</p>}
    </div>
  );
}
