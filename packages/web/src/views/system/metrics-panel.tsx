// The metrics of the service.
import { readMetrics } from '../../data/system.ts';
import { words } from '../../words/words.ts';
import { SearchedPanel } from './searched-panel.tsx';

export function MetricsPanel() {
  const { system, common } = words.value;
  return (
    <SearchedPanel
      title={system.metrics}
      read={readMetrics}
      textOf={({ name, labels }) => `${name} ${labels}`}
      countText={system.metricCount}
      head={
        <>
          <th scope="col">{common.name}</th>
          <th scope="col">{system.labels}</th>
          <th scope="col" class="number">
            {common.value}
          </th>
        </>
      }
      row={({ name, labels, value }) => (
        <tr key={`${name} ${labels}`}>
          <td class="mono">{name}</td>
          <td class="mono">{labels}</td>
          <td class="number">{String(value)}</td>
        </tr>
      )}
    />
  );
}
