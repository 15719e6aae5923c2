// The order of everything that a store has of a site: by epoch, then by place.

export interface Place {
  readonly epoch: number;
  readonly place: number;
}

/** Below zero: the first comes before. */
export function comparePlaces(a: Place, b: Place): number {
  return a.epoch - b.epoch || a.place - b.place;
}
