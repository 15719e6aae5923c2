// What the list of points is filtered by. Everything works while it is typed or chosen, and stands in the address.
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { PointList } from '../../data/point-list.ts';
import { useKeys } from '../../parts/keys.ts';
import { setViewQuery } from '../../router.ts';
import { words } from '../../words/words.ts';
import { filterFields, type PointFilter } from './point-filter.ts';

export interface PointFiltersProps {
  readonly list: PointList;
  readonly filter: PointFilter;
}

export function PointFilters({ list, filter }: PointFiltersProps) {
  const { common, points, shell } = words.value;
  const input = useRef<HTMLInputElement>(null);
  useKeys(() => [{ key: '/', text: shell.keys.filter, run: () => input.current?.focus() }], [shell]);
  // What is typed is the person's: the address follows, and is taken over where it changes by itself.
  useEffect(() => {
    if (input.current !== null && input.current.value.trim() !== filter.text) input.current.value = filter.text;
  }, [filter.text]);
  const isOpen = useSignal(false);
  const chosen = filterFields.filter((field) => field !== 'text' && filter[field] !== '').length;
  const isFiltered = filterFields.some((field) => filter[field] !== '');
  return (
    <search class="points-filters">
      <input
        ref={input}
        type="search"
        class="points-text"
        aria-label={points.filter}
        placeholder={points.filter}
        defaultValue={filter.text}
        onInput={(event) => setViewQuery({ text: event.currentTarget.value.trim() })}
      />
      <button
        type="button"
        class="points-more"
        aria-expanded={isOpen.value}
        onClick={() => {
          isOpen.value = !isOpen.value;
        }}
      >
        {points.moreFilters}
        {chosen > 0 && ` (${chosen})`}
      </button>
      <div class={`points-choices ${isOpen.value ? 'open' : ''}`}>
        <Choice field="area" label={common.area} filter={filter} any={points.anyArea}>
          {areasOf(list).map((area) => (
            <option key={area} value={area}>
              {'\u2003'.repeat(area.split('.').length - 1) + area.slice(area.lastIndexOf('.') + 1)}
            </option>
          ))}
        </Choice>
        <Choice field="quality" label={common.quality} filter={filter} any={points.anyQuality}>
          {(['bad', 'uncertain', 'good'] as const).map((word) => (
            <option key={word} value={word}>
              {points.qualities[word]}
            </option>
          ))}
        </Choice>
        <Choice field="forced" label={words.value.values.forced} filter={filter} any={points.anyForced}>
          {(['yes', 'no'] as const).map((word) => (
            <option key={word} value={word}>
              {points.forced[word]}
            </option>
          ))}
        </Choice>
        <Choice field="connector" label={common.connector} filter={filter} any={points.anyConnector}>
          {list.connector.texts
            .filter((name) => name !== '')
            .toSorted()
            .map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
        </Choice>
        <Choice field="kind" label={common.kind} filter={filter} any={points.anyKind}>
          {(['measurements', 'commands'] as const).map((kind) => (
            <option key={kind} value={kind}>
              {points.kinds[kind]}
            </option>
          ))}
        </Choice>
        <Choice field="datatype" label={common.datatype} filter={filter} any={points.anyDatatype}>
          {list.datatypes.map((datatype) => (
            <option key={datatype} value={datatype}>
              {points.datatypes[datatype]}
            </option>
          ))}
        </Choice>
      </div>
      {isFiltered && (
        <button
          type="button"
          onClick={() => setViewQuery(Object.fromEntries(filterFields.map((field) => [field, undefined])))}
        >
          {points.clear}
        </button>
      )}
    </search>
  );
}

interface ChoiceProps {
  readonly field: keyof PointFilter;
  readonly label: string;
  readonly filter: PointFilter;
  readonly any: string;
  readonly children: ComponentChildren;
}

/** What stands in the address and is not there any more is shown too: it filters. */
function Choice({ field, label, filter, any, children }: ChoiceProps) {
  const value = filter[field];
  const ref = useRef<HTMLSelectElement>(null);
  useEffect(() => {
    if (ref.current !== null) ref.current.value = value;
  });
  const options = Array.isArray(children) ? (children as { readonly key?: unknown }[]) : [];
  const isKnown = value === '' || options.some(({ key }) => key === value);
  return (
    <select
      ref={ref}
      aria-label={label}
      class={value === '' ? '' : 'points-chosen'}
      onChange={(event) => setViewQuery({ [field]: event.currentTarget.value })}
    >
      <option value="">{any}</option>
      {children}
      {!isKnown && <option value={value}>{value}</option>}
    </select>
  );
}

/** All paths, those that only hold others included, in the order of a tree. */
function areasOf(list: PointList): string[] {
  const paths = new Set<string>();
  for (const text of list.area.texts) {
    const parts = text === '' ? [] : text.split('.');
    for (let depth = 1; depth <= parts.length; depth++) paths.add(parts.slice(0, depth).join('.'));
  }
  return [...paths].sort();
}
