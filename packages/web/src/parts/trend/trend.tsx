// The part trend: pens over time, to look at, pan, zoom and measure. The point drawer and the view of trends show it; what the view adds
// around it is in views/trends.
import { useComputed, useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { moment } from '../../data/moment.ts';
import { words } from '../../words/words.ts';
import { now } from '../now.ts';
import { ProblemText } from '../problem-text.tsx';
import { type Box, listenToGestures } from './gestures.ts';
import { keyOfPen, type Pen } from './pen.ts';
import { TrendCursors } from './trend-cursors.tsx';
import { TrendDrawing } from './trend-drawing.ts';
import { TrendLegend } from './trend-legend.tsx';
import { TrendModel } from './trend-model.ts';
import { type TrendParts, useTrend } from './trend-parts.ts';

export interface TrendProps {
  readonly pens: readonly Pen[];
  /** Seconds up to now, or up to the moment of the past that the page shows; it follows the time. */
  readonly span?: number;
  /** In its place: microseconds since 1970. */
  readonly from?: number;
  readonly until?: number;
}

const defaultSpanS = 3600;
const settleMs = 400;

/** With a window of its own. For one that others look at and change, see `TrendOf`. */
export function Trend({ pens, span = defaultSpanS, from, until }: TrendProps) {
  const model = useMemo(() => {
    const isFixed = from !== undefined && until !== undefined;
    return new TrendModel(pens, isFixed ? { from, until } : { live: span * 1e6 });
  }, []);
  const parts = useTrend(model);
  const text = pens.map(keyOfPen).join();
  useEffect(() => {
    model.pens.value = pens;
  }, [text]);
  useEffect(() => {
    if (from !== undefined && until !== undefined) model.show(from, until);
    else model.follow(span * 1e6);
  }, [from, until, span]);
  return <TrendOf parts={parts} isBare />;
}

export interface TrendOfProps {
  readonly parts: TrendParts;
  /** In a small place: without statistics, axes and the like in its legend. */
  readonly isBare?: boolean;
}

export function TrendOf({ parts, isBare = false }: TrendOfProps) {
  const { model, source } = parts;
  const root = useRef<HTMLDivElement>(null);
  const over = useRef<HTMLDivElement>(null);
  const drawing = useSignal<TrendDrawing | undefined>(undefined);
  const box = useSignal<Box | undefined>(undefined);
  useEffect(() => {
    if (root.current === null || over.current === null) return;
    const made = new TrendDrawing({ root: root.current, model, source, marks: parts.marks });
    parts.drawing = made;
    drawing.value = made;
    const stop = listenToGestures(over.current, gesturesOf(parts, made, over.current, box, isBare));
    return () => {
      stop();
      made.close();
      parts.drawing = undefined;
    };
  }, [parts]);
  useMarks(parts);
  const { trends } = words.value;
  const names = model.pens.value.map(({ name }) => name).join(', ');
  return (
    <div class={`trend ${isBare ? 'trend-bare' : ''}`}>
      <div
        class="trend-plot"
        role="application"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it is panned and zoomed by keys
        tabIndex={0}
        aria-label={trends.plot(names)}
        aria-busy={source.isLoading.value}
        onKeyDown={(event) => onKey(event, parts)}
      >
        <div class="trend-canvas" ref={root} aria-hidden="true" />
        <div class="trend-over" ref={over}>
          {drawing.value !== undefined && <TrendCursors model={model} drawing={drawing.value} box={box} />}
        </div>
        <Word parts={parts} drawing={drawing.value} />
      </div>
      {source.error.value !== undefined && <ProblemText error={source.error.value} />}
      {drawing.value !== undefined && <TrendLegend parts={parts} drawing={drawing.value} isBare={isBare} />}
    </div>
  );
}

interface WordProps {
  readonly parts: TrendParts;
  readonly drawing: TrendDrawing | undefined;
}

function Word({ parts: { source }, drawing }: WordProps) {
  const { trends } = words.value;
  const text = source.isLoading.value ? trends.loading : drawing?.lacksOverlay.value ? trends.noOverlay : undefined;
  return text === undefined ? null : (
    <span class="trend-word" role="status">
      {text}
    </span>
  );
}

function gesturesOf(
  { model }: TrendParts,
  drawing: TrendDrawing,
  over: HTMLElement,
  box: { value: Box | undefined },
  isBare: boolean,
) {
  const timeAt = (left: number) => {
    const { from, until } = drawing.drawn.peek();
    return from + ((until - from) * left) / Math.max(1, drawing.layout.peek().width);
  };
  return {
    pan: (dx: number, dy: number, isBoth: boolean) => {
      const { width, height } = drawing.layout.peek();
      model.pan(-dx / Math.max(1, width));
      if (isBoth) drawing.panValues(dy / Math.max(1, height));
    },
    zoom: (factor: number, left: number) => model.zoom(factor, timeAt(left)),
    zoomValues: (factor: number, top: number) => drawing.zoomValues(factor, top),
    zoomBox: ({ left, top, width, height }: Box) => {
      if (width < 4) return;
      model.show(timeAt(left), timeAt(left + width));
      if (height > 12) drawing.showValues(top, top + height);
    },
    drawBox: (next: Box | undefined) => {
      box.value = next;
    },
    point: (left: number | undefined) => {
      model.pointer.value = left === undefined ? undefined : timeAt(left);
    },
    click: (left: number, isSecond: boolean) => model.setCursor(isSecond ? 'b' : 'a', timeAt(left)),
    isBoxing: () => model.isBoxing.peek(),
    takesWheel: () => !isBare || over.parentElement === document.activeElement,
  };
}

const panShare = 0.1;
const zoomFactor = 0.7;

function onKey(event: KeyboardEvent, { model, drawing }: TrendParts): void {
  if (event.altKey || event.ctrlKey || event.metaKey || drawing === undefined) return;
  if (event.target !== event.currentTarget) return;
  const { from, until } = model.window();
  const share = event.shiftKey ? 5 * panShare : panShare;
  const middle = model.pointer.peek() ?? (from + until) / 2;
  const actions: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => model.pan(-share),
    ArrowRight: () => model.pan(share),
    ArrowUp: () => (event.shiftKey ? drawing.zoomValues(zoomFactor) : drawing.panValues(panShare)),
    ArrowDown: () => (event.shiftKey ? drawing.zoomValues(1 / zoomFactor) : drawing.panValues(-panShare)),
    PageUp: () => model.pan(-1),
    PageDown: () => model.pan(1),
    End: () => model.follow(),
    '+': () => model.zoom(zoomFactor),
    '=': () => model.zoom(zoomFactor),
    '-': () => model.zoom(1 / zoomFactor),
    '0': () => drawing.fitValues(),
    a: () => model.setCursor('a', middle),
    b: () => model.setCursor('b', middle),
    Delete: () => {
      model.cursors.value = {};
    },
  };
  const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (action === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  action();
}

/** Reads marks once the window stands still for a moment. */
function useMarks({ model, marks }: TrendParts): void {
  const measurements = useComputed(() =>
    model.pens.value.flatMap(({ kind, name }) => (kind === 'measurements' ? [name] : [])).join(),
  );
  useSignalEffect(() => {
    const names = measurements.value === '' ? [] : measurements.value.split(',');
    const isWanted = model.hasMarks.value || model.hasLimits.value;
    if (!isWanted) return;
    const choice = model.choice.value;
    // A live window is read again each ten seconds.
    void ('live' in choice && moment.value === undefined ? Math.floor(now.value / 10e6) : 0);
    const end = new AbortController();
    const timer = setTimeout(() => void marks.read(names, model.window(), end.signal), settleMs);
    return () => {
      clearTimeout(timer);
      end.abort();
    };
  });
}
