// What people and programs have done to a point: who wrote, forced, released, acknowledged or configured it, when and why.
import { fromTimestamp } from '@telltale/schema/values';
import { useMemo } from 'preact/hooks';
import type { AnyKind } from '../../data/find-point.ts';
import { type ObjectAction, readActions } from '../../data/object-actions.ts';
import { type Facts, factsOfPoint } from '../../data/points.ts';
import { may } from '../../data/session.ts';
import { now } from '../../parts/now.ts';
import { personText } from '../../parts/person-text.ts';
import { ReadState } from '../../parts/read-state.tsx';
import { momentText, shortMomentText } from '../../parts/times.ts';
import { useRead } from '../../parts/use-read.ts';
import { valueText } from '../../parts/value-text.ts';
import { words } from '../../words/words.ts';
import { PointSection } from './point-section.tsx';

const everyMs = 5000;

interface PointHistoryProps {
  readonly kind: AnyKind;
  readonly name: string;
  /** With another one, somebody may have done something: it is read at once. */
  readonly version: string | number | boolean | undefined;
}

export function PointHistory({ kind, name, version }: PointHistoryProps) {
  const { point } = words.value;
  const { value, error } = useRead((signal) => readActions(kind, name, signal), [kind, name, version], { everyMs });
  const facts = useMemo(() => (kind === 'alarms' ? undefined : factsOfPoint(kind, name)), [kind, name])?.value;
  const link = may('read-audit') && <a href={`/audit?object=${name}`}>{point.allHistory}</a>;
  return (
    <PointSection title={point.sections.history} link={link}>
      <ReadState value={value} error={error} />
      {value?.length === 0 && <p class="quiet">{point.noHistory}</p>}
      {value !== undefined && value.length > 0 && (
        <ul class="point-history">
          {value.map((action, at) => (
            <Action key={`${action.t.join('.')} ${action.operation} ${at}`} action={action} facts={facts} />
          ))}
        </ul>
      )}
    </PointSection>
  );
}

function Action({ action, facts }: { readonly action: ObjectAction; readonly facts: Facts | undefined }) {
  const { point } = words.value;
  const { who, reason, approver, result } = action;
  const t = fromTimestamp(action.t);
  const change = changeText(action, typeof facts === 'object' ? facts : undefined);
  return (
    <li class={result === 'done' ? '' : 'quiet'}>
      <time title={momentText(t)}>{shortMomentText(t, now.value)}</time>{' '}
      <span>
        <b>{personText(who)}</b> {point.actions[action.action]} {change}
        {result !== 'done' && <span class="error"> {point.notDone(result)}</span>}
        {reason !== undefined && <q class="point-reason">{reason}</q>}
        {approver !== undefined && <span class="quiet"> {point.approvedBy(personText(approver))}</span>}
      </span>
    </li>
  );
}

/** Values as they are shown elsewhere; what is no value is left to the audit trail. */
function changeText({ old, new: wanted }: ObjectAction, facts: Parameters<typeof valueText>[1]): string {
  const given = typeof wanted === 'object' && wanted !== null && 'value' in wanted ? wanted.value : wanted;
  const [before, after] = [old, given].map((each) =>
    typeof each === 'string' && facts !== undefined ? valueText(each, facts) : undefined,
  );
  if (after === undefined) return '';
  return before === undefined ? after : `${before} → ${after}`;
}
