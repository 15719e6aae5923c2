// The fields of the filter. A reading of the trail is recorded in it: what is typed counts when it is finished, not at each key.
import { useRef } from 'preact/hooks';
import type { AuditRecord } from '../../data/audit.ts';
import { useKeys } from '../../parts/keys.ts';
import { MomentInput } from '../../parts/moment-input.tsx';
import { setViewQuery, viewPlace } from '../../router.ts';
import { words } from '../../words/words.ts';
import { chosenInterval, intervals, longestText, texts } from './audit-choice.ts';

const mostSuggestions = 50;

export function AuditFilter({ rows }: { readonly rows: readonly AuditRecord[] }) {
  const { audit, common, shell, alarms } = words.value;
  const ref = useRef<HTMLInputElement>(null);
  const { query } = viewPlace.value;
  const { interval, from, to } = chosenInterval.value;
  const isFiltered = texts.some((name) => query.has(name));
  useKeys(() => [{ key: '/', text: shell.keys.filter, run: () => ref.current?.focus() }], [shell]);
  return (
    <search class="row audit-filter">
      <select
        aria-label={audit.interval}
        value={interval}
        onChange={(event) => setViewQuery({ interval: event.currentTarget.value, from: undefined, to: undefined })}
      >
        {intervals.map((each) => (
          <option key={each} value={each}>
            {audit.intervals[each]}
          </option>
        ))}
      </select>
      {interval === 'own' && (
        <>
          <MomentInput
            label={alarms.transitions.from}
            us={from}
            onChoose={(seconds) => setViewQuery({ interval: 'own', from: seconds })}
          />
          <MomentInput
            label={alarms.transitions.to}
            us={to}
            onChoose={(seconds) => setViewQuery({ interval: 'own', to: seconds })}
          />
        </>
      )}
      {texts.map((name, at) => (
        <span key={name}>
          <input
            {...(at === 0 && { ref })}
            list={`audit-${name}`}
            maxLength={longestText}
            value={query.get(name) ?? ''}
            placeholder={audit.filterHints[name]}
            aria-label={audit[name]}
            title={audit.beginningHint}
            spellcheck={false}
            autocapitalize="none"
            autocomplete="off"
            onChange={(event) => setViewQuery({ [name]: event.currentTarget.value.trim() })}
          />
          <datalist id={`audit-${name}`}>
            {suggestions(rows, name).map((text) => (
              <option key={text} value={text} />
            ))}
          </datalist>
        </span>
      ))}
      {isFiltered && (
        <button type="button" onClick={() => setViewQuery(Object.fromEntries(texts.map((name) => [name, undefined])))}>
          {alarms.clearFilter}
        </button>
      )}
      <span class="hidden-text">{common.filter}</span>
    </search>
  );
}

function suggestions(rows: readonly AuditRecord[], name: (typeof texts)[number]): string[] {
  const found = new Set<string>();
  for (const { [name]: text } of rows) {
    if (text !== undefined && text !== '') found.add(text);
    if (found.size >= mostSuggestions) break;
  }
  return [...found].sort();
}
