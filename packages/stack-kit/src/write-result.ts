// How a write to a device ended, as its stack tells it, and as a provider learns it for its client: in a value, so that no error of another kind can be taken for a
// refusal. What is thrown instead says nothing of the device: it may have the value.

export type WriteResult =
  /** The device has taken it. */
  | { readonly kind: 'accepted' }
  /** The device has said no, or can never take it: it does not have it. The reason is for the person who wrote. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** There is no link, or it was aborted in time: the device does not have it. */
  | { readonly kind: 'notSent'; readonly reason: string }
  /** No answer, or one that leaves it open: the device may have it. */
  | { readonly kind: 'unknown'; readonly reason: string };

export const written = Object.freeze({
  accepted: Object.freeze({ kind: 'accepted' }) satisfies WriteResult as WriteResult,
  refused: (reason: string): WriteResult => ({ kind: 'refused', reason }),
  notSent: (reason: string): WriteResult => ({ kind: 'notSent', reason }),
  unknown: (reason: string): WriteResult => ({ kind: 'unknown', reason }),
});
