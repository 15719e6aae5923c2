// The state of a connector or provider, in shape and words.
import type { LinkState } from '@telltale/schema';
import { type StateLook, StateMark } from '../../parts/state-mark.tsx';
import { words } from '../../words/words.ts';

const looks: Readonly<Record<LinkState, StateLook>> = {
  connecting: 'wait',
  up: 'up',
  down: 'down',
  failed: 'failed',
  disabled: 'off',
};

export interface LinkStateMarkProps {
  readonly state: LinkState;
  /** A link that is up may have devices behind it that do not answer. */
  readonly devicesDown?: number;
}

export function LinkStateMark({ state, devicesDown = 0 }: LinkStateMarkProps) {
  const { states, devicesDown: someDown } = words.value.connectors;
  if (state === 'up' && devicesDown > 0) return <StateMark look="down" text={someDown(devicesDown)} />;
  return <StateMark look={looks[state]} text={states[state]} />;
}
