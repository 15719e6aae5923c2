// The settings of the running service, as a table to search in; they are read when somebody opens it.
import { useSignal } from '@preact/signals';
import { readSettings } from '../../data/system.ts';
import { typedInto } from '../../parts/fields.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { useRead } from '../../parts/use-read.ts';
import { words } from '../../words/words.ts';

export function SettingsPanel() {
  const { system } = words.value;
  const isOpen = useSignal(false);
  return (
    <section class="panel">
      <details onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}>
        <summary>
          <h2 class="system-inline">{system.settings}</h2>
        </summary>
        {isOpen.value && <SettingsTable />}
      </details>
    </section>
  );
}

function SettingsTable() {
  const { system, common } = words.value;
  const { value, error } = useRead(readSettings, []);
  const filter = useSignal('');
  const parts = filter.value.toLowerCase().split(/\s+/);
  const found = (value ?? []).filter((setting) => {
    const { name, variable, description } = setting;
    const source = system.sources[setting.source];
    const text = `${name} ${variable} ${String(setting.value)} ${source} ${description}`.toLowerCase();
    return parts.every((part) => text.includes(part));
  });
  return (
    <>
      <p>{system.settingsWhat}</p>
      <div class="row">
        <input type="search" aria-label={common.filter} placeholder={common.filter} {...typedInto(filter)} />
        <span role="status">{system.settingCount(found.length)}</span>
      </div>
      <ReadState value={value} error={error} />
      <div class="scrolls">
        <table>
          <thead>
            <tr>
              <th scope="col">{common.name}</th>
              <th scope="col">{common.value}</th>
              <th scope="col">{system.source}</th>
              <th scope="col">{system.meaning}</th>
            </tr>
          </thead>
          <tbody>
            {found.map((setting) => (
              <tr key={setting.name}>
                <td class="mono" title={setting.variable}>
                  {setting.name}
                </td>
                <td class="mono">
                  {setting.value === null ? <span class="quiet">{system.notSet}</span> : String(setting.value)}
                </td>
                <td>{system.sources[setting.source]}</td>
                <td lang="en">{setting.description}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
