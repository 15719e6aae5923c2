// The figures of the archive, and what is damaged or astray in it, with what to do.
import { fromTimestamp } from '@telltale/schema/values';
import type { ArchiveStats } from '../../data/archive.ts';
import { bytesText, countText } from '../../parts/figure-text.ts';
import { ageText, momentText } from '../../parts/times.ts';
import { words } from '../../words/words.ts';

const mostShown = 50;
/** Ages of their own. */
const mostAges = 5;

export function ArchiveFigures({ stats }: { readonly stats: ArchiveStats }) {
  const { archive } = words.value;
  const { first, last, damages, astray } = stats;
  const [most, disk, free] = [stats['max-bytes'], stats['disk-bytes'], stats['disk-free-bytes']];
  const share = most === null || most === 0 ? undefined : stats.bytes / most;
  const facts: readonly (readonly [string, string])[] = [
    [archive.size, most === null ? bytesText(stats.bytes) : archive.sizeOf(bytesText(stats.bytes), bytesText(most))],
    [archive.journal, bytesText(stats['journal-bytes'])],
    [archive.limit, most === null ? archive.noLimit : archive.limitWhy],
    [archive.retention, retentionText(stats)],
    [archive.growth, growthText(stats)],
    [archive.records, countText(stats.records)],
    [archive.series, countText(stats.series)],
    [archive.oldest, first === null ? archive.noRecords : momentText(fromTimestamp(first))],
    [archive.newest, last === null ? archive.noRecords : momentText(fromTimestamp(last))],
    [archive.files, archive.filesText(stats.blocks, stats.unmerged)],
    [archive.disk, free === null ? '–' : archive.freeOf(bytesText(free), disk === null ? '–' : bytesText(disk))],
    ...(stats.growth === null || free === null ? [] : [[archive.lasts, lastsText(stats)] as const]),
  ];
  return (
    <section class="panel">
      <h2>{archive.figures}</h2>
      {share !== undefined && <meter aria-label={archive.size} min={0} max={1} value={Math.min(1, share)} />}
      <dl class="facts">
        {facts.map(([title, text]) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      {damages.length === 0 ? (
        <p>✓ {archive.noDamage}</p>
      ) : (
        <div class="problem">
          <p>
            <b>{archive.damaged(damages.length)}</b>
          </p>
          <p>{archive.damagedWhat}</p>
          <ul>
            {damages.slice(0, mostShown).map(({ file, name, reason, first: from, last: to }) => (
              <li key={`${file} ${name} ${reason}`}>
                <code>{file}</code> {name !== undefined && <b>{name}</b>} {reason}{' '}
                {from !== undefined && momentText(fromTimestamp(from))}
                {to !== undefined && ` – ${momentText(fromTimestamp(to))}`}
              </li>
            ))}
          </ul>
          {damages.length > mostShown && <p>{archive.more(damages.length - mostShown)}</p>}
        </div>
      )}
      {astray > 0 && (
        <details>
          <summary>{archive.astray(astray)}</summary>
          <p>{archive.astrayWhat}</p>
          <p class="mono">{stats['astray-names'].slice(0, mostShown).join(', ')}</p>
        </details>
      )}
      {stats['clock-jumps'].length > 0 && (
        <details>
          <summary>{archive.clockJumps(stats['clock-jumps'].length)}</summary>
          <ul>
            {stats['clock-jumps'].map(({ at, seconds }) => (
              <li key={at.join('.')}>
                {momentText(fromTimestamp(at))}: {archive.jump(seconds)}
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

function retentionText({ retention: { seconds, own } }: ArchiveStats): string {
  const { archive } = words.value;
  const ages = own.slice(0, mostAges).map((each) => archive.ofOwn(ageText(each.seconds), each.objects));
  return [seconds === null ? archive.forEver : archive.forAll(ageText(seconds)), ...ages].join('; ');
}

function growthText({ growth }: ArchiveStats): string {
  const { archive } = words.value;
  if (growth === null) return archive.growthUnknown;
  const [bytes, records] = [bytesText(growth['bytes-per-day']), countText(growth['records-per-day'])];
  return archive.growthOf(bytes, records, ageText(growth.seconds));
}

function lastsText({ 'disk-lasts-seconds': lasts }: ArchiveStats): string {
  const { archive } = words.value;
  return lasts === null ? archive.lastsAlways : archive.lastsText(ageText(lasts));
}
