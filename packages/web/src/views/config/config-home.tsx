// The configuration as a whole: how many objects there are, what runs and what does not yet, the database as a file, typicals.
import { useSignal } from '@preact/signals';
import { familyNames, fromTimestamp } from '@telltale/schema/values';
import { useId } from 'preact/hooks';
import {
  acknowledgeMissing,
  configurationTurn,
  countObjects,
  downloads,
  readMissing,
  uploadDatabase,
} from '../../data/configuration.ts';
import { overview } from '../../data/overview.ts';
import { may } from '../../data/session.ts';
import { notify, notifyFailure } from '../../parts/notices.tsx';
import { personText } from '../../parts/person-text.ts';
import { ProblemText } from '../../parts/problem-text.tsx';
import { momentText } from '../../parts/times.ts';
import { useRead } from '../../parts/use-read.ts';
import { words } from '../../words/words.ts';
import { draftOf } from './draft.ts';
import { ActionDialog } from './object-dialogs.tsx';
import { TypicalsPanel } from './typicals-panel.tsx';

export function ConfigHome() {
  const { config } = words.value;
  const counts = useRead(countObjects, [configurationTurn.value]);
  return (
    <div class="view">
      <div class="view-head">
        <h1>{config.title}</h1>
      </div>
      <Missing />
      {counts.error !== undefined && <ProblemText error={counts.error} />}
      <div class="config-home">
        <section class="panel" aria-label={config.families.title}>
          <h2>{config.families.title}</h2>
          <ul class="family-list">
            {familyNames.map((family) => (
              <li key={family}>
                <a href={`/config/${family}`}>{config.families[family]}</a>
                <span class="grow quiet">{config.familyHelp[family]}</span>
                {draftOf(family).turn.value > 0 && draftOf(family).keys.length > 0 && (
                  <span class="quiet">✎ {config.notSaved(draftOf(family).keys.length)}</span>
                )}
                <b>{counts.value?.get(family) ?? '…'}</b>
                {may('configure') && (
                  <a class="button" href={`/config/${family}?new=1`} aria-label={config.newOne[family]}>
                    +
                  </a>
                )}
              </li>
            ))}
          </ul>
        </section>
        <div class="config-side">
          <RunningPanel />
          <DatabasePanel />
        </div>
        <TypicalsPanel />
      </div>
    </div>
  );
}

function RunningPanel() {
  const { config } = words.value;
  const { views } = words.value.shell;
  const found = overview.value?.configuration;
  const revision = found?.revision;
  const isEmpty = revision == null && found?.['up-to-date'] === true;
  return (
    <section class="panel" aria-label={config.whatRuns}>
      <h2>{config.whatRuns}</h2>
      {revision ? (
        <p>
          <a href="/config/revisions?revision=running">{config.revision(revision.id)}</a>,{' '}
          {momentText(fromTimestamp(revision.time))}, {personText(revision.author)}
        </p>
      ) : (
        <p class="quiet">{isEmpty ? config.nothingYet : config.nothingRuns}</p>
      )}
      <p>
        {found?.['up-to-date'] === true && !isEmpty && <>✓ {config.upToDate}</>}
        {found?.['up-to-date'] === false && <>✎ {config.editCount(found.edits ?? 0)}</>}
      </p>
      <p class="row">
        {isEmpty && may('configure') && (
          <a class="button main" href="/config/connectors?new=1">
            {config.beginWith}
          </a>
        )}
        <a class={`button ${found?.['up-to-date'] === false ? 'main' : ''}`} href="/config/changes">
          {found?.['up-to-date'] === false && may('render') ? config.toRender : views.changes}
        </a>
        <a class="button" href="/config/revisions">
          {views.revisions}
        </a>
      </p>
    </section>
  );
}

/** What was acknowledged once and is gone is said until somebody has taken note. */
function Missing() {
  const { config } = words.value;
  const missing = useRead(readMissing, [configurationTurn.value]).value ?? [];
  if (missing.length === 0) return null;
  return (
    <section class="problem" role="alert">
      <p>{config.missing}</p>
      <ul>
        {missing.map((each) => (
          <li key={each}>{each}</li>
        ))}
      </ul>
      {may('configure') && (
        <p>
          <button type="button" onClick={() => void acknowledgeMissing().catch(notifyFailure)}>
            {config.acknowledgeMissing}
          </button>
        </p>
      )}
    </section>
  );
}

function DatabasePanel() {
  const { config } = words.value;
  const file = useSignal<File | undefined>(undefined);
  const id = useId();
  return (
    <section class="panel" aria-label={config.database}>
      <h2>{config.database}</h2>
      <p class="quiet">{config.databaseHelp}</p>
      <p class="row">
        <a class="button" href={downloads.database} download="telltale-configuration.sqlite">
          {config.download}
        </a>
      </p>
      {may('configure') && (
        <p class="row">
          <label for={id}>{config.uploadDatabase}</label>
          <input
            id={id}
            type="file"
            accept=".sqlite,.db"
            onChange={(event) => {
              file.value = event.currentTarget.files?.[0];
              event.currentTarget.value = '';
            }}
          />
        </p>
      )}
      {file.value !== undefined && (
        <ActionDialog
          title={config.replaceTitle}
          action={config.replace}
          isReady
          onClose={() => {
            file.value = undefined;
          }}
          run={async () => {
            if (file.value !== undefined) await uploadDatabase(file.value);
            notify(config.replaced);
          }}
        >
          <p>{config.replaceHelp(file.value.name)}</p>
        </ActionDialog>
      )}
    </section>
  );
}
