// The severity of an alarm: a shape and a digit, so that it is seen in greyscale; filled while the alarm is active.
import type { AlarmState } from '@telltale/schema';
import { isActive, isUnacknowledged } from '../data/alarms.ts';
import { words } from '../words/words.ts';

/** From the most severe; those beyond look like the last. */
const shapes = [
  'M8 1 L15 1 L19 5 L19 15 L15 19 L5 19 L1 15 L1 5 L5 1 Z',
  'M10 1 L19 19 L1 19 Z',
  'M10 1 L19 10 L10 19 L1 10 Z',
  'M2 2 L18 2 L18 18 L2 18 Z',
  'M10 2 A8 8 0 1 1 9.99 2 Z',
] as const;

export function severityClass(severity: number): number {
  return Math.min(severity, shapes.length - 1);
}

/** In a box of 20 by 20. */
export function severityShape(severity: number): string {
  return shapes[severityClass(severity)] ?? '';
}

/** All of them blink together: a list of which each row blinks by itself flickers. */
function inStep(event: AnimationEvent): void {
  for (const each of (event.currentTarget as Element).getAnimations()) each.startTime = 0;
}

export interface SeverityMarkProps {
  readonly severity: number;
  /** Blinks while it is not acknowledged, hollow while it is not active. Without it: at rest. */
  readonly state?: AlarmState;
}

export function SeverityMark({ severity, state }: SeverityMarkProps) {
  const look = severityClass(severity);
  const blinks = state !== undefined && isUnacknowledged(state) ? 'unacknowledged' : '';
  const inactive = state !== undefined && !isActive(state) ? 'inactive' : '';
  return (
    <span
      class={`severity severity-${look} ${inactive} ${blinks}`}
      role="img"
      aria-label={`${words.value.common.severity} ${severity}`}
      onAnimationStart={inStep}
    >
      <svg viewBox="0 0 20 20" aria-hidden="true">
        <path d={shapes[look]} />
      </svg>
      <b aria-hidden="true">{severity}</b>
    </span>
  );
}
