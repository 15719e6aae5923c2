// The stored renderings: who, when and why; any two of them compared, and the way back, as a whole or for one object.
import { useSignal } from '@preact/signals';
import type { ComparedChange, RevisionSummary } from '@telltale/schema';
import { fromTimestamp } from '@telltale/schema/values';
import {
  compareConfigurations,
  configurationTurn,
  readRevision,
  readRevisions,
  restoreRevision,
  type WhichConfiguration,
} from '../../data/configuration.ts';
import { revision as runningRevision } from '../../data/overview.ts';
import { may } from '../../data/session.ts';
import { notify } from '../../parts/notices.tsx';
import { personText } from '../../parts/person-text.ts';
import { ProblemText } from '../../parts/problem-text.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { momentText } from '../../parts/times.ts';
import { useRead } from '../../parts/use-read.ts';
import { setViewQuery, viewQueryOf } from '../../router.ts';
import { words } from '../../words/words.ts';
import { ChangeList } from './change-list.tsx';
import type { ShownChange } from './field-lines.ts';
import { ActionDialog } from './object-dialogs.tsx';

interface Restoring {
  readonly id: number;
  /** Of one object: as it is in the revision. */
  readonly change?: ShownChange;
  /** Takes effect at once. */
  readonly isUndo?: boolean;
}

export function RevisionsView() {
  const { common, config } = words.value;
  const turn = configurationTurn.value;
  const { value, error, isLoading } = useRead(readRevisions, [turn, runningRevision.value]);
  const restoring = useSignal<Restoring | undefined>(undefined);
  const shown = viewQueryOf('revision').value;
  const from = viewQueryOf('from').value;
  const to = viewQueryOf('to').value;
  const running = value?.find((each) => each.running);
  const before = value?.find((each) => running !== undefined && each.id < running.id);
  const chosen = shown === 'running' ? running : value?.find(({ id }) => String(id) === shown);
  const restore = (next: Restoring) => {
    restoring.value = next;
  };
  return (
    <div class="view">
      <div class="view-head">
        <h1>
          <a href="/config">{config.title}</a> / {words.value.shell.views.revisions}
        </h1>
        <span class="grow" />
        {may('configure') && may('render') && before !== undefined && (
          <button type="button" onClick={() => restore({ id: before.id, isUndo: true })}>
            ↶ {config.undo(before.id)}
          </button>
        )}
      </div>
      {error !== undefined && <ProblemText error={error} />}
      {value === undefined && isLoading && <p class="quiet">{common.loading}</p>}
      {value?.length === 0 && <p class="quiet">{config.noRevisions}</p>}
      {value !== undefined && value.length > 0 && (
        <div class="revisions">
          <RevisionTable revisions={value} shown={chosen?.id} from={from} to={to} onRestore={restore} />
          <div>
            {from !== '' && (
              <Comparison from={whichOf(from)} to={whichOf(to === '' ? 'edited' : to)} onRestore={restore} />
            )}
            {from === '' && chosen !== undefined && <Details revision={chosen} />}
          </div>
        </div>
      )}
      {restoring.value !== undefined && (
        <RestoreDialog
          {...restoring.value}
          onClose={() => {
            restoring.value = undefined;
          }}
        />
      )}
    </div>
  );
}

function whichOf(text: string): WhichConfiguration {
  return text === 'edited' || text === 'rendered' ? text : Math.max(1, Math.trunc(Number(text)) || 1);
}

interface RevisionTableProps {
  readonly revisions: readonly RevisionSummary[];
  readonly shown: number | undefined;
  readonly from: string;
  readonly to: string;
  readonly onRestore: (next: Restoring) => void;
}

function RevisionTable({ revisions, shown, from, to, onRestore }: RevisionTableProps) {
  const { common, config } = words.value;
  const choose = (which: 'from' | 'to', value: string) => setViewQuery({ revision: undefined, [which]: value });
  return (
    <div class="panel table-scroll revision-table">
      <table>
        <thead>
          <tr>
            <th>{config.compareFrom}</th>
            <th>{config.compareTo}</th>
            <th>{config.revisionWord}</th>
            <th>{common.time}</th>
            <th>{common.by}</th>
            <th>{config.comment}</th>
            <th>{config.changesWord}</th>
            <th>
              <span class="hidden-text">{config.restore}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <td />
            <td data-title={config.compareTo}>
              <input
                type="radio"
                name="to"
                aria-label={config.compareToEdits}
                checked={from !== '' && (to === '' || to === 'edited')}
                onChange={() => choose('to', 'edited')}
              />
            </td>
            <td colSpan={6}>
              <a href="/config/changes">{config.edited}</a>
            </td>
          </tr>
          {revisions.map(({ id, time, author, comment = '', running, added, changed, removed }) => (
            <tr key={id} class={id === shown ? 'chosen' : ''} aria-current={id === shown}>
              <td data-title={config.compareFrom}>
                <input
                  type="radio"
                  name="from"
                  aria-label={config.compareFromRevision(id)}
                  checked={from === String(id)}
                  onChange={() => choose('from', String(id))}
                />
              </td>
              <td data-title={config.compareTo}>
                <input
                  type="radio"
                  name="to"
                  aria-label={config.compareToRevision(id)}
                  checked={to === String(id)}
                  onChange={() => choose('to', String(id))}
                />
              </td>
              <td>
                <a href={`/config/revisions?revision=${id}`}>{id}</a> {running && <b>{config.runsNow}</b>}
              </td>
              <td>{momentText(fromTimestamp([time[0], time[1]]))}</td>
              <td>{personText(author)}</td>
              <td class="revision-comment">{comment}</td>
              <td>{added === undefined ? '' : config.changeCounts(added, changed ?? 0, removed ?? 0)}</td>
              <td>
                {may('configure') && !running && (
                  <button type="button" aria-label={config.restoreRevision(id)} onClick={() => onRestore({ id })}>
                    {config.restore}
                  </button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Details({ revision }: { readonly revision: RevisionSummary }) {
  const { config } = words.value;
  const { value, error } = useRead((signal) => readRevision(revision.id, signal), [revision.id]);
  return (
    <section class="panel" aria-label={config.revision(revision.id)}>
      <h2>{config.changesOf(revision.id)}</h2>
      <ReadState value={value} error={error} />
      {value?.changes.length === 0 && <p class="quiet">{config.noDifference}</p>}
      {value !== undefined && <ChangeList changes={value.changes as readonly ShownChange[]} />}
    </section>
  );
}

interface ComparisonProps {
  readonly from: WhichConfiguration;
  readonly to: WhichConfiguration;
  readonly onRestore: (next: Restoring) => void;
}

function Comparison({ from, to, onRestore }: ComparisonProps) {
  const { config } = words.value;
  const turn = configurationTurn.value;
  const { value, error } = useRead((signal) => compareConfigurations(from, to, signal), [from, to, turn]);
  return (
    <section class="panel" aria-label={config.comparison}>
      <h2>{config.comparedTitle(config.which(from), config.which(to))}</h2>
      <ReadState value={value} error={error} />
      {value?.length === 0 && <p class="quiet">{config.noDifference}</p>}
      {value !== undefined && (
        <ChangeList
          changes={value}
          actions={
            may('configure') && typeof from === 'number'
              ? (change) =>
                  change.change !== 'added' && (
                    <button
                      type="button"
                      aria-label={config.restoreThis(change.name, from)}
                      onClick={() => onRestore({ id: from, change })}
                    >
                      {config.restore}
                    </button>
                  )
              : undefined
          }
        />
      )}
    </section>
  );
}

function RestoreDialog({ id, change, isUndo = false, onClose }: Restoring & { readonly onClose: () => void }) {
  const { config } = words.value;
  const comment = useSignal('');
  const { value, error } = useRead((signal) => compareConfigurations('edited', id, signal), [id]);
  const changes = value === undefined || change === undefined ? value : ofObject(value, change);
  const title = change === undefined ? config.restoreTitle(id) : config.restoreThis(change.name, id);
  return (
    <ActionDialog
      title={isUndo ? config.undoTitle(id) : title}
      action={isUndo ? config.undoNow : config.restore}
      isReady={changes !== undefined && changes.length > 0}
      onClose={onClose}
      run={async () => {
        const why = comment.value.trim();
        await restoreRevision(id, {
          family: change?.family,
          name: change?.name,
          render: isUndo,
          ...(isUndo && { comment: why === '' ? config.undoComment(id) : why }),
        });
        notify(isUndo ? config.undone(id) : config.restored(id));
      }}
    >
      <p>{isUndo ? config.undoHelp : config.restoreHelp}</p>
      <ReadState value={changes} error={error} />
      {changes?.length === 0 && <p>{config.noDifference}</p>}
      {changes !== undefined && <ChangeList changes={changes} />}
      {isUndo && (
        <input
          class="wide"
          maxLength={500}
          aria-label={config.comment}
          placeholder={config.undoComment(id)}
          value={comment.value}
          onInput={(event) => {
            comment.value = event.currentTarget.value;
          }}
        />
      )}
    </ActionDialog>
  );
}

/** Also under the name that it has now. */
function ofObject(changes: readonly ComparedChange[], { family, name }: ShownChange): ComparedChange[] {
  const ofFamily = changes.filter((each) => each.family === family);
  const now = ofFamily.find((each) => each.name === name)?.renamedFrom;
  return ofFamily.filter((each) => each.name === name || each.name === now);
}
