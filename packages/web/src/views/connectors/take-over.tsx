// What was selected on a device, as rows to look through: names to change, rows to leave out, errors where they belong. Then all
// come into the configuration by one transaction, or none.
import { useSignal } from '@preact/signals';
import { printable } from '@telltale/schema/values';
import { useMemo, useRef } from 'preact/hooks';
import {
  checkWanted,
  type Faults,
  type Offer,
  renderConfiguration,
  takeOver,
  type Wanted,
  withFreeNames,
} from '../../data/browse.ts';
import { may } from '../../data/session.ts';
import { submits } from '../../parts/fields.tsx';
import { notify } from '../../parts/notices.tsx';
import { ProblemText } from '../../parts/problem-text.tsx';
import { words } from '../../words/words.ts';

export interface TakeOverProps {
  readonly connector: string;
  readonly offers: readonly Offer[];
  readonly onBack: () => void;
  /** They are in the configuration. */
  readonly onTaken: () => void;
}

interface Row extends Wanted {
  readonly isIncluded: boolean;
}

export function TakeOver({ connector, offers, onBack, onTaken }: TakeOverProps) {
  const titles = words.value.connectors.take;
  const first = useMemo(() => withFreeNames(offers).map((each): Row => ({ ...each, isIncluded: true })), [offers]);
  const rows = useSignal<readonly Row[]>(first);
  const area = useSignal('');
  const prefix = useSignal('');
  const faults = useSignal<Faults>(new Map());
  const error = useSignal<unknown>(undefined);
  const isBusy = useSignal(false);
  const taken = useSignal(0);
  const form = useRef<HTMLFormElement>(null);
  const included = rows.value.flatMap((row, at) => (row.isIncluded ? [{ row, at }] : []));

  const change = (at: number, changes: Partial<Row>) => {
    rows.value = rows.peek().with(at, { ...(rows.peek()[at] as Row), ...changes });
    const left = new Map(faults.peek());
    if (left.delete(at)) faults.value = left;
  };
  const run = async () => {
    isBusy.value = true;
    error.value = undefined;
    const chosenArea = area.value.trim();
    const wanted = included.map(({ row: { isIncluded: _, ...row } }) => {
      return chosenArea === '' ? row : { ...row, area: chosenArea };
    });
    try {
      const found = await checkWanted(wanted, titles);
      faults.value = new Map([...found].map(([place, text]) => [included[place]?.at ?? 0, text]));
      if (found.size === 0) {
        await takeOver(wanted);
        taken.value = wanted.length;
        onTaken();
      } else {
        requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus());
      }
    } catch (thrown) {
      error.value = thrown;
    }
    isBusy.value = false;
  };
  if (taken.value > 0) return <Taken connector={connector} count={taken.value} onBack={onBack} />;
  return (
    <form ref={form} class="take" onSubmit={submits(run)}>
      <div class="view-head">
        <h2>{titles.title(included.length)}</h2>
        <span class="grow" />
        <button type="button" onClick={onBack}>
          {titles.back}
        </button>
        <button type="submit" class="main" disabled={isBusy.value || included.length === 0}>
          {titles.take(included.length)}
        </button>
      </div>
      <div class="row take-all">
        <label>
          {titles.area}{' '}
          <input
            type="text"
            value={area.value}
            onInput={(event) => {
              area.value = event.currentTarget.value;
            }}
          />
        </label>
        <label>
          {titles.prefix}{' '}
          <input
            type="text"
            value={prefix.value}
            onInput={(event) => {
              prefix.value = event.currentTarget.value;
            }}
          />
        </label>
        <button
          type="button"
          disabled={prefix.value === ''}
          onClick={() => {
            rows.value = rows.peek().map((row) => ({ ...row, name: prefix.peek() + row.name }));
            faults.value = new Map();
            prefix.value = '';
          }}
        >
          {titles.addPrefix}
        </button>
      </div>
      {faults.value.size > 0 && (
        <p class="error" role="alert">
          {titles.faults(faults.value.size)}
        </p>
      )}
      {error.value !== undefined && <ProblemText error={error.value} />}
      <Rows rows={rows.value} faults={faults.value} onChange={change} />
    </form>
  );
}

interface RowsProps {
  readonly rows: readonly Row[];
  readonly faults: Faults;
  readonly onChange: (at: number, changes: Partial<Row>) => void;
}

function Rows({ rows, faults, onChange }: RowsProps) {
  const { common, connectors, points } = words.value;
  const { take, browse } = connectors;
  return (
    <div class="take-rows">
      {rows.map(({ family, object, name, isIncluded }, at) => {
        const fault = faults.get(at);
        const address = printable(object.address ?? '');
        const faultId = `take-fault-${at}`;
        return (
          <div key={at} class="take-row">
            <input
              type="checkbox"
              aria-label={take.include(name)}
              checked={isIncluded}
              onChange={(event) => onChange(at, { isIncluded: event.currentTarget.checked })}
            />
            <span class="quiet">{browse.takes[family]}</span>
            <input
              type="text"
              class="mono"
              aria-label={take.nameOf(address)}
              aria-invalid={fault !== undefined}
              aria-describedby={fault === undefined ? undefined : faultId}
              disabled={!isIncluded}
              value={name}
              spellcheck={false}
              onInput={(event) => onChange(at, { name: event.currentTarget.value.trim() })}
            />
            <span class="take-what">
              <span class="mono">{address}</span>{' '}
              <span class="quiet">
                {'datatype' in object && points.datatypes[object.datatype]}
                {'severity' in object && `${common.severity} ${object.severity}`}
                {'eu' in object && object.eu !== undefined && ` ${printable(object.eu)}`}
                {object.description !== undefined && ` ${printable(object.description)}`}
              </span>
            </span>
            {fault !== undefined && (
              <span id={faultId} class="take-fault error">
                {printable(fault)}
              </span>
            )}
          </div>
        );
      })}
    </div>
  );
}

interface TakenProps {
  readonly connector: string;
  readonly count: number;
  readonly onBack: () => void;
}

function Taken({ connector, count, onBack }: TakenProps) {
  const { connectors } = words.value;
  const titles = connectors.take;
  const isBusy = useSignal(false);
  const isRendered = useSignal(false);
  const error = useSignal<unknown>(undefined);
  const render = async () => {
    isBusy.value = true;
    error.value = undefined;
    try {
      await renderConfiguration(titles.comment(connector));
      isRendered.value = true;
      notify(titles.rendered);
    } catch (thrown) {
      error.value = thrown;
    }
    isBusy.value = false;
  };
  return (
    <section class="panel">
      <h2>{isRendered.value ? titles.rendered : titles.done(count)}</h2>
      {!isRendered.value && <p>{titles.doneWhy}</p>}
      {error.value !== undefined && <ProblemText error={error.value} />}
      <div class="row">
        {!isRendered.value && may('render') && (
          <button type="button" class="main" disabled={isBusy.value} onClick={() => void render()}>
            {titles.render}
          </button>
        )}
        {!isRendered.value && (
          <a class="button" href="/config/changes">
            {titles.difference}
          </a>
        )}
        {isRendered.value && (
          <a class="button" href={`/points?connector=${connector}`}>
            {connectors.toPoints}
          </a>
        )}
        <button type="button" onClick={onBack}>
          {titles.back}
        </button>
      </div>
    </section>
  );
}
