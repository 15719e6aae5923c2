// The limit of an alarm in a few signs: `tank1_level > 4.5 m, back by 0.1 m, for 30 s`.
import { useMemo } from 'preact/hooks';
import type { AlarmTrigger } from '../../data/alarm-triggers.ts';
import { factsOfPoint } from '../../data/points.ts';
import { ageText } from '../../parts/times.ts';
import { valueText } from '../../parts/value-text.ts';
import { words } from '../../words/words.ts';

export function LimitText({ trigger }: { readonly trigger: AlarmTrigger }) {
  const { point } = words.value;
  const { measurement, operator, limit, hysteresis } = trigger;
  if (measurement === null || operator === null || limit === null) {
    return <>{measurement === null ? point.noTrigger : point.byDevice}</>;
  }
  return (
    <Limited
      measurement={measurement}
      operator={operator}
      limit={limit}
      hysteresis={hysteresis}
      delayMs={trigger['on-delay']}
    />
  );
}

interface LimitedProps {
  readonly measurement: string;
  readonly operator: NonNullable<AlarmTrigger['operator']>;
  readonly limit: string;
  readonly hysteresis: string | null;
  readonly delayMs: number;
}

function Limited({ measurement, operator, limit, hysteresis, delayMs }: LimitedProps) {
  const { point } = words.value;
  const facts = useMemo(() => factsOfPoint('measurements', measurement), [measurement]).value;
  const known = typeof facts === 'string' ? undefined : facts;
  const eu = known === undefined || known.eu === '' ? '' : ` ${known.eu}`;
  const shown = (value: string) => `${valueText(value, known)}${eu}`;
  const parts = [
    `${measurement} ${point.operators[operator]} ${shown(limit)}`,
    ...(hysteresis !== null && Number(hysteresis.slice(1)) > 0 ? [point.hysteresis(shown(hysteresis))] : []),
    ...(delayMs > 0 ? [point.onDelay(ageText(delayMs / 1000))] : []),
  ];
  return <>{parts.join(', ')}</>;
}
