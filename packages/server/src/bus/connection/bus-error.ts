// What can become of something that was sent over the bus.

export type BusFailure =
  /** There is no connection: nothing was sent. */
  | 'not-connected'
  /** Nobody listens to the subject: nobody got it. */
  | 'nobody'
  /** Our user may not send to the subject: nobody got it. */
  | 'not-permitted'
  /** No answer in time: somebody may have got it. */
  | 'no-answer'
  /** The connection was lost before an answer: somebody may have got it. */
  | 'lost';

export class BusError extends Error {
  override readonly name = 'BusError';
  readonly failure: BusFailure;

  constructor(failure: BusFailure, message: string) {
    super(message);
    this.failure = failure;
  }
}
