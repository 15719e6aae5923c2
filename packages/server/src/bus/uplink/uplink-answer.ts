// What an archiver answers to a site, as JSON: what the store said, or why it did not do it.
import { type Claimed, type Received, StoreError, storeTroubles } from '../../store/index.ts';

/** Undefined: the store does not know of the epoch. */
export type UplinkResult = Received | Claimed | undefined;

export function resultText(result: UplinkResult): string {
  return JSON.stringify({ result: result ?? null });
}

/** Without its cause: of that, the archiver keeps a log. */
export function troubleText({ trouble, message }: StoreError): string {
  return JSON.stringify({ trouble, message });
}

export function readReceived(answer: Uint8Array): Received | undefined {
  const result = readResult(answer);
  if (result === undefined) return undefined;
  const { seq, position, isOver } = result as Partial<Received>;
  if (!isCount(seq) || typeof position !== 'string') throw notUnderstood();
  if (isOver !== undefined && typeof isOver !== 'boolean') throw notUnderstood();
  return { seq, position, ...(isOver !== undefined && { isOver }) };
}

export function readClaimed(answer: Uint8Array): Claimed {
  const { epoch, isKnown } = (readResult(answer) ?? {}) as Partial<Claimed>;
  if (!isCount(epoch) || typeof isKnown !== 'boolean') throw notUnderstood();
  return { epoch, isKnown };
}

/** What a claim says: the epoch that a lease has given, or nothing. */
export function claimText(given: number | undefined): string {
  return given === undefined ? '' : JSON.stringify({ epoch: given });
}

/** Throws where it cannot be understood: another epoch would be a wrong one. */
export function givenEpoch(data: Uint8Array): number | undefined {
  if (data.length === 0) return undefined;
  const { epoch } = (data.length < 100 ? (parse(data) as { epoch?: unknown } | null) : null) ?? {};
  if (!isCount(epoch) || epoch === 0) throw new StoreError('version', 'what a site claims is not understood');
  return epoch;
}

/** Throws what the archiver says that is wrong. */
function readResult(answer: Uint8Array): object | undefined {
  const read = parse(answer);
  if (typeof read !== 'object' || read === null) throw notUnderstood();
  const { result, trouble, message } = read as Record<string, unknown>;
  if (typeof trouble === 'string') {
    const word = storeTroubles.find((each) => each === trouble) ?? 'refused';
    throw new StoreError(word, typeof message === 'string' ? message : `the store refuses: ${trouble}`);
  }
  if (result === null) return undefined;
  if (typeof result !== 'object') throw notUnderstood();
  return result;
}

function parse(answer: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(answer.buffer, answer.byteOffset, answer.length).toString());
  } catch {
    throw notUnderstood();
  }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function notUnderstood(): StoreError {
  return new StoreError('version', 'what an archiver answers is not understood: it is of another version');
}
