// The fields of the live list's filter; what is chosen is in the address.
import { useRef } from 'preact/hooks';
import { useKeys } from '../../parts/keys.ts';
import { setViewQuery } from '../../router.ts';
import { words } from '../../words/words.ts';
import { alarmFilter, isFiltered, stateFilters } from './alarm-filter.ts';

export interface AlarmFilterBarProps {
  /** Of all alarms that there are. */
  readonly areas: readonly string[];
  readonly severities: readonly number[];
}

export function AlarmFilterBar({ areas, severities }: AlarmFilterBarProps) {
  const { alarms: texts, common, shell } = words.value;
  const ref = useRef<HTMLInputElement>(null);
  const filter = alarmFilter.value;
  useKeys(() => [{ key: '/', text: shell.keys.filter, run: () => ref.current?.focus() }], [shell]);
  return (
    <search class="row alarm-filter">
      <input
        ref={ref}
        type="search"
        value={filter.text}
        placeholder={texts.filterHint}
        aria-label={common.filter}
        onInput={(event) => setViewQuery({ text: event.currentTarget.value })}
      />
      <AreaField areas={areas} chosen={filter.area} />
      <SeverityField severities={severities} chosen={filter.severity} />
      <select
        aria-label={common.state}
        value={filter.state ?? ''}
        onChange={(event) => setViewQuery({ state: event.currentTarget.value })}
      >
        <option value="">{texts.allStates}</option>
        {stateFilters.map((state) => (
          <option key={state} value={state}>
            {texts.filterStates[state]}
          </option>
        ))}
      </select>
      <label class="row">
        <input
          type="checkbox"
          checked={filter.quiet}
          onChange={(event) => setViewQuery({ quiet: event.currentTarget.checked ? '1' : undefined })}
        />
        {texts.quietToo}
      </label>
      {isFiltered(filter) && (
        <button
          type="button"
          onClick={() => setViewQuery({ text: undefined, area: undefined, severity: undefined, state: undefined })}
        >
          {texts.clearFilter}
        </button>
      )}
    </search>
  );
}

export function AreaField({ areas, chosen }: { readonly areas: readonly string[]; readonly chosen: string }) {
  const { alarms: texts, common } = words.value;
  // What the address names is chosen, also where no alarm is in it.
  const all = chosen === '' || areas.includes(chosen) ? areas : [...areas, chosen];
  return (
    <select
      aria-label={common.area}
      value={chosen}
      onChange={(event) => setViewQuery({ area: event.currentTarget.value })}
    >
      <option value="">{texts.allAreas}</option>
      {all.map((area) => (
        <option key={area} value={area}>
          {area}
        </option>
      ))}
    </select>
  );
}

interface SeverityFieldProps {
  readonly severities: readonly number[];
  readonly chosen: number | undefined;
}

export function SeverityField({ severities, chosen }: SeverityFieldProps) {
  const { alarms: texts, common } = words.value;
  const all = chosen === undefined || severities.includes(chosen) ? severities : [...severities, chosen];
  return (
    <select
      aria-label={common.severity}
      value={chosen === undefined ? '' : `${chosen}`}
      onChange={(event) => setViewQuery({ severity: event.currentTarget.value })}
    >
      <option value="">{texts.allSeverities}</option>
      {all.map((severity) => (
        <option key={severity} value={`${severity}`}>
          {common.severity} {severity}
        </option>
      ))}
    </select>
  );
}
