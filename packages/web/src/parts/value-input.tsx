// Where a person enters a value of a point: two large buttons, four states, a number with its unit and range, or a text.
import { isPrefixedText, traitsOf } from '@telltale/schema/values';
import { useId } from 'preact/hooks';
import type { Measure } from '../data/points.ts';
import { words } from '../words/words.ts';
import { isInRange, typedValue } from './typed-value.ts';
import { valueText } from './value-text.ts';

export interface ValueInputProps {
  readonly facts: Measure;
  /** As it was typed. */
  readonly text: string;
  readonly onText: (text: string) => void;
  /** Of the service, about this value. */
  readonly fault?: string | undefined;
}

export function ValueInput(props: ValueInputProps) {
  const { datatype } = props.facts;
  const { point, values } = words.value;
  const { isBoolean, highest } = traitsOf(datatype);
  if (isBoolean) {
    return (
      <Choice
        {...props}
        choices={[
          ['1', values.on],
          ['0', values.off],
        ]}
      />
    );
  }
  const states = Object.entries(point.states);
  if (highest === states.length - 1) {
    return <Choice {...props} choices={states.map(([state, text]) => [state, `${state} ${text}`])} />;
  }
  return <Typed {...props} />;
}

interface ChoiceProps extends ValueInputProps {
  readonly choices: readonly (readonly [value: string, text: string])[];
}

function Choice({ text, onText, choices, fault }: ChoiceProps) {
  return (
    <fieldset class="value-input">
      <legend>{words.value.point.newValue}</legend>
      <div class="value-choices">
        {choices.map(([value, shown]) => (
          <button key={value} type="button" aria-pressed={text === value} onClick={() => onText(value)}>
            {shown}
          </button>
        ))}
      </div>
      {fault !== undefined && <p class="error">{fault}</p>}
    </fieldset>
  );
}

function Typed({ facts, text, onText, fault }: ValueInputProps) {
  const { point } = words.value;
  const id = useId();
  const { datatype, eu } = facts;
  const isText = isPrefixedText(datatype);
  const prefixed = typedValue(datatype, text);
  const range = rangeText(facts);
  const wrong =
    text !== '' && prefixed === undefined
      ? point.notAValue(point.datatypes[datatype], traitsOf(datatype).example)
      : prefixed !== undefined && range !== undefined && !isInRange(prefixed, facts)
        ? point.outOfRange(range)
        : fault;
  return (
    <div class="value-input">
      <label for={id}>{point.newValue}</label>
      <div class="row">
        <input
          id={id}
          class={isText ? 'grow' : 'value-number'}
          inputMode={isText ? 'text' : 'decimal'}
          autocomplete="off"
          value={text}
          aria-invalid={wrong !== undefined}
          aria-describedby={`${id}-help`}
          onInput={({ currentTarget }) => onText(currentTarget.value)}
          onKeyDown={(event) => {
            const stepped = step(event.key, text, facts);
            if (stepped === undefined) return;
            event.preventDefault();
            onText(stepped);
          }}
        />
        {eu !== '' && <span>{eu}</span>}
      </div>
      <p
        id={`${id}-help`}
        class={wrong === undefined ? 'quiet' : 'error'}
        role={wrong === undefined ? undefined : 'status'}
      >
        {wrong ?? (range === undefined ? point.datatypes[datatype] : range)}
      </p>
    </div>
  );
}

/** Undefined where it has none. */
export function rangeText(facts: Measure): string | undefined {
  const [low, high] = facts.range;
  if (low === null && high === null) return undefined;
  const shown = (end: string | null) => (end === null ? '…' : valueText(end, facts));
  return `${words.value.point.range(shown(low), shown(high))}${facts.eu === '' ? '' : ` ${facts.eu}`}`;
}

/** Up and down move a number by a step that can be seen; one that no double holds is typed. */
function step(key: string, text: string, { datatype, precision }: Measure): string | undefined {
  const direction = { ArrowUp: 1, ArrowDown: -1 }[key];
  const traits = traitsOf(datatype);
  const prefixed = typedValue(datatype, text);
  if (direction === undefined || prefixed === undefined || !traits.isQuantity || !traits.isExactInDouble)
    return undefined;
  const decimals = traits.precision === 'whole' ? 0 : (precision ?? 1);
  return (Number(prefixed.slice(1)) + direction * 10 ** -decimals).toFixed(decimals);
}
