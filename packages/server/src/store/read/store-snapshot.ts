// One moment of the store: what is read within a transaction that sees nothing of what others do meanwhile. It is short, since one that
// goes on keeps the primary from cleaning up, and is ended by a standby that follows.
import { onAbort } from '@telltale/schema/values';
import type { Connection } from '../postgres/connection.ts';
import type { Connections } from '../postgres/connections.ts';
import { StoreError } from '../store-error.ts';
import { CopyReader } from './copy-reader.ts';
import { copied } from './span-sql.ts';

/** What each of these gives, all at the same moment as what was asked for before. */
export type Copy = <Selects extends readonly string[]>(
  ...selects: Selects
) => Promise<{ [At in keyof Selects]: CopyReader }>;

const begin = 'begin isolation level repeatable read, read only';
/** A connection may have ended unseen; what a standby has to clean up may be in the way. */
const mostTries = 3;

/** Rejects with a `StoreError`, with what `work` does, or with the reason of the signal. */
export async function readSnapshot<T>(
  connections: Connections,
  work: (copy: Copy) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await readOnce(connections, work, signal);
    } catch (error) {
      if (tries === mostTries || !isPassing(error) || signal?.aborted) throw error;
    }
  }
}

/** Does not wait for the end of the transaction, nor, when it is given up, for the server. */
async function readOnce<T>(
  connections: Connections,
  work: (copy: Copy) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const stopListening = onAbort(signal, reject);
  connections.use((connection) => within(connection, signal, async (copy) => resolve(await work(copy)))).catch(reject);
  try {
    return await promise;
  } finally {
    stopListening();
  }
}

async function within(
  connection: Connection,
  signal: AbortSignal | undefined,
  work: (copy: Copy) => Promise<void>,
): Promise<void> {
  let isBegun = false;
  const copy = async (...selects: readonly string[]): Promise<CopyReader[]> => {
    const statements = selects.map(copied);
    if (!isBegun) statements.unshift(begin);
    isBegun = true;
    const answers = await connection.copyOut(statements.join(';\n'), signal);
    return answers.map((bytes) => new CopyReader(bytes));
  };
  try {
    await work(copy as Copy);
  } finally {
    if (isBegun && connection.isOpen) await connection.query('rollback').catch(() => connection.close());
  }
}

/** Whether the same is worth being asked again at once: the connection was lost, or a standby had to end it. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof StoreError)) return false;
  const { code } = (error.cause ?? {}) as { code?: unknown };
  return code === '40001' || isLost(error);
}

function isLost({ trouble, message }: StoreError): boolean {
  return trouble === 'unreachable' && /ended the connection|was lost/.test(message);
}
