// The drawing of a trend: uPlot has the canvas, scales and axes; pens, marks and limits are drawn into it by draw-pen.ts and
// draw-marks.ts. What is drawn is asked for at each frame.
import uPlot from 'uplot';
import type { Piece, Trace } from '../../data/trace.ts';
import { localNumber } from '../../words/words.ts';
import type { Axis, KnownPen } from './axes.ts';
import { type Colours, penColour, penDash } from './colours.ts';
import { addToLine, drawBand, type Frame, newLine, strokeLine } from './draw-pen.ts';
import { timeTicks } from './time-ticks.ts';

/** Pieces of records, and how far their times are moved; of the overlay, of before. */
export interface Layer {
  readonly pieces: readonly Piece[];
  readonly shift: number;
  readonly isOverlay: boolean;
}

export interface Limit {
  readonly axis: string;
  readonly value: number;
  readonly text: string;
  /** Of the alarm; undefined: the end of a range. */
  readonly severity: number | undefined;
}

export interface Drawing {
  readonly from: number;
  readonly until: number;
  readonly axes: readonly Axis[];
  readonly ranges: ReadonlyMap<string, readonly [number, number]>;
  /** In the order of the legend; those that are hidden are not in it. */
  readonly pens: readonly KnownPen[];
  readonly layersOf: (pen: KnownPen) => readonly Layer[];
  /** Of the pen in the legend, from 1. */
  readonly numberOf: (pen: KnownPen) => number;
  readonly selected: string | undefined;
  readonly limits: readonly Limit[];
  readonly drawMarks: (context: CanvasRenderingContext2D, frame: Frame, ratio: number) => void;
  readonly textOf: (trace: Trace, at: number) => string;
  readonly colours: Colours;
}

export interface PlotOptions {
  readonly root: HTMLElement;
  /** Anew for each frame; undefined: nothing to draw yet. */
  readonly drawing: () => Drawing;
  /** Where the plot is in its element, in pixels of the page; after each frame. */
  readonly onDrawn: (place: { left: number; top: number; width: number; height: number }) => void;
}

const fontSize = 12;
const bandHeight = 16;
const bandGap = 5;
const topMargin = 22;
const axisSize = 58;
const tickGap = 84;
/** Narrower plots have one axis: that of the selected pen. */
const widthOfAxis = 300;

export class Plot {
  readonly #options: PlotOptions;
  #u: uPlot | undefined;
  #key = '';
  #drawing: Drawing;
  #shownAxes: readonly Axis[] = [];
  #frame = 0;
  #isClosed = false;

  constructor(options: PlotOptions) {
    this.#options = options;
    this.#drawing = options.drawing();
  }

  get canvas(): HTMLCanvasElement | undefined {
    return this.#u?.ctx.canvas;
  }

  /** Draws with the next frame. */
  request(): void {
    if (this.#frame !== 0 || this.#isClosed) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.draw();
    });
  }

  draw(): void {
    const { root, drawing } = this.#options;
    const width = root.clientWidth;
    const height = root.clientHeight;
    if (this.#isClosed || width < 60 || height < 60) return;
    this.#drawing = drawing();
    this.#shownAxes = shownAxes(this.#drawing, width);
    const key = `${this.#shownAxes.map((axis) => axis.key).join('|')} ${this.#drawing.axes.map((axis) => axis.key).join('|')}`;
    if (this.#u === undefined || key !== this.#key) {
      this.#u?.destroy();
      this.#key = key;
      this.#u = this.#make(width, height);
      return;
    }
    const u = this.#u;
    if (u.width !== width || u.height !== height) u.setSize({ width, height });
    u.batch(() => {
      u.setScale('x', { min: this.#drawing.from, max: this.#drawing.until });
      for (const axis of this.#drawing.axes) {
        const [min, max] = this.#rangeAboveBands(axis.key);
        u.setScale(axis.key, { min, max });
      }
      u.redraw(false, true);
    });
  }

  close(): void {
    this.#isClosed = true;
    cancelAnimationFrame(this.#frame);
    this.#u?.destroy();
    this.#u = undefined;
  }

  /** The value of an axis at a height, in pixels from the top of the plot. */
  valueAt(axis: string, top: number): number {
    const [low, high] = this.#rangeAboveBands(axis);
    return high - ((high - low) * top) / Math.max(1, this.#height());
  }

  /** So that the bands have room below the values. */
  #rangeAboveBands(axis: string): [number, number] {
    const [low, high] = this.#drawing.ranges.get(axis) ?? [0, 1];
    const height = this.#height();
    const bands = this.#bandsHeight();
    if (bands === 0 || bands >= height * 0.8) return [low, high];
    return [low - ((high - low) * bands) / (height - bands), high];
  }

  #height(): number {
    return (this.#u?.bbox.height ?? 300 * uPlot.pxRatio) / uPlot.pxRatio;
  }

  #bandsHeight(): number {
    const count = this.#drawing.pens.filter(({ isState }) => isState).length;
    return count === 0 ? 0 : count * (bandHeight + bandGap) + bandGap;
  }

  #make(width: number, height: number): uPlot {
    const { colours } = this.#drawing;
    const font = `${fontSize}px ${colours.font}`;
    const scales: uPlot.Scales = { x: { time: false, range: () => [this.#drawing.from, this.#drawing.until] } };
    for (const { key } of this.#drawing.axes) scales[key] = { auto: false, range: () => this.#rangeAboveBands(key) };
    const lines = (width: number) => ({ stroke: () => this.#drawing.colours.faint, width });
    let ticks = { at: [] as readonly number[], texts: [] as readonly string[] };
    const axes: uPlot.Axis[] = [
      {
        scale: 'x',
        font,
        stroke: () => this.#drawing.colours.quiet,
        grid: lines(1),
        ticks: lines(1),
        size: 46,
        splits: (u, _, min, max) => {
          ticks = timeTicks(min, max, (u.width - axisSize) / tickGap);
          return [...ticks.at];
        },
        values: () => [...ticks.texts],
      },
      ...this.#shownAxes.map((axis, at): uPlot.Axis => {
        const aboveBands: uPlot.Axis.Filter = (_, splits) => {
          const [low] = this.#drawing.ranges.get(axis.key) ?? [0];
          return splits.map((value) => (value < low ? null : value));
        };
        return {
          scale: axis.key,
          side: at % 2 === 0 ? 3 : 1,
          font,
          stroke: () => axisColour(this.#drawing.colours, this.#drawing.axes, axis),
          grid: { ...lines(1), show: at === 0, filter: aboveBands },
          ticks: { ...lines(1), filter: aboveBands },
          size: (_, values) => Math.max(40, ...(values ?? []).map((text) => text.length * 7 + 20)),
          filter: aboveBands,
          values: (_, splits) => splits.map((value) => (value === null ? '' : numberText(value))),
        };
      }),
    ];
    return new uPlot(
      {
        width,
        height,
        scales,
        axes,
        series: [{}],
        legend: { show: false },
        cursor: { show: false },
        padding: [topMargin, 12, 0, 12],
        hooks: { draw: [(u) => this.#drawAll(u)] },
      },
      [[0, 1]],
      this.#options.root,
    );
  }

  #drawAll(u: uPlot): void {
    const { pens, colours, from, until, drawMarks, textOf } = this.#drawing;
    const ratio = uPlot.pxRatio;
    const { left, top, width, height } = u.bbox;
    const frame: Frame = { left, top, width, height, from, until };
    const context = u.ctx;
    context.save();
    this.#drawTitles(u, ratio);
    context.beginPath();
    context.rect(left, top, width, height);
    context.clip();
    drawMarks(context, frame, ratio);
    this.#drawLimits(context, frame, ratio);
    let band = 0;
    const bands = pens.filter(({ isState }) => isState).length;
    for (const pen of pens) {
      const colour = penColour(colours, pen.pen.colour);
      const layers = this.#drawing.layersOf(pen);
      if (pen.isState) {
        const bandTop = top + height - (bands - band) * (bandHeight + bandGap) * ratio;
        band++;
        for (const { pieces, shift, isOverlay } of layers) {
          const size = isOverlay
            ? { top: bandTop - 4 * ratio, height: 3 * ratio }
            : { top: bandTop, height: bandHeight * ratio };
          const font = `${11 * ratio}px ${colours.font}`;
          drawBand(context, { frame, pieces, shift, ...size, colour, ratio, font, textColour: colours.text, textOf });
        }
        this.#drawNumber(context, pen, frame.left + 9 * ratio, bandTop + (bandHeight / 2) * ratio, ratio);
      } else this.#drawLine(context, pen, layers, frame, ratio);
    }
    context.restore();
    this.#options.onDrawn({ left: left / ratio, top: top / ratio, width: width / ratio, height: height / ratio });
  }

  #drawLine(
    context: CanvasRenderingContext2D,
    pen: KnownPen,
    layers: readonly Layer[],
    frame: Frame,
    ratio: number,
  ): void {
    const { axes, colours, selected } = this.#drawing;
    const axis = axes.find(({ pens }) => pens.some(({ key }) => key === pen.key));
    if (axis === undefined) return;
    const [low, high] = this.#rangeAboveBands(axis.key);
    const scale = frame.height / (high - low);
    const yOf = (value: number) => frame.top + (high - value) * scale;
    const stroke = { colour: penColour(colours, pen.pen.colour), ratio, isSelected: selected === pen.key };
    const dash = penDash(pen.pen.colour);
    for (const isOverlay of [true, false]) {
      const line = newLine();
      for (const layer of layers) {
        if (layer.isOverlay !== isOverlay) continue;
        addToLine(line, { frame, pieces: layer.pieces, shift: layer.shift, yOf, style: pen.pen.style });
      }
      strokeLine(context, line, { ...stroke, dash: isOverlay ? [2, 2] : dash, isOverlay });
      if (!isOverlay && line.end !== undefined) {
        const x = Math.min(line.end.x, frame.left + frame.width) - 9 * ratio;
        this.#drawNumber(context, pen, x, line.end.y, ratio);
      }
    }
  }

  /** The number that the pen has in the legend. */
  #drawNumber(context: CanvasRenderingContext2D, pen: KnownPen, x: number, y: number, ratio: number): void {
    const { colours, numberOf } = this.#drawing;
    const size = 13 * ratio;
    context.save();
    context.fillStyle = colours.panel;
    context.strokeStyle = penColour(colours, pen.pen.colour);
    context.lineWidth = 1.5 * ratio;
    context.beginPath();
    context.rect(x - size / 2, y - size / 2, size, size);
    context.fill();
    context.stroke();
    context.fillStyle = colours.text;
    context.font = `bold ${10 * ratio}px ${colours.font}`;
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    context.fillText(String(numberOf(pen)), x, y + ratio / 2);
    context.restore();
  }

  #drawLimits(context: CanvasRenderingContext2D, frame: Frame, ratio: number): void {
    const { limits, colours } = this.#drawing;
    context.save();
    context.font = `${11 * ratio}px ${colours.font}`;
    context.textBaseline = 'bottom';
    for (const { axis, value, text, severity } of limits) {
      const [low, high] = this.#rangeAboveBands(axis);
      const y = frame.top + ((high - value) / (high - low)) * frame.height;
      const [lowest = low] = this.#drawing.ranges.get(axis) ?? [];
      if (value < lowest || y < frame.top) continue;
      context.strokeStyle =
        severity === undefined ? colours.line : (colours.severities[Math.min(severity, 4)] ?? colours.line);
      context.lineWidth = ratio;
      context.setLineDash([6 * ratio, 3 * ratio, ratio, 3 * ratio]);
      context.beginPath();
      context.moveTo(frame.left, y);
      context.lineTo(frame.left + frame.width, y);
      context.stroke();
      context.fillStyle = colours.quiet;
      context.fillText(text, frame.left + 4 * ratio, y - ratio);
    }
    context.restore();
  }

  /** Above each axis, what it measures. */
  #drawTitles(u: uPlot, ratio: number): void {
    const { colours, axes } = this.#drawing;
    const context = u.ctx;
    context.save();
    context.font = `bold ${fontSize * ratio}px ${colours.font}`;
    context.textBaseline = 'bottom';
    let left = 0;
    let right = 0;
    for (const [at, axis] of this.#shownAxes.entries()) {
      const size = ((u.axes[at + 1] as { _size?: number } | undefined)?._size ?? axisSize) * ratio;
      context.fillStyle = axisColour(colours, axes, axis);
      const isLeft = at % 2 === 0;
      const x = isLeft ? u.bbox.left - left - 6 * ratio : u.bbox.left + u.bbox.width + right + 6 * ratio;
      const room = Math.max(40 * ratio, size);
      context.textAlign = isLeft ? 'right' : 'left';
      if (context.measureText(axis.title).width > room) {
        context.textAlign = isLeft ? 'left' : 'right';
        const edge = isLeft ? x - room + 12 * ratio : x + room - 12 * ratio;
        context.fillText(axis.title, Math.max(2 * ratio, edge), u.bbox.top - 5 * ratio);
      } else context.fillText(axis.title, x, u.bbox.top - 5 * ratio);
      if (isLeft) left += size;
      else right += size;
    }
    context.restore();
  }
}

/** The first ones, and always that of the selected pen. */
function shownAxes({ axes, selected }: Drawing, width: number): Axis[] {
  const room = Math.max(1, Math.floor(width / widthOfAxis));
  if (axes.length <= room) return [...axes];
  const chosen = axes.find(({ pens }) => pens.some(({ key }) => key === selected));
  const first = axes.slice(0, room);
  return chosen === undefined || first.includes(chosen) ? first : [...first.slice(0, -1), chosen];
}

/** That of its pen, where it has one alone and there are others. */
function axisColour(colours: Colours, axes: readonly Axis[], { pens }: Axis): string {
  const [only, ...others] = pens;
  return only !== undefined && others.length === 0 && axes.length > 1
    ? penColour(colours, only.pen.colour)
    : colours.quiet;
}

/** Without the noise of sums of tenths. */
export function numberText(value: number): string {
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e9 || size < 1e-6)) return localNumber(value.toExponential(2).replace(/\.?0+e/, 'e'));
  return localNumber(String(Number(value.toPrecision(10))));
}
