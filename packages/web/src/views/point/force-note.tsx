// Who has forced a measurement, since when, until when and why.
import { fromTimestamp } from '@telltale/schema/values';
import { readForced } from '../../data/forced.ts';
import { now } from '../../parts/now.ts';
import { personText } from '../../parts/person-text.ts';
import { momentText, shortMomentText } from '../../parts/times.ts';
import { useRead } from '../../parts/use-read.ts';
import { words } from '../../words/words.ts';

const everyMs = 3000;

export function ForceNote({ name }: { readonly name: string }) {
  const { point } = words.value;
  const { value = [] } = useRead(readForced, [name], { everyMs });
  const found = value.find((each) => each.name === name);
  if (found === undefined) return null;
  const { by, reason } = found;
  const since = fromTimestamp(found.since);
  const until = found.until === null ? undefined : fromTimestamp(found.until);
  const end = until === undefined ? point.forcedOpen : point.forcedUntil(shortMomentText(until, now.value));
  return (
    <div class="force-note">
      <p title={momentText(since)}>
        {point.forcedBy(personText(by), shortMomentText(since, now.value))},{' '}
        <b title={until === undefined ? undefined : momentText(until)}>{end}</b>
      </p>
      {reason !== null && <p>{reason}</p>}
    </div>
  );
}
