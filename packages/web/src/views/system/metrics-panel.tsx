// The metrics, as a table to search in; they are read when somebody opens it.
import { useSignal } from '@preact/signals';
import { readMetrics } from '../../data/system.ts';
import { typedInto } from '../../parts/fields.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { useRead } from '../../parts/use-read.ts';
import { words } from '../../words/words.ts';

const mostShown = 300;

export function MetricsPanel() {
  const { system } = words.value;
  const isOpen = useSignal(false);
  return (
    <section class="panel">
      <details onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}>
        <summary>
          <h2 class="system-inline">{system.metrics}</h2>
        </summary>
        {isOpen.value && <Metrics />}
      </details>
    </section>
  );
}

function Metrics() {
  const { system, common } = words.value;
  const { value, error, again } = useRead(readMetrics, []);
  const filter = useSignal('');
  const parts = filter.value.toLowerCase().split(/\s+/);
  const found = (value ?? []).filter(({ name, labels }) => {
    const text = `${name} ${labels}`.toLowerCase();
    return parts.every((part) => text.includes(part));
  });
  return (
    <>
      <div class="row">
        <input type="search" aria-label={common.filter} placeholder={common.filter} {...typedInto(filter)} />
        <span role="status">{system.metricCount(found.length)}</span>
        <button type="button" onClick={again}>
          {system.readAgain}
        </button>
      </div>
      <ReadState value={value} error={error} />
      <div class="scrolls">
        <table>
          <thead>
            <tr>
              <th scope="col">{common.name}</th>
              <th scope="col">{system.labels}</th>
              <th scope="col" class="number">
                {common.value}
              </th>
            </tr>
          </thead>
          <tbody>
            {found.slice(0, mostShown).map(({ name, labels, value: number }) => (
              <tr key={`${name} ${labels}`}>
                <td class="mono">{name}</td>
                <td class="mono">{labels}</td>
                <td class="number">{String(number)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {found.length > mostShown && <p class="quiet">{common.partOf(String(mostShown), String(found.length))}</p>}
    </>
  );
}
