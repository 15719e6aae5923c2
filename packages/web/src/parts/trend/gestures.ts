// What hands do on a plot: pan, zoom, point, draw a box. Mouse, wheel, one finger and two.

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Places are pixels from the left and top of the element. */
export interface GestureTarget {
  /** By so many pixels; `isBoth`: up and down as well. */
  pan(dx: number, dy: number, isBoth: boolean): void;
  zoom(factor: number, left: number): void;
  zoomValues(factor: number, top: number): void;
  zoomBox(box: Box): void;
  drawBox(box: Box | undefined): void;
  point(left: number | undefined): void;
  click(left: number, isSecond: boolean): void;
  /** Whether a drag draws a box, without a key that says so. */
  isBoxing(): boolean;
  /** Whether the wheel zooms, or scrolls the page. */
  takesWheel(): boolean;
}

/** A hand is not still: this is no drag. */
const clickPx = 4;
const wheelFactor = 1.0018;
const lineHeightPx = 18;

interface Finger {
  x: number;
  y: number;
}

/** Returns what ends it. */
export function listenToGestures(element: HTMLElement, target: GestureTarget): () => void {
  const fingers = new Map<number, Finger>();
  const end = new AbortController();
  const { signal } = end;
  let start: { x: number; y: number; isBox: boolean; isSecond: boolean } | undefined;
  let isDragging = false;

  // While a finger is down, the element stays where it is: asking anew makes the browser lay the page out.
  let bounds: DOMRect | undefined;
  const placeOf = ({ clientX, clientY }: MouseEvent) => {
    const { left, top } = bounds ?? element.getBoundingClientRect();
    return { x: clientX - left, y: clientY - top };
  };
  const boxTo = ({ x, y }: Finger): Box => ({
    left: Math.min(x, start?.x ?? x),
    top: Math.min(y, start?.y ?? y),
    width: Math.abs(x - (start?.x ?? x)),
    height: Math.abs(y - (start?.y ?? y)),
  });

  const onDown = (event: PointerEvent) => {
    if (event.button !== 0) return;
    bounds = element.getBoundingClientRect();
    const place = placeOf(event);
    fingers.set(event.pointerId, place);
    if (event.pointerType !== 'touch') element.setPointerCapture(event.pointerId);
    start = { ...place, isBox: event.ctrlKey || event.metaKey || target.isBoxing(), isSecond: event.shiftKey };
    isDragging = false;
  };
  const onMove = (event: PointerEvent) => {
    const place = placeOf(event);
    const before = fingers.get(event.pointerId);
    if (event.pointerType === 'mouse') target.point(place.x);
    if (before === undefined || start === undefined) return;
    if (fingers.size === 2) {
      pinch(event.pointerId, before, place);
      return;
    }
    isDragging ||= Math.hypot(place.x - start.x, place.y - start.y) > clickPx;
    if (!isDragging) return;
    if (start.isBox) target.drawBox(boxTo(place));
    else {
      target.pan(place.x - before.x, place.y - before.y, event.shiftKey);
      fingers.set(event.pointerId, place);
    }
  };
  const pinch = (id: number, before: Finger, place: Finger) => {
    const [, other] = [...fingers].find(([each]) => each !== id) ?? [];
    fingers.set(id, place);
    isDragging = true;
    if (other === undefined) return;
    const wide = Math.max(20, Math.abs(place.x - other.x));
    const wasWide = Math.max(20, Math.abs(before.x - other.x));
    target.pan((place.x - before.x) / 2, 0, false);
    target.zoom(wasWide / wide, (place.x + other.x) / 2);
  };
  const onUp = (event: PointerEvent) => {
    if (!fingers.delete(event.pointerId) || start === undefined || fingers.size > 0) return;
    const place = placeOf(event);
    target.drawBox(undefined);
    if (isDragging && start.isBox && event.type === 'pointerup') target.zoomBox(boxTo(place));
    if (!isDragging && event.type === 'pointerup') target.click(place.x, start.isSecond);
    start = undefined;
    bounds = undefined;
    isDragging = false;
  };
  const onWheel = (event: WheelEvent) => {
    if (event.ctrlKey || !target.takesWheel()) return;
    event.preventDefault();
    const place = placeOf(event);
    // With Shift, some systems turn the wheel sideways.
    const delta = event.deltaY === 0 ? event.deltaX : event.deltaY;
    const factor = wheelFactor ** (event.deltaMode === WheelEvent.DOM_DELTA_LINE ? delta * lineHeightPx : delta);
    if (event.shiftKey) target.zoomValues(factor, place.y);
    else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) target.pan(-event.deltaX, 0, false);
    else target.zoom(factor, place.x);
  };

  element.addEventListener('pointerdown', onDown, { signal });
  element.addEventListener('pointermove', onMove, { signal });
  for (const type of ['pointerup', 'pointercancel'] as const) element.addEventListener(type, onUp, { signal });
  element.addEventListener('pointerleave', () => target.point(undefined), { signal });
  element.addEventListener('wheel', onWheel, { signal, passive: false });
  return () => end.abort();
}
