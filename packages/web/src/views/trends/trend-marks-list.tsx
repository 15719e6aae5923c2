// The marks of the visible window as a list: what each one is.
import { useSignal } from '@preact/signals';
import { presentUs } from '../../parts/now.ts';
import { personText } from '../../parts/person-text.ts';
import { pointPath } from '../../parts/point-path.ts';
import { shortMomentText } from '../../parts/times.ts';
import type { TrendParts } from '../../parts/trend/trend-parts.ts';
import { words } from '../../words/words.ts';

const mostMarks = 200;

export function TrendMarksList({ parts: { marks } }: { readonly parts: TrendParts }) {
  const { trends, common } = words.value;
  const isOpen = useSignal(false);
  const shown = marks.shown.value;
  return (
    <details
      class="trend-marks"
      open={isOpen.value}
      onToggle={(event) => {
        isOpen.value = event.currentTarget.open;
      }}
    >
      <summary>{trends.marksTitle}</summary>
      {isOpen.value && shown.length === 0 && <p class="quiet">{common.none}</p>}
      {isOpen.value && (
        <ul aria-label={trends.marksTitle}>
          {shown.slice(-mostMarks).map((mark) => (
            <li key={mark.kind === 'alarm' ? `${mark.name} ${mark.t}` : mark.id}>
              {shortMomentText(mark.t, presentUs())}{' '}
              {mark.kind === 'alarm' ? (
                <>
                  <a href={pointPath('alarms', mark.name)} data-over>
                    {mark.name}
                  </a>{' '}
                  {mark.text}
                </>
              ) : (
                <>
                  {trends.revision(mark.id, personText(mark.author))} <span class="quiet">{mark.comment}</span>
                </>
              )}
            </li>
          ))}
        </ul>
      )}
    </details>
  );
}
