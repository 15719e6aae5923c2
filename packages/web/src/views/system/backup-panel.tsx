// The configuration as a file: taken away, and brought back with the difference before it runs.
import { useSignal } from '@preact/signals';
import { overview } from '../../data/overview.ts';
import { TelltaleProblem } from '../../data/service.ts';
import { may } from '../../data/session.ts';
import {
  type Change,
  discardConfiguration,
  downloadConfiguration,
  renderConfiguration,
  uploadConfiguration,
} from '../../data/system.ts';
import { submits } from '../../parts/fields.tsx';
import { notify } from '../../parts/notices.tsx';
import { now } from '../../parts/now.ts';
import { ProblemText } from '../../parts/problem-text.tsx';
import { saveBlob } from '../../parts/save-file.ts';
import { SignatureDialog } from '../../parts/signature-dialog.tsx';
import { dayText } from '../../parts/times.ts';
import { useTask } from '../../parts/use-task.ts';
import { words } from '../../words/words.ts';

const mostShown = 100;

export function BackupPanel() {
  const { system, common } = words.value;
  const task = useTask();
  const file = useSignal<File | undefined>(undefined);
  const changes = useSignal<readonly Change[] | undefined>(undefined);
  const isSigning = useSignal(false);
  const edits = overview.value?.configuration?.edits ?? 0;
  const over = (text: string) => {
    changes.value = undefined;
    notify(text);
  };
  const save = () =>
    task.run(async (signal) => {
      saveBlob(`configuration-${dayText(now.peek())}.sqlite`, await downloadConfiguration(signal));
    });
  const upload = () =>
    task.run(async (signal) => {
      const chosen = file.peek();
      if (chosen !== undefined) changes.value = await uploadConfiguration(chosen, signal);
    });
  const render = () =>
    task.run(async () => {
      try {
        await renderConfiguration('');
        over(system.rendered);
      } catch (error) {
        if (!(error instanceof TelltaleProblem) || error.problem !== 'signature-needed') throw error;
        isSigning.value = true;
      }
    });
  const discard = () =>
    task.run(async () => {
      await discardConfiguration();
      over(system.discarded);
    });
  return (
    <section class="panel">
      <h2>{system.backup}</h2>
      <p>{system.backupWhat}</p>
      <p class="quiet">
        {system.wholeBackup} <a href="/docs/guides/back-up-and-move.md">{system.backupGuide}</a>
      </p>
      <p>
        <button type="button" disabled={task.isUnderway} onClick={() => void save()}>
          {system.download}
        </button>
      </p>
      {may('configure') && (
        <form class="row" onSubmit={submits(upload)}>
          <label class="row">
            {system.file}
            <input
              type="file"
              accept=".sqlite,application/x-sqlite3"
              required
              onChange={({ currentTarget }) => (file.value = currentTarget.files?.[0])}
            />
          </label>
          <button type="submit" disabled={task.isUnderway || file.value === undefined}>
            {system.upload}
          </button>
          <span class="quiet">{edits > 0 ? system.editsGo(edits) : system.uploadWhy}</span>
        </form>
      )}
      {changes.value !== undefined && (
        <div class="system-difference">
          <p role="status">
            <b>{system.differs(changes.value.length)}</b>
          </p>
          <ul>
            {changes.value.slice(0, mostShown).map(({ family, name, change }) => (
              <li key={`${family} ${name}`}>
                {system.changes[change]} <code>{`${family}/${name}`}</code>
              </li>
            ))}
          </ul>
          {changes.value.length > mostShown && <p>{common.partOf(String(mostShown), String(changes.value.length))}</p>}
          <div class="row">
            {may('render') && changes.value.length > 0 && (
              <button type="button" class="main" disabled={task.isUnderway} onClick={() => void render()}>
                {system.render}
              </button>
            )}
            {changes.value.length > 0 && (
              <button type="button" disabled={task.isUnderway} onClick={() => void discard()}>
                {system.discard}
              </button>
            )}
            <a href="/config/changes">{system.look}</a>
          </div>
        </div>
      )}
      {task.error !== undefined && <ProblemText error={task.error} />}
      {isSigning.value && (
        <SignatureDialog
          title={system.render}
          name={system.backup}
          operation="render"
          input={{}}
          onDone={() => over(system.rendered)}
          onClose={() => (isSigning.value = false)}
        />
      )}
    </section>
  );
}
