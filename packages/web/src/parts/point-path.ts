// Where the drawer of a point is.
import type { AnyKind } from '../data/find-point.ts';

export function pointPath(kind: AnyKind, name: string): string {
  return `/points/${name}${kind === 'measurements' ? '' : `?kind=${kind}`}`;
}
