// The state of a function module, in shape and words; and its processor time and memory as people read them.
import type { FunctionModuleState } from '@telltale/schema';
import { bytesText } from '../../parts/figure-text.ts';
import { type StateLook, StateMark } from '../../parts/state-mark.tsx';
import { localNumber, words } from '../../words/words.ts';

const looks: Readonly<Record<FunctionModuleState, StateLook>> = {
  STOP: 'off',
  INIT: 'wait',
  RUN: 'up',
  FAIL: 'failed',
};

export function ModuleStateMark({ state }: { readonly state: FunctionModuleState }) {
  return <StateMark look={looks[state]} text={words.value.modules.states[state]} />;
}

export function coresText(cores: number | null): string {
  return cores === null ? '–' : words.value.modules.cores(localNumber(cores.toFixed(2)));
}

export function memoryText(bytes: number | null): string {
  return bytes === null ? '–' : bytesText(bytes);
}
