// The drawing of a trend: its canvas, and what is where on it. Axes, pens and marks are drawn by draw-axes.ts, draw-pen.ts and
// draw-marks.ts. What is drawn is asked for at each frame.
import type { Piece, Trace } from '../../data/trace.ts';
import type { Axis, KnownPen } from './axes.ts';
import { type Colours, penColour, penDash } from './colours.ts';
import { drawAxes, type PlacedAxis, placeAxes, roomOf, type Scale } from './draw-axes.ts';
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
  readonly onDrawn: (place: Place) => void;
}

/** Of the plot in its element, in pixels of the page. */
export interface Place {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

const bandHeight = 16;
const bandGap = 5;
const topMargin = 22;
const bottomMargin = 46;
/** Where there is no axis. */
const sideMargin = 12;
const tickRoom = 84;
/** Narrower plots have one axis: that of the selected pen. */
const widthOfAxis = 300;

export class Plot {
  readonly #options: PlotOptions;
  readonly canvas = document.createElement('canvas');
  #drawing: Drawing;
  /** Of the plot, in pixels of the page. */
  #height = 300;
  #frame = 0;
  #isClosed = false;

  constructor(options: PlotOptions) {
    this.#options = options;
    this.#drawing = options.drawing();
    options.root.append(this.canvas);
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
    this.#height = Math.max(1, height - topMargin - bottomMargin);
    const axes = placeAxes(this.#scales(width), this.#height);
    const left = Math.max(sideMargin, roomOf(axes, true));
    const right = Math.max(sideMargin, roomOf(axes, false));
    this.#drawAll(axes, { left, top: topMargin, width: Math.max(1, width - left - right), height: this.#height });
  }

  close(): void {
    this.#isClosed = true;
    cancelAnimationFrame(this.#frame);
    this.canvas.remove();
  }

  /** The value of an axis at a height, in pixels from the top of the plot. */
  valueAt(axis: string, top: number): number {
    const [low, high] = this.#rangeAboveBands(axis);
    return high - ((high - low) * top) / this.#height;
  }

  /** So that the bands have room below the values. */
  #rangeAboveBands(axis: string): [number, number] {
    const [low, high] = this.#drawing.ranges.get(axis) ?? [0, 1];
    const height = this.#height;
    const bands = this.#bandsHeight();
    if (bands === 0 || bands >= height * 0.8) return [low, high];
    return [low - ((high - low) * bands) / (height - bands), high];
  }

  #bandsHeight(): number {
    const count = this.#drawing.pens.filter(({ isState }) => isState).length;
    return count === 0 ? 0 : count * (bandHeight + bandGap) + bandGap;
  }

  #scales(width: number): Scale[] {
    const { axes, colours, ranges } = this.#drawing;
    return shownAxes(this.#drawing, width).map((axis) => {
      const [low, high] = this.#rangeAboveBands(axis.key);
      const [lowest = low] = ranges.get(axis.key) ?? [];
      return { title: axis.title, colour: axisColour(colours, axes, axis), low, high, lowest };
    });
  }

  /** The canvas has the pixels of the screen. */
  #sizeCanvas(ratio: number): void {
    const { clientWidth, clientHeight } = this.#options.root;
    const width = Math.round(clientWidth * ratio);
    const height = Math.round(clientHeight * ratio);
    if (this.canvas.width !== width || this.canvas.height !== height) Object.assign(this.canvas, { width, height });
  }

  #drawAll(axes: readonly PlacedAxis[], place: Place): void {
    const { pens, colours, from, until, drawMarks, textOf } = this.#drawing;
    const context = this.canvas.getContext('2d');
    if (context === null) return;
    const ratio = devicePixelRatio;
    this.#sizeCanvas(ratio);
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    const pixels = (px: number) => Math.round(px * ratio);
    const [left, top, width, height] = [
      pixels(place.left),
      pixels(place.top),
      pixels(place.width),
      pixels(place.height),
    ];
    const frame: Frame = { left, top, width, height, from, until };
    drawAxes(context, { frame, ratio, colours, axes, time: timeTicks(from, until, place.width / tickRoom) });
    context.save();
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
    this.#options.onDrawn(place);
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
    // The axes have left theirs.
    context.textAlign = 'left';
    for (const { axis, value, text, severity } of limits) {
      const [low, high] = this.#rangeAboveBands(axis);
      const y = frame.top + ((high - value) / (high - low)) * frame.height;
      const [lowest = low] = this.#drawing.ranges.get(axis) ?? [];
      if (value < lowest || y < frame.top) continue;
      const colour = severity === undefined ? undefined : colours.severities[Math.min(severity, 4)];
      context.setLineDash([6 * ratio, 3 * ratio, ratio, 3 * ratio]);
      context.beginPath();
      context.moveTo(frame.left, y);
      context.lineTo(frame.left + frame.width, y);
      // Yellow on white is seen by its edges.
      for (const [style, width] of [[colours.quiet, colour === undefined ? 1 : 3] as const, [colour, 1.5] as const]) {
        if (style === undefined) continue;
        context.strokeStyle = style;
        context.lineWidth = width * ratio;
        context.stroke();
      }
      const isAtTop = y - frame.top < 14 * ratio;
      context.textBaseline = isAtTop ? 'top' : 'bottom';
      context.fillStyle = colours.quiet;
      context.fillText(text, frame.left + 4 * ratio, isAtTop ? y + 3 * ratio : y - 3 * ratio);
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
