// What is typed and not saved, in one line: check it (a dry run with what is wrong in its cells), save it as one transaction, or
// discard it. Of a whole family, or of one object.
import { useSignal } from '@preact/signals';
import { checkTable, readObjects, readSome, saveTable, type TableCheck } from '../../data/configuration.ts';
import { notify } from '../../parts/notices.tsx';
import { ProblemText } from '../../parts/problem-text.tsx';
import { words } from '../../words/words.ts';
import { ChangeList } from './change-list.tsx';
import { type DraftTable, type FamilyDraft, isNew, type Objects, type PlacedFault, type RowKey } from './draft.ts';
import { FaultList } from './fault-list.tsx';

export interface DraftBarProps {
  readonly draft: FamilyDraft;
  readonly keys: readonly RowKey[];
  /** Leads to a cell. */
  readonly onFault?: (fault: PlacedFault) => void;
  readonly onSaved?: (names: readonly string[]) => void;
}

type Outcome =
  | { readonly kind: 'checked'; readonly check: TableCheck; readonly table: DraftTable }
  | { readonly kind: 'conflict' }
  | { readonly kind: 'failed'; readonly error: unknown };

/** By so many names, objects are asked for; all of the family beyond. */
const mostNames = 500;

async function freshOf({ family }: FamilyDraft, keys: readonly RowKey[]): Promise<Objects> {
  const names = keys.filter((key) => !isNew(key));
  if (names.length === 0) return new Map();
  return names.length > mostNames ? readObjects(family) : readSome(family, names);
}

async function check(draft: FamilyDraft, keys: readonly RowKey[]): Promise<Outcome> {
  const fresh = await freshOf(draft, keys);
  const { config } = words.value;
  if (draft.findConflicts(keys, fresh, (now) => config.conflict(now === '' ? config.notSet : now))) {
    return { kind: 'conflict' };
  }
  const table = draft.table(keys, fresh);
  const found = await checkTable(draft.family, table.body);
  draft.takeFaults(found.faults, table);
  return { kind: 'checked', check: found, table };
}

export function DraftBar({ draft, keys, onFault, onSaved }: DraftBarProps) {
  const { config } = words.value;
  const outcome = useSignal<{ readonly turn: number; readonly of: Outcome } | undefined>(undefined);
  const isBusy = useSignal(false);
  // What was said holds until something else is typed; faults stay in their cells.
  const say = (of: Outcome | undefined) => {
    outcome.value = of && { turn: draft.turn.peek(), of };
  };
  const run = async (isSaved: boolean, isAnyway = false) => {
    isBusy.value = true;
    try {
      const found = await check(draft, keys);
      say(found);
      if (!isSaved || found.kind !== 'checked' || found.check.isRefused) return;
      if (found.check.faults.length > 0 && !isAnyway) return;
      const names = keys.map((key) => draft.nameOf(key));
      draft.markSaved(keys);
      await saveTable(draft.family, found.table.body);
      say(undefined);
      notify(config.saved(keys.length));
      onSaved?.(names);
    } catch (error) {
      say({ kind: 'failed', error });
    } finally {
      isBusy.value = false;
    }
  };
  const discard = () => {
    draft.drop(keys);
    say(undefined);
  };
  if (keys.length === 0) return null;
  const cells = keys.reduce((sum, key) => sum + draft.columnsOf(key).length, 0);
  const shown = outcome.value?.turn === draft.turn.value ? outcome.value.of : undefined;
  const isRenderable = shown?.kind !== 'checked' || shown.check.isRefused || shown.check.faults.length === 0;
  return (
    <section class="draft-bar panel" aria-label={config.draft}>
      {shown !== undefined && <OutcomeText outcome={shown} draft={draft} keys={keys} onFault={onFault} />}
      <div class="row">
        <span class="grow">✎ {cells === 0 ? config.emptyDraft : config.drafted(cells, keys.length)}</span>
        <button type="button" disabled={isBusy.value} onClick={discard}>
          {config.dropDraft}
        </button>
        <button type="button" disabled={isBusy.value} onClick={() => void run(false)}>
          {config.check}
        </button>
        <button type="button" class="main" disabled={isBusy.value} onClick={() => void run(true, !isRenderable)}>
          {isRenderable ? words.value.common.save : config.saveAnyway}
        </button>
      </div>
    </section>
  );
}

interface OutcomeProps {
  readonly outcome: Outcome;
  readonly draft: FamilyDraft;
  readonly keys: readonly RowKey[];
  readonly onFault: DraftBarProps['onFault'];
}

function OutcomeText({ outcome, draft, keys, onFault }: OutcomeProps) {
  const { config } = words.value;
  if (outcome.kind === 'failed') return <ProblemText error={outcome.error} />;
  const placed = draft.faults.filter(({ key }) => keys.includes(key));
  if (outcome.kind === 'conflict') {
    return (
      <div class="problem" role="alert">
        <p>{config.conflicts}</p>
        <PlacedFaults faults={placed} draft={draft} onFault={onFault} />
      </div>
    );
  }
  const { result, isRefused, faults } = outcome.check;
  const elsewhere = draft.elsewhere.value;
  return (
    <>
      {faults.length > 0 && (
        <div class="problem" role="alert">
          <p>{isRefused ? config.refused(faults.length) : config.notRenderable(faults.length)}</p>
          <PlacedFaults faults={placed} draft={draft} onFault={onFault} />
          {elsewhere.length > 0 && (
            <>
              {!isRefused && <p>{config.elsewhere}</p>}
              <FaultList faults={elsewhere} />
            </>
          )}
        </div>
      )}
      {result !== undefined && (
        <details class="draft-outcome" open={(result.changes ?? []).length <= 5}>
          <summary>
            <span role="status">
              {faults.length === 0 ? `✓ ${config.wouldWork} ` : ''}
              {config.counts(result)}
            </span>
          </summary>
          <ChangeList changes={result.changes ?? []} family={draft.family} />
        </details>
      )}
    </>
  );
}

interface PlacedFaultsProps {
  readonly faults: readonly PlacedFault[];
  readonly draft: FamilyDraft;
  readonly onFault: DraftBarProps['onFault'];
}

function PlacedFaults({ faults, draft, onFault }: PlacedFaultsProps) {
  if (faults.length === 0) return null;
  return (
    <ul class="fault-list">
      {faults.map((fault) => (
        <li key={`${fault.key} ${fault.column}`}>
          {onFault === undefined ? (
            <code>{fault.column}</code>
          ) : (
            <button type="button" onClick={() => onFault(fault)}>
              {draft.nameOf(fault.key)} · {fault.column}
            </button>
          )}{' '}
          {fault.message}
        </li>
      ))}
    </ul>
  );
}
