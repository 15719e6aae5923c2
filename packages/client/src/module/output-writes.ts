// Writes the outputs of a cycle to commands: one request per cycle, each sent once, and its outcome reported.
import { type Datatype, fitValue, formatPrefixed, type Value, ValueError } from '@telltale/schema/values';
import type { Channel } from '../channel.ts';
import { TelltaleProblem, Unreachable } from '../errors.ts';

export interface WriteFailure {
  readonly name: string;
  readonly value: Value;
  readonly error: Error;
  /** False only where it is known that the device did not get it. */
  readonly mayHaveHappened: boolean;
}

export interface Output {
  readonly name: string;
  readonly value: Value;
  /** Undefined if the service has not reported it. */
  readonly datatype: Datatype | undefined;
}

/** Resolves with what failed; rejects never. Waits for the answers, but no longer than this. */
export async function writeOutputs(
  channel: Channel,
  outputs: readonly Output[],
  timeoutMs: number,
): Promise<WriteFailure[]> {
  const failures: WriteFailure[] = [];
  const fail = ({ name, value }: Output, error: Error, mayHaveHappened = false) =>
    failures.push({ name, value, error, mayHaveHappened });
  const sent = new Map<string, Output>();
  const writes: { name: string; value: string }[] = [];
  for (const output of outputs) {
    try {
      writes.push({ name: output.name, value: wireText(output) });
      sent.set(output.name, output);
    } catch (error) {
      fail(output, error as Error);
    }
  }
  if (writes.length === 0) return failures;
  try {
    await channel.request('WriteCommands', { writes }, { timeoutMs });
  } catch (error) {
    const results = error instanceof TelltaleProblem ? error.results : [];
    for (const output of sent.values()) {
      const result = results.find(({ name }) => name === output.name);
      if (result?.result) continue;
      const own = result?.error === undefined ? (error as Error) : new TelltaleProblem(result.error);
      fail(output, own, mayHaveHappened(own));
    }
  }
  return failures;
}

function wireText({ name, value, datatype }: Output): string {
  if (datatype === undefined) throw new ValueError(`the service has not reported the command ${name} yet`);
  // What does not fit is refused where it is formatted.
  return formatPrefixed(datatype, fitValue(datatype, value) ?? value);
}

/** What the service refused was not written; after an error of a device or a timeout the outcome is unknown. */
function mayHaveHappened(error: Error): boolean {
  if (error instanceof TelltaleProblem) return error.status >= 500;
  return !(error instanceof Unreachable) || error.mayHaveHappened;
}
