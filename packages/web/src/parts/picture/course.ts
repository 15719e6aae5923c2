// The last minutes of a point, drawn into the box of an element. Gaps are where it was bad.
import { effect } from '@preact/signals';
import { moment } from '../../data/moment.ts';
import { readCourse } from '../../data/pictures.ts';
import { look, lookOf, type Trace } from '../../data/trace.ts';
import { now } from '../now.ts';
import type { Box } from './apply.ts';
import { made } from './marks.ts';
import type { PointState } from './point-state.ts';

const leastMs = 5000;

export class Course {
  readonly #line: SVGElement;
  readonly #box: Box;
  readonly #span: number;
  readonly #end = new AbortController();
  #point: PointState | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #stop: (() => void) | undefined;

  constructor(element: SVGGraphicsElement, box: Box, span: number) {
    this.#box = box;
    this.#span = span;
    this.#line = made('path', { class: 'tt-course', 'vector-effect': 'non-scaling-stroke' });
    const transform = element.getAttribute('transform');
    if (transform !== null) this.#line.setAttribute('transform', transform);
    element.after(this.#line);
  }

  /** Of this point from now on, which may not be known yet. */
  follow(point: PointState): void {
    const isKnown = this.#point?.kind !== undefined;
    this.#point = point;
    if (isKnown || point.kind === undefined || point.kind === 'alarms') return;
    this.#stop ??= effect(() => {
      void moment.value;
      void this.#read();
    });
  }

  end(): void {
    this.#end.abort();
    clearTimeout(this.#timer);
    this.#stop?.();
  }

  async #read(): Promise<void> {
    clearTimeout(this.#timer);
    const { kind, name } = this.#point ?? {};
    if (name === undefined || (kind !== 'measurements' && kind !== 'commands')) return;
    const at = moment.peek();
    const until = Math.round(at ?? now.peek());
    const from = Math.max(0, until - this.#span);
    try {
      const trace = await readCourse({ kind, name, from, until }, this.#end.signal);
      if (this.#end.signal.aborted || moment.peek() !== at) return;
      this.#line.setAttribute('d', trace === undefined ? '' : this.#path(trace, from, until));
    } catch {
      // The link says why; it is read again.
    }
    if (at === undefined && !this.#end.signal.aborted) {
      this.#timer = setTimeout(() => void this.#read(), Math.max(leastMs, this.#span / 1000 / 200));
    }
  }

  /** Each value holds until the next. */
  #path({ times, values, qualities }: Trace, from: number, until: number): string {
    const { x, y, width, height } = this.#box;
    const shown = [...values].filter((value, row) => !Number.isNaN(value) && lookOf(qualities[row] ?? 0) !== look.bad);
    const range = (this.#point?.facts?.range ?? []).map((end) => (end === null ? Number.NaN : Number(end.slice(1))));
    const [rangeLo = Number.NaN, rangeHi = Number.NaN] = range;
    let low = shown.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY);
    let high = shown.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
    // What hardly changes is a line that hardly changes.
    const least = Number.isFinite(rangeHi - rangeLo) ? (rangeHi - rangeLo) / 20 : Math.abs(high) / 20 || 1;
    if (high - low < least) [low, high] = [(low + high - least) / 2, (low + high + least) / 2];
    const place = (t: number, value: number) => [
      x + (width * (Math.max(from, Math.min(until, t)) - from)) / (until - from),
      y + height * (1 - (value - low) / (high - low)),
    ];
    let path = '';
    let isDrawing = false;
    for (const [row, t] of times.entries()) {
      const value = values[row] ?? Number.NaN;
      const isGap = Number.isNaN(value) || lookOf(qualities[row] ?? 0) === look.bad;
      const [left = 0, top = 0] = place(t, isGap ? low : value);
      if (isDrawing) path += `H${left.toFixed(1)}`;
      if (!isGap) path += isDrawing ? `V${top.toFixed(1)}` : `M${left.toFixed(1)} ${top.toFixed(1)}`;
      isDrawing = !isGap;
    }
    return isDrawing ? `${path}H${(x + width).toFixed(1)}` : path;
  }
}
