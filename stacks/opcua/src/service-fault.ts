// What requests end with instead of the answer that was asked for, and what is done about it.
import { type StatusCode, StatusCodes } from 'node-opcua-client';

/** The server may have the request; its answer did not come. */
export class Unanswered extends Error {}

/** The server refuses the request as a whole. */
export class ServiceFault extends Error {
  readonly status: StatusCode;

  constructor(status: StatusCode) {
    super(`${status.name}: ${status.description}`);
    this.status = status;
  }

  /** With fewer nodes in the request it might do. */
  get isTooMuch(): boolean {
    return isOneOf(tooMuch, this.status);
  }
}

const tooMuch: readonly StatusCode[] = [
  StatusCodes.BadTooManyOperations,
  StatusCodes.BadEncodingLimitsExceeded,
  StatusCodes.BadRequestTooLarge,
  StatusCodes.BadResponseTooLarge,
];

export function isOneOf(statuses: readonly StatusCode[], status: StatusCode): boolean {
  return statuses.some((each) => each.equals(status));
}

/** The answer; or what `refused` makes of the status where the server refuses the request as a whole. */
export async function unlessRefused<Answer, Other>(
  answer: Promise<Answer>,
  refused: (status: StatusCode) => Other,
): Promise<Answer | Other> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ServiceFault) return refused(error.status);
    throw error;
  }
}

/** Asks in requests of `atOnce` items, or halves where the server refuses the size; `refused` makes other results. */
export async function inPieces<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  ask: (some: Item[]) => Promise<Result[]>,
  refused: (status: StatusCode, some: readonly Item[]) => Result[],
): Promise<Result[]> {
  const results: Result[] = [];
  for (let at = 0; at < items.length; at += atOnce) {
    const some = items.slice(at, at + atOnce);
    const answered = await ask(some).catch((error) => {
      if (!(error instanceof ServiceFault)) throw error;
      if (!error.isTooMuch || some.length === 1) return refused(error.status, some);
      return inPieces(some, Math.ceil(some.length / 2), ask, refused);
    });
    for (const result of answered) results.push(result);
  }
  return results;
}
