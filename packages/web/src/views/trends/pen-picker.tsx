// Finds points and makes pens of them.
import { useSignal } from '@preact/signals';
import { useEffect, useId } from 'preact/hooks';
import { type FoundPoint, searchPoints } from '../../data/search.ts';
import { notify } from '../../parts/notices.tsx';
import { keyOfPen, mostPens } from '../../parts/trend/pen.ts';
import type { TrendModel } from '../../parts/trend/trend-model.ts';
import { words } from '../../words/words.ts';

export function PenPicker({ model }: { readonly model: TrendModel }) {
  const { trends, common } = words.value;
  const text = useSignal('');
  const found = useSignal<readonly FoundPoint[]>([]);
  const id = useId();
  useEffect(() => {
    const end = new AbortController();
    void searchPoints(text.value, end.signal).then((points) => {
      if (!end.signal.aborted) found.value = points;
    });
    return () => end.abort();
  }, [text.value]);
  const taken = new Set(model.pens.value.map(keyOfPen));
  const points = found.value.flatMap(({ kind, ...point }) => (kind === 'alarms' ? [] : [{ kind, ...point }]));
  return (
    <div class="pen-picker">
      <label for={id}>{trends.addPen}</label>
      <input
        id={id}
        type="search"
        autocomplete="off"
        spellcheck={false}
        placeholder={trends.search}
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
        }}
      />
      <ul aria-label={trends.found}>
        {points.map(({ kind, name, description }) => (
          <li key={`${kind} ${name}`}>
            <button
              type="button"
              class="plain"
              disabled={taken.has(keyOfPen({ kind, name }))}
              onClick={() => {
                if (!model.add(kind, name)) notify(trends.tooMany(mostPens), { isFailure: true });
              }}
            >
              <span aria-hidden="true">+</span> {name}
              {kind === 'commands' && <span class="quiet">{trends.command}</span>}
              <span class="quiet pen-description">{description}</span>
            </button>
          </li>
        ))}
      </ul>
      {text.value.trim() !== '' && points.length === 0 && <p class="quiet">{common.none}</p>}
    </div>
  );
}
