// Brings a trend onto its canvas: what the model wants, from the records that the source has; again whenever one of them changes.
import { effect, signal } from '@preact/signals';
import { factsOfPoint } from '../../data/points.ts';
import { prefixedAt, type Trace } from '../../data/trace.ts';
import type { TrendMarks } from '../../data/trend-marks.ts';
import type { TrendSource } from '../../data/trend-source.ts';
import { theme } from '../../settings.ts';
import { words } from '../../words/words.ts';
import { presentUs } from '../now.ts';
import { zone } from '../times.ts';
import { valueText } from '../value-text.ts';
import { axesOf, type KnownPen, knownPen, rangeOf } from './axes.ts';
import { type Colours, readColours } from './colours.ts';
import { drawMarks } from './draw-marks.ts';
import { limitsOf } from './limits.ts';
import { alignedStretches, daysBefore } from './overlay.ts';
import type { Pen } from './pen.ts';
import { type Drawing, type Layer, type Place, Plot } from './plot.ts';
import type { TrendModel } from './trend-model.ts';

export interface TrendDrawingOptions {
  readonly root: HTMLElement;
  readonly model: TrendModel;
  readonly source: TrendSource;
  readonly marks: TrendMarks;
}

const tickMs = 200;
const usualAxes = 100;

export class TrendDrawing {
  readonly #options: TrendDrawingOptions;
  readonly #plot: Plot;
  readonly #stops: (() => void)[] = [];
  #colours: Colours;
  #last: Drawing | undefined;
  readonly layout = signal<Place>({ left: 0, top: 0, width: 1, height: 1 });
  /** The window that was drawn last. */
  readonly drawn = signal({ from: 0, until: 1 });
  /** Another day was asked for, and nothing is known of it. */
  readonly lacksOverlay = signal(false);

  constructor(options: TrendDrawingOptions) {
    this.#options = options;
    const { root, model, source, marks } = options;
    this.#colours = readColours(root);
    this.#plot = new Plot({ root, drawing: () => this.#make(), onDrawn: (layout) => this.#noteLayout(layout) });
    const request = () => this.#plot.request();
    const sizes = new ResizeObserver(request);
    sizes.observe(root);
    this.#stops.push(
      () => sizes.disconnect(),
      effect(() => {
        void [model.pens.value, model.choice.value, model.ranges.value, model.overlayDays.value, model.selected.value];
        void [source.version.value, marks.version.value, model.hasMarks.value, model.hasLimits.value];
        for (const { kind, name } of model.pens.value) void factsOfPoint(kind, name).value;
        request();
      }),
      effect(() => {
        void [theme.value, zone.value, words.value];
        // The attribute of the document follows the signal.
        requestAnimationFrame(() => {
          this.#colours = readColours(root);
          request();
        });
      }),
    );
    const timer = setInterval(() => this.#tick(), tickMs);
    this.#stops.push(() => clearInterval(timer));
  }

  get plot(): Plot {
    return this.#plot;
  }

  /** What was drawn last. */
  get last(): Drawing | undefined {
    return this.#last;
  }

  /** Of the axis of the selected pen, else of all; by a share of its length. */
  panValues(share: number): void {
    for (const [key, low, high] of this.#chosenRanges()) {
      const by = (high - low) * share;
      this.#options.model.setRange(key, [low + by, high + by]);
    }
  }

  /** `factor` below 1 shows less; around a place in the plot, in pixels from its top. */
  zoomValues(factor: number, top?: number): void {
    for (const [key, low, high] of this.#chosenRanges()) {
      const around = top === undefined ? (low + high) / 2 : this.#plot.valueAt(key, top);
      this.#options.model.setRange(key, [around - (around - low) * factor, around + (high - around) * factor]);
    }
  }

  /** Between two places, in pixels from the top of the plot. */
  showValues(top: number, bottom: number): void {
    for (const [key] of this.#chosenRanges()) {
      this.#options.model.setRange(key, [this.#plot.valueAt(key, bottom), this.#plot.valueAt(key, top)]);
    }
  }

  fitValues(): void {
    for (const [key] of this.#chosenRanges()) this.#options.model.setRange(key, undefined);
  }

  #chosenRanges(): [key: string, low: number, high: number][] {
    const { axes = [], ranges } = this.#last ?? {};
    const selected = this.#options.model.selected.peek();
    const chosen = axes.filter(({ pens }) => pens.some(({ key }) => key === selected));
    return (chosen.length > 0 ? chosen : axes).map(({ key }) => {
      const [low, high] = ranges?.get(key) ?? [0, 1];
      return [key, low, high];
    });
  }

  close(): void {
    for (const stop of this.#stops) stop();
    this.#plot.close();
  }

  /** Time passes: drawn again where that can be seen. */
  #tick(): void {
    const { from, until } = this.drawn.peek();
    const reaches = until > presentUs() - 2e6 || this.#options.model.isLive.peek();
    if (document.hidden || !reaches) return;
    const pixelUs = (until - from) / Math.max(1, this.layout.peek().width);
    if (presentUs() - until >= pixelUs || !this.#options.model.isLive.peek()) this.#plot.request();
  }

  #noteLayout(layout: Place): void {
    const before = this.layout.peek();
    const isSame = (Object.keys(layout) as (keyof Place)[]).every((each) => layout[each] === before[each]);
    if (!isSame) this.layout.value = layout;
    const { from = 0, until = 1 } = this.#last ?? {};
    this.drawn.value = { from, until };
    const { model, source } = this.#options;
    const layers = (this.#last?.pens ?? []).flatMap((pen) => this.#last?.layersOf(pen) ?? []);
    this.lacksOverlay.value =
      model.overlayDays.peek() !== undefined &&
      !source.isLoading.peek() &&
      !layers.some(({ isOverlay, pieces }) => isOverlay && pieces.some(({ trace }) => trace.times.length > 0));
  }

  /** Of the plot; before its first frame, about. */
  #width(): number {
    const { width } = this.layout.peek();
    return width > 1 ? width : Math.max(100, this.#options.root.clientWidth - usualAxes);
  }

  #make(): Drawing {
    const { model, source, marks } = this.#options;
    const { from, until } = model.window();
    const width = this.#width();
    const pens = model.pens.peek();
    const days = model.overlayDays.peek();
    const stretches = days === undefined ? [] : alignedStretches(from, until, days);
    const present = { pens, from, until, width, now: presentUs() };
    const before = { ...present, from: daysBefore(from, days ?? 0), until: daysBefore(until, days ?? 0) };
    source.want(days === undefined ? [present] : [present, before]);
    const layers = new Map<Pen, Layer[]>();
    const layersOf = (pen: Pen): Layer[] => {
      let found = layers.get(pen);
      if (found === undefined) {
        const pieces = source.pieces(pen, from, until, width);
        found = [
          { pieces, shift: 0, isOverlay: false },
          ...stretches.map(({ from, until, shift }) => ({
            pieces: source.pieces(pen, from - shift, until - shift, width),
            shift,
            isOverlay: true,
          })),
        ];
        layers.set(pen, found);
      }
      return found;
    };
    const known = pens.map((pen) => {
      const trace = layersOf(pen)[0]?.pieces.at(-1)?.trace;
      return knownPen(pen, factsOfPoint(pen.kind, pen.name).peek(), trace?.times.length ? trace.datatype : undefined);
    });
    const axes = axesOf(known);
    const piecesOf = (pen: Pen) => layersOf(pen).map(({ pieces }) => pieces);
    const selected = model.selected.peek();
    const limits = model.hasLimits.peek() ? limitsOf(axes, marks.limits.peek(), selected) : [];
    const numbers = new Map(known.map(({ key }, at) => [key, at + 1]));
    this.#last = {
      from,
      until,
      axes,
      ranges: new Map(axes.map((axis) => [axis.key, rangeOf(axis, model.ranges.peek(), piecesOf, limits)])),
      pens: known.filter(({ pen }) => !pen.isHidden),
      layersOf: ({ pen }) => layersOf(pen),
      numberOf: ({ key }) => numbers.get(key) ?? 0,
      selected,
      limits,
      drawMarks: (context, frame, ratio) => {
        if (model.hasMarks.peek())
          drawMarks(context, { frame, ratio, marks: marks.shown.peek(), colours: this.#colours });
      },
      textOf: (trace: Trace, at: number) => valueText(prefixedAt(trace, at)),
      colours: this.#colours,
    };
    return this.#last;
  }

  /** The pens as they were drawn, those that are hidden included. */
  known(): readonly KnownPen[] {
    return this.#options.model.pens
      .peek()
      .map((pen) => knownPen(pen, factsOfPoint(pen.kind, pen.name).peek(), undefined));
  }
}
