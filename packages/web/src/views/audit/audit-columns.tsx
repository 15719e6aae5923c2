// What a row shows of its record.
import { Fragment } from 'preact';
import type { AuditRecord } from '../../data/audit.ts';
import type { GridColumn } from '../../parts/live-grid/grid-model.ts';
import { momentText } from '../../parts/times.ts';
import { words } from '../../words/words.ts';
import { differenceOf } from './difference.ts';

const shownFields = 3;

export const isDone = ({ result }: AuditRecord) => result === 'done';

export const timeOf = ({ time }: AuditRecord) => Date.parse(time) * 1000;

interface AuditColumn extends GridColumn<AuditRecord> {
  /** Shown by choice. */
  readonly isExtra?: true;
}

export function auditColumns(addressOf: (seq: number) => string): readonly AuditColumn[] {
  const { audit, common } = words.value;
  const plain = (text: string | undefined) => <span title={text}>{text}</span>;
  return [
    { key: 'seq', title: audit.seq, width: 56, align: 'end', cell: ({ seq }) => <span class="quiet">{seq}</span> },
    {
      key: 'time',
      title: common.time,
      width: 166,
      isFixed: true,
      narrow: 'note',
      cell: (record) => (
        <a href={addressOf(record.seq)} tabIndex={-1}>
          <time title={momentText(timeOf(record), { millis: true })}>{momentText(timeOf(record)).slice(0, 19)}</time>
        </a>
      ),
    },
    { key: 'who', title: audit.who, width: 110, isFixed: true, narrow: 'name', cell: ({ who }) => plain(who) },
    { key: 'source', title: audit.source, width: 104, cell: ({ source }) => plain(source) },
    {
      key: 'operation',
      title: audit.operation,
      width: 160,
      narrow: 'value',
      cell: ({ operation }) => <span title={operation}>{operation}</span>,
    },
    { key: 'object', title: audit.object, width: 130, grows: 1, cell: ({ object }) => plain(object) },
    {
      key: 'result',
      title: audit.result,
      width: 120,
      narrow: 'aside',
      cell: (record) =>
        isDone(record) ? (
          <span class="quiet">{audit.done}</span>
        ) : (
          <b class="audit-refused" title={record.result}>
            ✕ {record.result}
          </b>
        ),
    },
    {
      key: 'change',
      title: audit.change,
      width: 120,
      grows: 2,
      cell: (record) => <Change record={record} />,
    },
    { key: 'reason', title: common.reason, width: 80, grows: 1, cell: ({ reason }) => plain(reason) },
    { key: 'approver', title: audit.approver, width: 110, isExtra: true, cell: ({ approver }) => plain(approver) },
    { key: 'area', title: common.area, width: 110, isExtra: true, cell: ({ area }) => plain(area) },
  ];
}

/** In short: the first fields that differ. */
function Change({ record }: { readonly record: AuditRecord }) {
  const fields = differenceOf(record.old, record.new);
  return (
    <span class="mono">
      {fields.slice(0, shownFields).map(({ path, old, new: now }, at) => (
        <Fragment key={path}>
          {at > 0 && ', '}
          {path !== '' && `${path}: `}
          {old !== undefined && `${old} → `}
          {now ?? '∅'}
        </Fragment>
      ))}
      {fields.length > shownFields && ' …'}
    </span>
  );
}
