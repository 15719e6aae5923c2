// How a write to a device ended: told by the stack of its connector, and to a provider for its client. A value, so that no
// error can be taken for a refusal; what a stack throws says nothing of the device, which may have the value.

export type WriteResult =
  /** The device has taken it. */
  | { readonly kind: 'accepted' }
  /** The device has said no, or can never take it: it does not have it. The reason is for the person who wrote. */
  | {
      readonly kind: 'refused';
      readonly reason: string;
      /** Who asks may not: told to a provider. */
      readonly isDenied?: true;
    }
  /** There is no link, or it was aborted in time: the device does not have it. */
  | { readonly kind: 'notSent'; readonly reason: string }
  /** No answer, or one that leaves it open: the device may have it. */
  | { readonly kind: 'unknown'; readonly reason: string };

/** Why nothing was sent where `mayWrite` says no. */
export const notPermitted = 'this node does not lead the site any more';

export const written = Object.freeze({
  accepted: Object.freeze({ kind: 'accepted' }) satisfies WriteResult as WriteResult,
  refused: (reason: string): WriteResult => ({ kind: 'refused', reason }),
  denied: (reason: string): WriteResult => ({ kind: 'refused', reason, isDenied: true }),
  notSent: (reason: string): WriteResult => ({ kind: 'notSent', reason }),
  notPermitted: Object.freeze({ kind: 'notSent', reason: notPermitted }) satisfies WriteResult as WriteResult,
  unknown: (reason: string): WriteResult => ({ kind: 'unknown', reason }),
});
