// Draws one pen: its line, with gaps where it was bad, thin and dotted where uncertain, hatched where forced; or its band of states.
import { archiveFlag, traitsOf } from '@telltale/schema/values';
import { indexAt, look, lookOf, type Piece, type Trace } from '../../data/trace.ts';

/** In pixels of the canvas. */
export interface Frame {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  readonly from: number;
  readonly until: number;
}

export interface Line {
  readonly good: Path2D;
  readonly uncertain: Path2D;
  readonly forced: Path2D;
  hasForced: boolean;
  hasUncertain: boolean;
  corners: number;
  /** Of its upright parts, in pixels. */
  length: number;
  /** Where it ends. */
  end: { readonly x: number; readonly y: number } | undefined;
}

export interface LineOptions {
  readonly frame: Frame;
  readonly pieces: readonly Piece[];
  /** Added to the times of the records. */
  readonly shift: number;
  readonly yOf: (value: number) => number;
  readonly style: 'step' | 'line';
}

export function newLine(): Line {
  return {
    good: new Path2D(),
    uncertain: new Path2D(),
    forced: new Path2D(),
    hasForced: false,
    hasUncertain: false,
    corners: 0,
    length: 0,
    end: undefined,
  };
}

/** Adds the pieces to a line. Records that fall into one column of pixels become its least and greatest value. */
export function addToLine(line: Line, { frame, pieces, shift, yOf, style }: LineOptions): void {
  const scale = frame.width / (frame.until - frame.from);
  const xOf = (us: number) => frame.left + (us + shift - frame.from) * scale;
  let endX = Number.NaN;
  let y = 0;
  let path: Path2D | undefined;
  let isForced = false;
  for (const { trace, from, until } of pieces) {
    const { times, values, qualities, flags } = trace;
    // What is not known yet is no line.
    if (Math.abs(xOf(from) - endX) > 0.5) path = undefined;
    const first = Math.max(0, indexAt(trace, from));
    let column = Number.NaN;
    let least = 0;
    let greatest = 0;
    const flush = () => {
      if (path !== undefined && greatest > least) {
        path.lineTo(column, least);
        path.lineTo(column, greatest);
        path.lineTo(column, y);
        line.corners += 3;
        line.length += 2 * (greatest - least);
      }
      greatest = least;
    };
    for (let at = first; at < times.length; at++) {
      const t = times[at] ?? 0;
      if (t >= until) break;
      const value = values[at] ?? Number.NaN;
      const lookNow = lookOf(qualities[at] ?? 0);
      const x1 = xOf(Math.max(t, from));
      const next = times[at + 1] ?? Number.POSITIVE_INFINITY;
      const x2 = xOf(Math.min(next, until));
      endX = x2;
      if (lookNow === look.bad || !Number.isFinite(value)) {
        flush();
        path = undefined;
        isForced = false;
        continue;
      }
      const newY = yOf(value);
      const wanted = lookNow === look.uncertain ? line.uncertain : line.good;
      if (lookNow === look.uncertain) line.hasUncertain = true;
      if (path !== wanted) {
        flush();
        if (path !== undefined && style === 'step') {
          wanted.moveTo(x1, y);
          wanted.lineTo(x1, newY);
        } else wanted.moveTo(x1, newY);
        path = wanted;
        line.corners++;
      } else if (Math.floor(x2) === column) {
        least = Math.min(least, newY);
        greatest = Math.max(greatest, newY);
        y = newY;
        continue;
      } else {
        flush();
        path.lineTo(x1, newY);
        line.corners++;
        line.length += Math.abs(newY - y);
      }
      const isLast = next >= until;
      if (style === 'step' || isLast) path.lineTo(x2, newY);
      column = Math.floor(x2);
      least = newY;
      greatest = newY;
      y = newY;
      const isNowForced = ((flags[at] ?? 0) & archiveFlag.simulated) !== 0;
      if (isNowForced) {
        if (isForced) line.forced.lineTo(x1, newY);
        else line.forced.moveTo(x1, newY);
        line.forced.lineTo(x2, newY);
        line.hasForced = true;
      }
      isForced = isNowForced;
    }
    flush();
    if (path !== undefined) line.end = { x: endX, y };
  }
}

export interface StrokeOptions {
  readonly colour: string;
  readonly dash: readonly number[];
  /** Device pixels of one of the screen. */
  readonly ratio: number;
  readonly isSelected: boolean;
  readonly isOverlay: boolean;
}

/**
 * A line with more corners, or longer in pixels, is drawn as thin as a pixel and without its dash, which is not seen on it: without a
 * graphics card such a line costs a tenth.
 */
const mostCorners = 500;
const mostLength = 12_000;

export function strokeLine(context: CanvasRenderingContext2D, line: Line, options: StrokeOptions): void {
  const { colour, dash, ratio, isSelected, isOverlay } = options;
  const isDense = line.corners > mostCorners || line.length > mostLength * ratio;
  context.save();
  context.lineJoin = 'bevel';
  if (line.hasForced) {
    context.strokeStyle = hatch(context, colour, ratio);
    context.lineWidth = 11 * ratio;
    context.stroke(line.forced);
  }
  context.strokeStyle = colour;
  if (isOverlay) context.globalAlpha = 0.5;
  context.lineWidth = isDense ? 1 : (isSelected ? 2.6 : isOverlay ? 1 : 1.6) * ratio;
  if (!isDense) context.setLineDash(dash.map((length) => length * ratio));
  context.stroke(line.good);
  if (line.hasUncertain) {
    context.lineWidth = 1;
    context.setLineDash(isDense ? [] : [ratio, 3 * ratio]);
    context.stroke(line.uncertain);
  }
  context.restore();
}

const hatches = new WeakMap<CanvasRenderingContext2D, Map<string, CanvasPattern>>();

/** Slanting lines in the colour of the pen. */
export function hatch(context: CanvasRenderingContext2D, colour: string, ratio: number): CanvasPattern | string {
  const known = hatches.get(context) ?? new Map<string, CanvasPattern>();
  hatches.set(context, known);
  const key = `${colour} ${ratio}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  const size = Math.round(6 * ratio);
  const tile = document.createElement('canvas');
  tile.width = size;
  tile.height = size;
  const pen = tile.getContext('2d');
  if (pen === null) return colour;
  pen.strokeStyle = colour;
  pen.lineWidth = 1.2 * ratio;
  for (const by of [-size, 0, size]) {
    pen.beginPath();
    pen.moveTo(by, size);
    pen.lineTo(by + size, 0);
    pen.stroke();
  }
  const pattern = context.createPattern(tile, 'repeat');
  if (pattern === null) return colour;
  if (known.size > 64) known.clear();
  known.set(key, pattern);
  return pattern;
}

export interface BandOptions {
  readonly frame: Frame;
  readonly pieces: readonly Piece[];
  readonly shift: number;
  readonly top: number;
  readonly height: number;
  readonly colour: string;
  readonly ratio: number;
  readonly font: string;
  readonly textColour: string;
  readonly textOf: (trace: Trace, at: number) => string;
}

/** A band of states: off is a line, on is filled, others have their text. */
export function drawBand(context: CanvasRenderingContext2D, options: BandOptions): void {
  const { frame, pieces, shift, top, height, colour, ratio, font, textColour, textOf } = options;
  const scale = frame.width / (frame.until - frame.from);
  const xOf = (us: number) => frame.left + (us + shift - frame.from) * scale;
  context.save();
  context.font = font;
  context.textBaseline = 'middle';
  for (const { trace, from, until } of pieces) {
    const { times, values, qualities, flags } = trace;
    const { isBoolean } = traitsOf(trace.datatype);
    let drawnTo = Number.NEGATIVE_INFINITY;
    for (let at = Math.max(0, indexAt(trace, from)); at < times.length; at++) {
      const t = times[at] ?? 0;
      if (t >= until) break;
      const lookNow = lookOf(qualities[at] ?? 0);
      const x1 = Math.max(xOf(Math.max(t, from)), drawnTo);
      const x2 = xOf(Math.min(times[at + 1] ?? Number.POSITIVE_INFINITY, until));
      if (lookNow === look.bad || x2 <= x1) continue;
      const value = values[at] ?? Number.NaN;
      const width = Math.max(ratio, x2 - x1);
      drawnTo = x1 + width;
      const isOff = value === 0;
      context.fillStyle = colour;
      context.strokeStyle = colour;
      context.globalAlpha = lookNow === look.uncertain ? 0.35 : 1;
      if (isOff) context.fillRect(x1, top + height - 2 * ratio, width, 2 * ratio);
      else {
        context.globalAlpha *= isBoolean ? 0.75 : 0.3;
        context.fillRect(x1, top, width, height);
        context.globalAlpha = 1;
        context.fillRect(x1, top, Math.min(width, ratio), height);
      }
      if (((flags[at] ?? 0) & archiveFlag.simulated) !== 0) {
        context.globalAlpha = 1;
        context.fillStyle = hatch(context, textColour, ratio);
        context.fillRect(x1, top, width, height);
      }
      context.globalAlpha = 1;
      if (isBoolean || width < 14 * ratio) continue;
      const text = textOf(trace, at);
      const seen = Math.max(x1, frame.left);
      const room = Math.min(x2, frame.left + frame.width) - seen - 6 * ratio;
      if (context.measureText(text).width > room) continue;
      context.fillStyle = textColour;
      context.fillText(text, seen + 3 * ratio, top + height / 2);
    }
  }
  context.restore();
}
