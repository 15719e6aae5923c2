// Which part of a picture is seen: all of it, or what somebody has zoomed and moved to, by wheel, fingers, mouse and keys.
import type { Box } from './apply.ts';

const mostZoom = 40;
const step = 1.25;
/** A finger that moves less has tapped. */
const leastMove = 6;

export class SeenBox {
  readonly #host: HTMLElement;
  readonly #whole: Box;
  readonly #changed: (box: Box, unitsPerPixel: number) => void;
  readonly #pointers = new Map<number, { x: number; y: number }>();
  readonly #observer = new ResizeObserver(() => this.#resize());
  readonly #listening = new AbortController();
  /** In units of the picture. */
  #centre: { x: number; y: number };
  #zoom = 1;
  #hasMoved = false;

  constructor(host: HTMLElement, whole: Box, changed: (box: Box, unitsPerPixel: number) => void) {
    this.#host = host;
    this.#whole = whole;
    this.#changed = changed;
    this.#centre = centreOf(whole);
    const { signal } = this.#listening;
    host.addEventListener('wheel', (event) => this.#wheel(event), { passive: false, signal });
    host.addEventListener('pointerdown', (event) => this.#down(event), { signal });
    host.addEventListener('pointermove', (event) => this.#move(event), { signal });
    for (const name of ['pointerup', 'pointercancel', 'pointerleave'] as const) {
      host.addEventListener(name, ({ pointerId }) => this.#pointers.delete(pointerId), { signal });
    }
    // What was dragged is not clicked.
    const swallow = (event: Event) => {
      if (!this.#hasMoved) return;
      event.stopPropagation();
      event.preventDefault();
    };
    host.addEventListener('click', swallow, { capture: true, signal });
    this.#observer.observe(host);
    this.#show();
  }

  end(): void {
    this.#observer.disconnect();
    this.#listening.abort();
  }

  fit(): void {
    this.#zoom = 1;
    this.#centre = centreOf(this.#whole);
    this.#show();
  }

  zoomIn(): void {
    this.#zoomBy(step);
  }

  zoomOut(): void {
    this.#zoomBy(1 / step);
  }

  /** By shares of what is seen. */
  moveBy(right: number, down: number): void {
    const { width, height } = this.#box();
    this.#centre = { x: this.#centre.x + right * width, y: this.#centre.y + down * height };
    this.#show();
  }

  /** What has the focus is seen. */
  reveal(rect: DOMRect): void {
    const host = this.#host.getBoundingClientRect();
    const isSeen =
      rect.left >= host.left && rect.right <= host.right && rect.top >= host.top && rect.bottom <= host.bottom;
    if (isSeen || this.#zoom === 1) return;
    const units = this.#unitsPerPixel();
    this.#centre = {
      x: this.#centre.x + (rect.left + rect.width / 2 - host.left - host.width / 2) * units,
      y: this.#centre.y + (rect.top + rect.height / 2 - host.top - host.height / 2) * units,
    };
    this.#show();
  }

  #zoomBy(factor: number, at?: { readonly x: number; readonly y: number }): void {
    const before = this.#unitsPerPixel();
    this.#zoom = Math.max(1, Math.min(mostZoom, this.#zoom * factor));
    if (at !== undefined) {
      const { width, height } = this.#size();
      const moved = before - this.#unitsPerPixel();
      this.#centre = {
        x: this.#centre.x + (at.x - width / 2) * moved,
        y: this.#centre.y + (at.y - height / 2) * moved,
      };
    }
    this.#show();
  }

  #wheel(event: WheelEvent): void {
    event.preventDefault();
    const lines = event.deltaMode === 0 ? event.deltaY / 100 : event.deltaY / 3;
    this.#zoomBy(step ** -Math.max(-3, Math.min(3, lines)), this.#placeOf(event));
  }

  #down(event: PointerEvent): void {
    if (event.button !== 0) return;
    if (this.#pointers.size === 0) this.#hasMoved = false;
    this.#pointers.set(event.pointerId, this.#placeOf(event));
  }

  #move(event: PointerEvent): void {
    const before = this.#pointers.get(event.pointerId);
    if (before === undefined) return;
    const now = this.#placeOf(event);
    const far = Math.hypot(now.x - before.x, now.y - before.y);
    if (!this.#hasMoved && far < leastMove) return;
    if (!this.#hasMoved) this.#host.setPointerCapture(event.pointerId);
    this.#hasMoved = true;
    const other = [...this.#pointers].find(([id]) => id !== event.pointerId)?.[1];
    this.#pointers.set(event.pointerId, now);
    const units = this.#unitsPerPixel();
    const share = other === undefined ? 1 : 0.5;
    this.#centre = {
      x: this.#centre.x - (now.x - before.x) * units * share,
      y: this.#centre.y - (now.y - before.y) * units * share,
    };
    if (other === undefined) this.#show();
    else {
      const distance = (place: { x: number; y: number }) => Math.hypot(place.x - other.x, place.y - other.y) || 1;
      this.#zoomBy(distance(now) / distance(before), { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 });
    }
  }

  #resize(): void {
    this.#show();
  }

  #show(): void {
    const { width, height } = this.#size();
    if (width === 0 || height === 0) return;
    const box = this.#box();
    this.#changed(box, this.#unitsPerPixel());
  }

  /** Has the proportions of the host; the middle of what is seen stays within the picture. */
  #box(): Box {
    const units = this.#unitsPerPixel();
    const size = this.#size();
    const [width, height] = [size.width * units, size.height * units];
    const { x, y, width: all, height: high } = this.#whole;
    const within = (at: number, from: number, length: number, seen: number) =>
      seen >= length ? from + length / 2 : Math.max(from + seen / 2, Math.min(from + length - seen / 2, at));
    this.#centre = { x: within(this.#centre.x, x, all, width), y: within(this.#centre.y, y, high, height) };
    return { x: this.#centre.x - width / 2, y: this.#centre.y - height / 2, width, height };
  }

  #unitsPerPixel(): number {
    const { width, height } = this.#size();
    return Math.max(this.#whole.width / (width || 1), this.#whole.height / (height || 1)) / this.#zoom;
  }

  #size(): { readonly width: number; readonly height: number } {
    return { width: this.#host.clientWidth, height: this.#host.clientHeight };
  }

  #placeOf({ clientX, clientY }: MouseEvent): { x: number; y: number } {
    const { left, top } = this.#host.getBoundingClientRect();
    return { x: clientX - left, y: clientY - top };
  }
}

function centreOf({ x, y, width, height }: Box): { x: number; y: number } {
  return { x: x + width / 2, y: y + height / 2 };
}
