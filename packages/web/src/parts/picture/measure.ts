// Where the elements of a picture are, in the coordinates of the picture: also of those that the drawing hides, since marks are shown at
// them all the same.
import type { Box } from './apply.ts';

export interface Measured {
  /** In its own coordinates. */
  readonly own: Box;
  /** In those of the picture. */
  readonly inPicture: Box;
}

export const nowhere: Box = { x: 0, y: 0, width: 0, height: 0 };

/** Reads all before anything is written again: one layout for all. The class shows what `display` hides. */
export function measure(
  root: SVGSVGElement,
  elements: readonly SVGGraphicsElement[],
): Map<SVGGraphicsElement, Measured> {
  root.classList.add('picture-measured');
  const toPicture = root.getScreenCTM()?.inverse();
  const found = new Map(elements.map((element) => [element, measureOne(element, toPicture)]));
  root.classList.remove('picture-measured');
  return found;
}

function measureOne(element: SVGGraphicsElement, toPicture: DOMMatrix | undefined): Measured {
  const { x, y, width, height } = boxOf(element);
  const own = { x, y, width, height };
  const matrix = element.getScreenCTM();
  if (toPicture === undefined || matrix === null) return { own, inPicture: nowhere };
  const full = toPicture.multiply(matrix);
  const corners = [
    [x, y],
    [x + width, y],
    [x, y + height],
    [x + width, y + height],
  ].map(([left, top]) => new DOMPoint(left, top).matrixTransform(full));
  const xs = corners.map((corner) => corner.x);
  const ys = corners.map((corner) => corner.y);
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  const inPicture = { x: left, y: top, width: Math.max(...xs) - left, height: Math.max(...ys) - top };
  return { own, inPicture: Object.values(inPicture).every(Number.isFinite) ? inPicture : nowhere };
}

/** The outermost svg of a picture has the box of all that is drawn. */
function boxOf(element: SVGGraphicsElement): Box {
  try {
    return element.getBBox();
  } catch {
    return nowhere;
  }
}

/** The smallest box around all. */
export function union(boxes: readonly Box[]): Box {
  const [first] = boxes;
  if (first === undefined) return nowhere;
  const x = Math.min(...boxes.map((box) => box.x));
  const y = Math.min(...boxes.map((box) => box.y));
  return {
    x,
    y,
    width: Math.max(...boxes.map((box) => box.x + box.width)) - x,
    height: Math.max(...boxes.map((box) => box.y + box.height)) - y,
  };
}

export function contains(outer: Box, inner: Box): boolean {
  return (
    inner.x >= outer.x &&
    inner.y >= outer.y &&
    inner.x + inner.width <= outer.x + outer.width &&
    inner.y + inner.height <= outer.y + outer.height
  );
}
