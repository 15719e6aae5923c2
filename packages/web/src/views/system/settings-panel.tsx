// The settings of the running service.
import { readSettings } from '../../data/system.ts';
import { words } from '../../words/words.ts';
import { SearchedPanel } from './searched-panel.tsx';

export function SettingsPanel() {
  const { system, common } = words.value;
  return (
    <SearchedPanel
      title={system.settings}
      what={system.settingsWhat}
      read={readSettings}
      textOf={({ name, variable, value, source, description }) =>
        `${name} ${variable} ${String(value)} ${system.sources[source]} ${description}`
      }
      countText={system.settingCount}
      head={
        <>
          <th scope="col">{common.name}</th>
          <th scope="col">{common.value}</th>
          <th scope="col">{system.source}</th>
          <th scope="col">{system.meaning}</th>
        </>
      }
      row={({ name, variable, value, source, description }) => (
        <tr key={name}>
          <td class="mono" title={variable}>
            {name}
          </td>
          <td class="mono">{value === null ? <span class="quiet">{system.notSet}</span> : String(value)}</td>
          <td>{system.sources[source]}</td>
          <td lang="en">{description}</td>
        </tr>
      )}
    />
  );
}
