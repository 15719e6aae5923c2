// Draws the axes of a trend around its frame, and their grid: time below, values at the left and the right.
import type { Colours } from './colours.ts';
import type { Frame } from './draw-pen.ts';
import type { Ticks } from './time-ticks.ts';
import { numberText, valueTicks } from './value-ticks.ts';

/** What an axis of values shows: a range over the whole height of the plot. */
export interface Scale {
  readonly title: string;
  readonly colour: string;
  readonly low: number;
  readonly high: number;
  /** Below it are bands of states. */
  readonly lowest: number;
}

/** Where it is, in pixels of the page. */
export interface PlacedAxis extends Scale {
  readonly isLeft: boolean;
  /** Away from the frame, and its width. */
  readonly offset: number;
  readonly size: number;
  readonly ticks: readonly { readonly value: number; readonly text: string }[];
}

export interface AxesOptions {
  readonly frame: Frame;
  readonly ratio: number;
  readonly colours: Colours;
  readonly time: Ticks;
  /** The grid has the ticks of the first one. */
  readonly axes: readonly PlacedAxis[];
}

const fontSize = 12;
const digitWidth = 7;
const lineHeight = 1.5;
const tickLength = 10;
const tickGap = 5;
const tickRoom = 36;
const leastSize = 40;

/** One by one at the left and the right, from the frame outwards. */
export function placeAxes(scales: readonly Scale[], height: number): PlacedAxis[] {
  const offsets = { left: 0, right: 0 };
  return scales.map((scale, at) => {
    const side = at % 2 === 0 ? 'left' : 'right';
    const values = valueTicks(scale.low, scale.high, height / tickRoom).filter((value) => value >= scale.lowest);
    const ticks = values.map((value) => ({ value, text: numberText(value) }));
    const digits = Math.max(0, ...ticks.map(({ text }) => text.length));
    const size = Math.max(leastSize, digits * digitWidth + tickLength + 2 * tickGap);
    const offset = offsets[side];
    offsets[side] += size;
    return { ...scale, isLeft: side === 'left', offset, size, ticks };
  });
}

/** What axes take at one side. */
export function roomOf(axes: readonly PlacedAxis[], isLeft: boolean): number {
  return axes.reduce((sum, axis) => (axis.isLeft === isLeft ? sum + axis.size : sum), 0);
}

export function drawAxes(context: CanvasRenderingContext2D, options: AxesOptions): void {
  const { frame, ratio, colours } = options;
  context.save();
  context.font = `${fontSize * ratio}px ${colours.font}`;
  context.strokeStyle = colours.faint;
  context.lineWidth = Math.max(1, Math.round(ratio));
  context.beginPath();
  drawTimeAxis(context, options);
  for (const [at, axis] of options.axes.entries()) drawValueAxis(context, axis, frame, ratio, at === 0);
  context.stroke();
  context.font = `bold ${context.font}`;
  for (const axis of options.axes) drawTitle(context, axis, frame, ratio);
  context.restore();
}

function drawTimeAxis(context: CanvasRenderingContext2D, { frame, ratio, colours, time }: AxesOptions): void {
  const bottom = frame.top + frame.height;
  const scale = frame.width / (frame.until - frame.from);
  context.fillStyle = colours.quiet;
  context.textAlign = 'center';
  context.textBaseline = 'top';
  for (const [at, us] of time.at.entries()) {
    const x = sharp(context, frame.left + (us - frame.from) * scale);
    context.moveTo(x, frame.top);
    context.lineTo(x, bottom + tickLength * ratio);
    for (const [line, text] of (time.texts[at] ?? '').split('\n').entries()) {
      context.fillText(text, x, bottom + (tickLength + tickGap + line * fontSize * lineHeight) * ratio);
    }
  }
}

function drawValueAxis(
  context: CanvasRenderingContext2D,
  { isLeft, offset, low, high, ticks, colour }: PlacedAxis,
  { left, top, width, height }: Frame,
  ratio: number,
  hasGrid: boolean,
): void {
  const outwards = isLeft ? -ratio : ratio;
  const edge = (isLeft ? left : left + width) + offset * outwards;
  context.fillStyle = colour;
  context.textAlign = isLeft ? 'right' : 'left';
  context.textBaseline = 'middle';
  for (const { value, text } of ticks) {
    const y = sharp(context, top + ((high - value) / (high - low)) * height);
    context.moveTo(hasGrid ? left + width : edge, y);
    context.lineTo(edge + tickLength * outwards, y);
    context.fillText(text, edge + (tickLength + tickGap) * outwards, y);
  }
}

/** Above its axis; where it is longer than this is wide, over the frame too. */
function drawTitle(
  context: CanvasRenderingContext2D,
  { title, colour, isLeft, offset, size }: PlacedAxis,
  { left, top, width }: Frame,
  ratio: number,
): void {
  const outwards = isLeft ? -ratio : ratio;
  const inner = (isLeft ? left : left + width) + offset * outwards;
  const isLong = context.measureText(title).width > (size - 6) * ratio;
  const x = inner + (isLong ? size - 6 : 6) * outwards;
  context.fillStyle = colour;
  context.textAlign = isLeft === isLong ? 'left' : 'right';
  context.textBaseline = 'bottom';
  context.fillText(title, x, top - 5 * ratio);
}

/** So that a line fills whole pixels. */
function sharp({ lineWidth }: CanvasRenderingContext2D, at: number): number {
  return Math.round(at) + (lineWidth % 2) / 2;
}
