// How the value of a measurement came about, and which stage of its chain made it bad or uncertain; who wrote a command.
import type { CommandExplanation, Explanation, StageExplained } from '@telltale/schema';
import { isGood, quality, qualityMask } from '@telltale/schema/values';
import { client } from './service.ts';

export type { CommandExplanation, Explanation, StageExplained };

export const explainMeasurement = (name: string, signal: AbortSignal): Promise<Explanation> =>
  client.measurements.explain(name, { signal });

export const explainCommand = (name: string, signal: AbortSignal): Promise<CommandExplanation> =>
  client.commands.explain(name, { signal });

/** Undefined where what it shows is good. */
export function stageAtFault({ vtq, stages, simulation }: Explanation): StageExplained['stage'] | undefined {
  const q = vtq[2];
  if (isGood(q)) return undefined;
  if (simulation !== null) return 'simulation';
  const did = (stage: StageExplained['stage'], ...effects: readonly StageExplained['effect'][]) =>
    stages.some((each) => each.stage === stage && effects.includes(each.effect));
  // Without a link, what was read last is of no matter.
  if (did('watchdog', 'changed', 'stopped')) return 'watchdog';
  if (did('reading', 'stopped')) return 'reading';
  if (did('scaler', 'stopped') || isOutOfRange(q)) return 'scaler';
  return 'reading';
}

function isOutOfRange(q: number): boolean {
  return (q & (qualityMask.status | qualityMask.substatus)) === quality.uncertain.engineeringUnitsExceeded;
}
