// Which rows are seen at which place of the scroll bar. Browsers cannot lay out more than some millions of pixels: beyond
// that, the bar stands for more rows than it has pixels.

/** Firefox ends at 17.9 million, Chromium at 33.5. */
const maxPixels = 10_000_000;
/** Rows beyond each edge, so that a small step shows no gap. */
const overscan = 3;

export interface GridWindow {
  /** Of the element that is scrolled. */
  readonly height: number;
  readonly first: number;
  /** So many rows are made, and used again for others as they come. */
  readonly pool: number;
  /** What is added to the place of a row, which is its index times the height of a row. */
  readonly offset: number;
}

export interface GridExtent {
  readonly count: number;
  readonly rowHeight: number;
  readonly viewport: number;
}

export function windowAt(scrollTop: number, { count, rowHeight, viewport }: GridExtent): GridWindow {
  const whole = count * rowHeight;
  const height = Math.min(whole, maxPixels);
  const top = meantTop(scrollTop, { count, rowHeight, viewport });
  const pool = Math.min(count, Math.ceil(viewport / rowHeight) + 1 + 2 * overscan);
  const first = Math.max(0, Math.min(count - pool, Math.floor(top / rowHeight) - overscan));
  return { height, first, pool, offset: whole === height ? 0 : Math.round(scrollTop - top) };
}

/** Where the bar has to stand so that a row is at the upper edge, or as far as it goes. */
export function scrollTopOf(row: number, { count, rowHeight, viewport }: GridExtent): number {
  const ratio = ratioOf({ count, rowHeight, viewport });
  return Math.max(0, Math.min(row * rowHeight, count * rowHeight - viewport)) / ratio;
}

/** Where the upper edge would be if everything could be laid out. */
export function meantTop(scrollTop: number, extent: GridExtent): number {
  return scrollTop * ratioOf(extent);
}

function ratioOf({ count, rowHeight, viewport }: GridExtent): number {
  const whole = count * rowHeight;
  return whole <= maxPixels ? 1 : (whole - viewport) / (maxPixels - viewport);
}

/** The row that a member of the pool shows: each keeps its row as long as that is seen. */
export function rowOfSlot(slot: number, { first, pool }: Pick<GridWindow, 'first' | 'pool'>): number {
  return first + ((((slot - first) % pool) + pool) % pool);
}
