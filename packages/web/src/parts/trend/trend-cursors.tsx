// What lies over a plot: the pointer's line, the cursors, which are moved by hand or by keys, and the box that is being drawn.
import type { ReadonlySignal } from '@preact/signals';
import { words } from '../../words/words.ts';
import { momentText } from '../times.ts';
import type { Box } from './gestures.ts';
import type { TrendDrawing } from './trend-drawing.ts';
import type { Cursor, TrendModel } from './trend-model.ts';

export interface TrendCursorsProps {
  readonly model: TrendModel;
  readonly drawing: TrendDrawing;
  readonly box: ReadonlySignal<Box | undefined>;
}

export function TrendCursors({ model, drawing, box }: TrendCursorsProps) {
  const { left, top, width, height } = drawing.layout.value;
  const shown = box.value;
  return (
    <div class="trend-area" style={{ left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` }}>
      <PointerLine model={model} drawing={drawing} />
      <CursorLine cursor="a" model={model} drawing={drawing} />
      <CursorLine cursor="b" model={model} drawing={drawing} />
      {shown !== undefined && (
        <div
          class="trend-box"
          style={{
            left: `${shown.left}px`,
            top: `${shown.top}px`,
            width: `${shown.width}px`,
            height: `${shown.height}px`,
          }}
        />
      )}
    </div>
  );
}

interface LineProps {
  readonly model: TrendModel;
  readonly drawing: TrendDrawing;
}

function PointerLine({ model, drawing }: LineProps) {
  const us = model.pointer.value;
  const left = us === undefined ? undefined : leftOf(drawing, us);
  return left === undefined ? null : <div class="trend-pointer" style={{ transform: `translateX(${left}px)` }} />;
}

const stepPx = 1;
const widePx = 20;

function CursorLine({ cursor, model, drawing }: LineProps & { readonly cursor: Cursor }) {
  const us = model.cursors.value[cursor];
  const { from, until } = drawing.drawn.value;
  const left = us === undefined ? undefined : leftOf(drawing, us);
  if (us === undefined || left === undefined) return null;
  const pixelUs = (until - from) / Math.max(1, drawing.layout.peek().width);
  const onKeyDown = (event: KeyboardEvent) => {
    const by = (event.shiftKey ? widePx : stepPx) * pixelUs;
    const moves: Readonly<Record<string, number | undefined>> = {
      ArrowLeft: us - by,
      ArrowRight: us + by,
      Home: from,
      End: until,
    };
    const next = moves[event.key];
    if (next === undefined && event.key !== 'Delete') return;
    event.preventDefault();
    event.stopPropagation();
    model.setCursor(cursor, next);
  };
  const onPointerDown = (event: PointerEvent & { readonly currentTarget: HTMLElement }) => {
    event.stopPropagation();
    event.currentTarget.setPointerCapture(event.pointerId);
  };
  const onPointerMove = (event: PointerEvent & { readonly currentTarget: HTMLElement }) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    event.stopPropagation();
    const area = event.currentTarget.parentElement?.getBoundingClientRect();
    if (area !== undefined) model.setCursor(cursor, from + (event.clientX - area.left) * pixelUs);
  };
  return (
    <div
      class={`trend-cursor trend-cursor-${cursor}`}
      role="slider"
      tabIndex={0}
      aria-label={words.value.trends.cursor[cursor]}
      aria-valuemin={from / 1e6}
      aria-valuemax={until / 1e6}
      aria-valuenow={us / 1e6}
      aria-valuetext={momentText(us, { millis: true })}
      style={{ transform: `translateX(${left}px)` }}
      onKeyDown={onKeyDown}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
    >
      <span aria-hidden="true">{cursor.toUpperCase()}</span>
    </div>
  );
}

/** Undefined: it is not in the window. */
function leftOf(drawing: TrendDrawing, us: number): number | undefined {
  const { from, until } = drawing.drawn.value;
  if (us < from || us > until) return undefined;
  return ((us - from) / (until - from)) * drawing.layout.value.width;
}
