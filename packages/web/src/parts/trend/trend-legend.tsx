// The legend of a trend, a table: each pen with its value now or at the pointer, at the cursors, its statistics, and what can be done.
import { useSignal, useSignalEffect } from '@preact/signals';
import { archiveFlag, formatPrefixed, traitsOf } from '@telltale/schema/values';
import type { JSX } from 'preact';
import { valuesAt } from '../../data/history.ts';
import type { LiveValue, PointKind, Shown } from '../../data/live-value.ts';
import type { Facts } from '../../data/points.ts';
import { factsOfPoint } from '../../data/points.ts';
import { localNumber, words } from '../../words/words.ts';
import { presentUs } from '../now.ts';
import { pointPath } from '../point-path.ts';
import { Mark } from '../quality-mark.tsx';
import { clockText, shortMomentText } from '../times.ts';
import { LiveValue as LiveValueOf, Value } from '../value.tsx';
import { valueText } from '../value-text.ts';
import { penClass } from './colours.ts';
import { keyOfPen, type Pen, penAxes } from './pen.ts';
import { PenSample } from './pen-sample.tsx';
import type { TrendDrawing } from './trend-drawing.ts';
import type { Cursor } from './trend-model.ts';
import type { TrendParts } from './trend-parts.ts';
import { type PenStatistics, useStatistics } from './use-statistics.ts';

export interface TrendLegendProps {
  readonly parts: TrendParts;
  readonly drawing: TrendDrawing;
  readonly isBare: boolean;
}

type ValuesOfPens = ReadonlyMap<string, LiveValue>;

export function TrendLegend({ parts, drawing, isBare }: TrendLegendProps) {
  const { model } = parts;
  const { trends, common } = words.value;
  const statistics = useStatistics(model, !isBare);
  const a = useValuesAt(parts, 'a');
  const b = useValuesAt(parts, 'b');
  const { a: atA, b: atB } = model.cursors.value;
  const head = (cursor: Cursor, us: number | undefined) =>
    us !== undefined && (
      <th class="number" title={trends.cursor[cursor]}>
        {cursor.toUpperCase()} <span class="quiet">{shortMomentText(us, presentUs())}</span>
        <button
          type="button"
          class="plain"
          aria-label={trends.removeCursor(trends.cursor[cursor])}
          onClick={() => model.setCursor(cursor, undefined)}
        >
          ✕
        </button>
      </th>
    );
  const both = atA !== undefined && atB !== undefined;
  return (
    <div class="trend-legend">
      <table aria-label={trends.pens}>
        <thead>
          <tr>
            <th>{trends.pens}</th>
            <th class="number">
              <ValueHead parts={parts} />
            </th>
            {head('a', atA)}
            {head('b', atB)}
            {both && (
              <th class="number">
                {trends.difference} <span class="quiet">{spanText(atB - atA)}</span>
              </th>
            )}
            {!isBare && (
              <>
                <th class="number" title={trends.averageWhy}>
                  {trends.average}
                </th>
                <th class="number">{trends.least}</th>
                <th class="number">{trends.greatest}</th>
                <th class="number">{trends.percentGood}</th>
                <th>{trends.axis}</th>
                <th>{trends.style}</th>
                <th>
                  <span class="hidden-text">{common.remove}</span>
                </th>
              </>
            )}
          </tr>
        </thead>
        <tbody>
          {model.pens.value.map((pen, at) => (
            <PenRow
              key={keyOfPen(pen)}
              parts={parts}
              drawing={drawing}
              pen={pen}
              number={at + 1}
              isBare={isBare}
              a={atA === undefined ? undefined : a}
              b={atB === undefined ? undefined : b}
              statistics={statistics?.get(keyOfPen(pen))}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface PenRowProps extends TrendLegendProps {
  readonly pen: Pen;
  readonly number: number;
  readonly a: ValuesOfPens | 'pending' | undefined;
  readonly b: ValuesOfPens | 'pending' | undefined;
  readonly statistics: PenStatistics | undefined;
}

function PenRow({ parts, drawing, pen, number, isBare, a, b, statistics }: PenRowProps) {
  const { model } = parts;
  const { trends } = words.value;
  const key = keyOfPen(pen);
  const facts = factsOfPoint(pen.kind, pen.name).value;
  const unit = typeof facts === 'string' ? '' : facts.eu;
  const isSelected = model.selected.value === key;
  const number_ = (value: number | undefined) => (value === undefined ? '' : figureText(value, facts));
  const isBoolean = typeof facts !== 'string' && traitsOf(facts.datatype).isBoolean;
  const average = (share: number | undefined) =>
    isBoolean && share !== undefined ? trends.onFor(percentText(share * 100)) : number_(share);
  const extremes = isBoolean ? { min: undefined, max: undefined } : statistics;
  const isForced = !isBare && statistics !== undefined && hasForced(parts, drawing, pen);
  const href = pointPath(pen.kind, pen.name);
  return (
    <tr class={`${isSelected ? 'trend-selected' : ''} ${pen.isHidden ? 'trend-hidden' : ''}`}>
      <th scope="row">
        <span class="trend-name">
          {!isBare && (
            <input
              type="checkbox"
              aria-label={trends.showPen(pen.name)}
              checked={!pen.isHidden}
              onChange={(event) => model.change(key, { isHidden: !event.currentTarget.checked })}
            />
          )}
          <button
            type="button"
            class={`plain trend-number ${penClass(pen.colour)}`}
            aria-pressed={isSelected}
            aria-label={`${number} ${trends.select(pen.name)}`}
            onClick={() => {
              model.selected.value = isSelected ? undefined : key;
            }}
          >
            {number}
            <PenSample colour={pen.colour} />
          </button>
          <a href={href} data-over>
            {pen.name}
          </a>
          {unit !== '' && <span class="unit quiet">{unit}</span>}
          {pen.kind === 'commands' && <span class="quiet">{trends.command}</span>}
        </span>
      </th>
      <td class="number">
        <ValueCell parts={parts} drawing={drawing} pen={pen} facts={facts} />
      </td>
      {a !== undefined && <CursorCell pen={pen} values={a} facts={facts} />}
      {b !== undefined && <CursorCell pen={pen} values={b} facts={facts} />}
      {a !== undefined && b !== undefined && <td class="number">{differenceText(pen, a, b, facts)}</td>}
      {!isBare && (
        <>
          <td class="number">{average(statistics?.avg)}</td>
          <td class="number">{number_(extremes?.min)}</td>
          <td class="number">{number_(extremes?.max)}</td>
          <td class="number">
            {isForced && <Mark kind="forced" text={words.value.values.forced} why={trends.forcedAmong} />}{' '}
            {statistics?.['percent-good'] === undefined ? '' : percentText(statistics['percent-good'])}
          </td>
          <td>
            <Choice
              label={trends.axisOf(pen.name)}
              value={pen.axis}
              choices={penAxes}
              texts={trends.axes}
              onChange={(axis) => model.change(key, { axis })}
            />
          </td>
          <td>
            <Choice
              label={trends.styleOf(pen.name)}
              value={pen.style}
              choices={['step', 'line'] as const}
              texts={trends.styles}
              onChange={(style) => model.change(key, { style })}
            />
          </td>
          <td>
            <button
              type="button"
              class="plain"
              aria-label={trends.removePen(pen.name)}
              onClick={() => model.remove(key)}
            >
              ✕
            </button>
          </td>
        </>
      )}
    </tr>
  );
}

/** Statistics are of all records, the forced ones among them. */
function hasForced({ source }: TrendParts, drawing: TrendDrawing, pen: Pen): boolean {
  const { from, until } = drawing.drawn.peek();
  const pieces = source.pieces(pen, from, until, drawing.layout.peek().width);
  return pieces.some(({ trace }) => trace.flags.some((flags) => (flags & archiveFlag.simulated) !== 0));
}

interface ChoiceProps<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly choices: readonly T[];
  readonly texts: Readonly<Record<T, string>>;
  readonly onChange: (value: T) => void;
}

function Choice<T extends string>({ label, value, choices, texts, onChange }: ChoiceProps<T>): JSX.Element {
  return (
    <select aria-label={label} value={value} onChange={(event) => onChange(event.currentTarget.value as T)}>
      {choices.map((choice) => (
        <option key={choice} value={choice}>
          {texts[choice]}
        </option>
      ))}
    </select>
  );
}

function ValueHead({ parts: { model } }: { readonly parts: TrendParts }) {
  const { trends } = words.value;
  const us = model.pointer.value;
  if (us !== undefined) return <>{clockText(us)}</>;
  return <>{model.isLive.value ? trends.now : trends.atEnd}</>;
}

/** At the pointer; else now, or at the end of the window. */
function ValueCell({
  parts,
  drawing,
  pen,
  facts,
}: {
  readonly parts: TrendParts;
  readonly drawing: TrendDrawing;
  readonly pen: Pen;
  readonly facts: Facts;
}) {
  const { model, source } = parts;
  const us = model.pointer.value;
  if (us === undefined && model.isLive.value) return <LiveValueOf kind={pen.kind} name={pen.name} bare />;
  void source.version.value;
  void model.calm.value;
  const window = drawing.drawn.peek();
  const found = source.valueAt(pen, us ?? window.until - 1, window, drawing.layout.value.width);
  return <Value name={pen.name} shown={found ?? 'none'} facts={facts} bare />;
}

function CursorCell({
  pen,
  values,
  facts,
}: {
  readonly pen: Pen;
  readonly values: ValuesOfPens | 'pending';
  readonly facts: Facts;
}) {
  const shown: Shown = values === 'pending' ? 'pending' : (values.get(keyOfPen(pen)) ?? 'none');
  return (
    <td class="number">
      <Value name={pen.name} shown={shown} facts={facts} bare />
    </td>
  );
}

function differenceText(pen: Pen, a: ValuesOfPens | 'pending', b: ValuesOfPens | 'pending', facts: Facts): string {
  if (a === 'pending' || b === 'pending') return '…';
  const [first, second] = [a, b].map((values) => Number(values.get(keyOfPen(pen))?.value.slice(1) ?? Number.NaN));
  const difference = (second ?? Number.NaN) - (first ?? Number.NaN);
  return Number.isFinite(difference) ? figureText(difference, facts) : '';
}

function figureText(value: number, facts: Facts): string {
  return valueText(formatPrefixed('d', value), typeof facts === 'string' ? undefined : facts);
}

/** 99.99 % is not 100 %. */
function percentText(percent: number): string {
  const shown =
    percent === 100 || percent === 0 ? percent : Math.min(99.9, Math.max(0.1, Math.round(percent * 10) / 10));
  return `${localNumber(String(shown))} %`;
}

/** `1 d 02:03:04.5` */
function spanText(us: number): string {
  const size = Math.abs(us);
  const days = Math.floor(size / 86_400e6);
  const clock = new Date((size % 86_400e6) / 1000).toISOString().slice(11, size < 60e6 ? 23 : 19);
  return `${us < 0 ? '−' : ''}${days > 0 ? `${days} d ` : ''}${clock}`;
}

const settleMs = 150;

/** As the archive has them, exactly, once the cursor stands still. */
function useValuesAt({ model }: TrendParts, cursor: Cursor): ValuesOfPens | 'pending' {
  const found = useSignal<ValuesOfPens | 'pending'>('pending');
  useSignalEffect(() => {
    const us = model.cursors.value[cursor];
    const pens = model.pens.value;
    if (us === undefined) return;
    const end = new AbortController();
    const read = async () => {
      const next = new Map<string, LiveValue>();
      for (const kind of ['measurements', 'commands'] as const satisfies readonly PointKind[]) {
        const names = pens.filter((pen) => pen.kind === kind).map(({ name }) => name);
        if (names.length === 0) continue;
        const values = await valuesAt(kind, names, us, end.signal).catch(() => undefined);
        for (const [name, value] of values ?? []) next.set(keyOfPen({ kind, name }), value);
      }
      if (!end.signal.aborted) found.value = next;
    };
    const timer = setTimeout(() => void read(), settleMs);
    return () => {
      clearTimeout(timer);
      end.abort();
    };
  });
  return found.value;
}
