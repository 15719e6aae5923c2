// What is in the database and does not run yet: looked through, checked, rendered with a comment, or discarded.
import { useSignal } from '@preact/signals';
import type { Change } from '@telltale/schema';
import { useId } from 'preact/hooks';
import {
  checkAll,
  configurationTurn,
  discardEdits,
  noteChange,
  readDifference,
  renderAll,
} from '../../data/configuration.ts';
import { revision } from '../../data/overview.ts';
import { TelltaleProblem } from '../../data/service.ts';
import { may } from '../../data/session.ts';
import { submits } from '../../parts/fields.tsx';
import { notify, notifyFailure } from '../../parts/notices.tsx';
import { ProblemText } from '../../parts/problem-text.tsx';
import { SignatureDialog } from '../../parts/signature-dialog.tsx';
import { useRead } from '../../parts/use-read.ts';
import { words } from '../../words/words.ts';
import { ChangeList } from './change-list.tsx';
import { FaultList } from './fault-list.tsx';
import type { ShownChange } from './field-lines.ts';
import { ActionDialog } from './object-dialogs.tsx';

export function ChangesView() {
  const { common, config } = words.value;
  const turn = configurationTurn.value;
  const { value, error, isLoading } = useRead(readDifference, [turn, revision.value]);
  const isDiscarding = useSignal(false);
  const discardOne = async ({ family, name }: ShownChange) => {
    if (family === undefined) return;
    try {
      await discardEdits({ family, name });
      notify(config.discardedOne(name));
    } catch (thrown) {
      notifyFailure(thrown);
    }
  };
  return (
    <div class="view">
      <div class="view-head">
        <h1>
          <a href="/config">{config.title}</a> / {words.value.shell.views.changes}
        </h1>
        {value !== undefined && <span class="quiet">{config.editCount(value.length)}</span>}
        <span class="grow" />
        {may('configure') && value !== undefined && value.length > 0 && (
          <button
            type="button"
            onClick={() => {
              isDiscarding.value = true;
            }}
          >
            {config.discardAll}
          </button>
        )}
      </div>
      {error !== undefined && <ProblemText error={error} />}
      {value === undefined && isLoading && <p class="quiet">{common.loading}</p>}
      {value !== undefined && <RenderPanel changes={value} />}
      {value !== undefined && value.length > 0 && (
        <section class="panel" aria-label={words.value.shell.views.changes}>
          <ChangeList
            changes={value as readonly ShownChange[]}
            actions={
              may('configure')
                ? (change) => (
                    <button
                      type="button"
                      aria-label={config.discardThis(change.name)}
                      onClick={() => void discardOne(change)}
                    >
                      {config.discard}
                    </button>
                  )
                : undefined
            }
          />
        </section>
      )}
      {isDiscarding.value && (
        <ActionDialog
          title={config.discardAll}
          action={config.discard}
          isReady
          onClose={() => {
            isDiscarding.value = false;
          }}
          run={async () => {
            const discarded = await discardEdits({});
            notify(config.discarded(discarded.length));
          }}
        >
          <p>{config.discardHelp(value?.length ?? 0)}</p>
        </ActionDialog>
      )}
    </div>
  );
}

function isProblem(report: Report | undefined, name: string): boolean {
  return report?.kind === 'failed' && report.error instanceof TelltaleProblem && report.error.problem === name;
}

type Report =
  | { readonly kind: 'checked' | 'rendered' }
  | { readonly kind: 'refused'; readonly error: TelltaleProblem }
  | { readonly kind: 'failed'; readonly error: unknown };

function RenderPanel({ changes }: { readonly changes: readonly Change[] }) {
  const { config } = words.value;
  const report = useSignal<Report | undefined>(undefined);
  const isBusy = useSignal(false);
  const comment = useSignal('');
  const id = useId();
  const run = async (kind: 'checked' | 'rendered') => {
    isBusy.value = true;
    try {
      if (kind === 'checked') await checkAll();
      else await renderAll(comment.value.trim());
      report.value = { kind };
      if (kind === 'rendered') comment.value = '';
    } catch (error) {
      const isRefusal = error instanceof TelltaleProblem && error.problem === 'render-refused';
      report.value = isRefusal ? { kind: 'refused', error } : { kind: 'failed', error };
    } finally {
      isBusy.value = false;
    }
  };
  const needsSignature = isProblem(report.value, 'signature-needed');
  const needsReason = isProblem(report.value, 'reason-needed');
  const close = () => {
    report.value = undefined;
  };
  return (
    <section class="panel render-panel" aria-label={config.render}>
      {changes.length === 0 && <p>✓ {config.upToDate}</p>}
      {changes.length > 0 && may('render') && (
        <form class="row" onSubmit={submits(() => run('rendered'))}>
          <label for={id}>{config.comment}</label>
          <input
            id={id}
            class="grow"
            maxLength={500}
            value={comment.value}
            placeholder={config.commentHint}
            aria-invalid={needsReason}
            onInput={(event) => {
              comment.value = event.currentTarget.value;
            }}
          />
          <button type="button" disabled={isBusy.value} onClick={() => void run('checked')}>
            {config.check}
          </button>
          <button type="submit" class="main" disabled={isBusy.value}>
            {config.renderNow(changes.length)}
          </button>
        </form>
      )}
      {changes.length > 0 && !may('render') && <p class="quiet">{config.mayNotRender}</p>}
      {report.value !== undefined && !needsSignature && <ReportText report={report.value} />}
      {needsSignature && (
        <SignatureDialog
          title={config.renderNow(changes.length)}
          name={config.title}
          operation="render"
          input={{}}
          reason={comment.value.trim()}
          onDone={noteChange}
          onClose={close}
        />
      )}
    </section>
  );
}

function ReportText({ report }: { readonly report: Report }) {
  const { config } = words.value;
  switch (report.kind) {
    case 'checked':
      return <p role="status">✓ {config.renderable}</p>;
    case 'rendered':
      return (
        <p role="status">
          ✓ {config.rendered} <a href="/config/revisions?revision=running">{config.toRevision}</a>
        </p>
      );
    case 'refused':
      return (
        <div class="problem" role="alert">
          <p>{config.renderRefused(report.error.errors.length)}</p>
          <FaultList faults={report.error.errors} />
        </div>
      );
    default:
      return <ProblemText error={report.error} />;
  }
}
