// The fields of the history's filter; what is chosen is in the address.

import { alarmStates } from '@telltale/schema/values';
import { useRef } from 'preact/hooks';
import { useKeys } from '../../parts/keys.ts';
import { MomentInput } from '../../parts/moment-input.tsx';
import { setViewQuery } from '../../router.ts';
import { words } from '../../words/words.ts';
import type { AlarmChoices } from './alarm-choices.ts';
import { AreaField, SeverityField } from './alarm-filter-bar.tsx';
import { historyFilter, presetNames } from './history-filter.ts';

export function HistoryFilterBar({ areas, severities }: AlarmChoices) {
  const { alarms: texts, common, shell } = words.value;
  const ref = useRef<HTMLInputElement>(null);
  const filter = historyFilter.value;
  useKeys(() => [{ key: '/', text: shell.keys.filter, run: () => ref.current?.focus() }], [shell]);
  return (
    <search class="row alarm-filter">
      <select
        aria-label={texts.transitions.interval}
        value={filter.preset ?? 'own'}
        onChange={(event) => setViewQuery({ interval: event.currentTarget.value, from: undefined, to: undefined })}
      >
        {[...presetNames, 'own' as const].map((each) => (
          <option key={each} value={each}>
            {texts.transitions.presets[each]}
          </option>
        ))}
      </select>
      {filter.preset === undefined && (
        <>
          <MomentInput label={texts.transitions.from} us={filter.from} onChoose={(from) => setViewQuery({ from })} />
          <MomentInput label={texts.transitions.to} us={filter.to} onChoose={(to) => setViewQuery({ to })} />
        </>
      )}
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
        <option value="">{texts.transitions.anyState}</option>
        {alarmStates.map((state) => (
          <option key={state} value={state}>
            {texts.states[state]}
          </option>
        ))}
      </select>
      <input
        class="mono"
        value={filter.alarm}
        placeholder={texts.transitions.oneAlarm}
        aria-label={texts.transitions.oneAlarm}
        spellcheck={false}
        autocapitalize="none"
        onChange={(event) => setViewQuery({ alarm: event.currentTarget.value })}
      />
    </search>
  );
}
