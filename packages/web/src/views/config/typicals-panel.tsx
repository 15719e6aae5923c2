// Typicals: what was generated of which type, and generating from a type and a table of its instances, after a dry run.
import { type Signal, useSignal } from '@preact/signals';
import type { GenerateResult, Typicals } from '@telltale/schema';
import { useEffect, useId } from 'preact/hooks';
import { configurationTurn, type GenerateRequest, generate, readTypicals } from '../../data/configuration.ts';
import { may } from '../../data/session.ts';
import { notify } from '../../parts/notices.tsx';
import { ProblemText } from '../../parts/problem-text.tsx';
import { useRead } from '../../parts/use-read.ts';
import { words } from '../../words/words.ts';
import { ChangeList } from './change-list.tsx';
import { ActionDialog } from './object-dialogs.tsx';

export function TypicalsPanel() {
  const { config } = words.value;
  const { value, error } = useRead(readTypicals, [configurationTurn.value]);
  const isOpen = useSignal(false);
  return (
    <section class="panel wide" aria-label={config.typicals}>
      <div class="row">
        <h2 class="grow">{config.typicals}</h2>
        {may('configure') && (
          <button
            type="button"
            onClick={() => {
              isOpen.value = true;
            }}
          >
            {config.generateMore}
          </button>
        )}
      </div>
      {error !== undefined && <ProblemText error={error} />}
      {value !== undefined && Object.keys(value).length === 0 && <p class="quiet">{config.noTypicals}</p>}
      {value !== undefined && <TypicalList typicals={value} />}
      {isOpen.value && (
        <GenerateDialog
          onClose={() => {
            isOpen.value = false;
          }}
        />
      )}
    </section>
  );
}

/** More are not listed. */
const most = 200;

function TypicalList({ typicals }: { readonly typicals: Typicals }) {
  const { config } = words.value;
  return (
    <>
      {Object.entries(typicals).map(([type, instances]) => {
        const all = Object.entries(instances);
        const objects = all.reduce((sum, [, made]) => sum + made.length, 0);
        return (
          <details key={type}>
            <summary>
              <b>{type}</b> <span class="quiet">{config.typicalCounts(all.length, objects)}</span>
            </summary>
            <ul class="typical-list">
              {all.slice(0, most).map(([instance, made]) => (
                <li key={instance}>
                  <b>{instance}</b>{' '}
                  {made.slice(0, most).map(({ family, name, state }) => (
                    <span key={`${family} ${name}`}>
                      {state === 'deleted' ? <del>{name}</del> : <a href={`/config/${family}/${name}`}>{name}</a>}
                      {state !== 'made' && <span class="quiet"> ({config.madeStates[state]})</span>}{' '}
                    </span>
                  ))}
                </li>
              ))}
            </ul>
          </details>
        );
      })}
    </>
  );
}

function GenerateDialog({ onClose }: { readonly onClose: () => void }) {
  const { config } = words.value;
  const type = useSignal<File | undefined>(undefined);
  const table = useSignal<File | undefined>(undefined);
  const deleteMissing = useSignal(false);
  const overwrite = useSignal(false);
  const request = useSignal<GenerateRequest | undefined>(undefined);
  const result = useSignal<GenerateResult | undefined>(undefined);
  const error = useSignal<unknown>(undefined);
  const options = { deleteMissing: deleteMissing.value, overwrite: overwrite.value };
  useEffect(() => {
    result.value = undefined;
    error.value = undefined;
    request.value = undefined;
    if (type.value === undefined || table.value === undefined) return;
    let isOver = false;
    tryOut(type.value, table.value, options).then(
      (found) => {
        if (isOver) return;
        request.value = found.request;
        result.value = found.result;
      },
      (thrown: unknown) => {
        if (!isOver) error.value = thrown;
      },
    );
    return () => {
      isOver = true;
    };
  }, [type.value, table.value, deleteMissing.value, overwrite.value]);
  const found = result.value;
  return (
    <ActionDialog
      title={config.generateTitle}
      action={config.generate}
      isReady={found !== undefined}
      onClose={onClose}
      run={async () => {
        if (request.value === undefined) return;
        const made = await generate(request.value, options);
        notify(config.generated(made.instances, made.added, made.changed, made.removed));
      }}
    >
      <div class="dialog-form">
        <FileLine text={config.typeFile} accept=".json" file={type} />
        <FileLine text={config.instancesFile} accept=".csv,.xlsx" file={table} />
      </div>
      <Flag text={config.generateMissing} value={deleteMissing} />
      <Flag text={config.overwrite} value={overwrite} />
      {error.value !== undefined && <ProblemText error={error.value} />}
      {found !== undefined && (
        <>
          <p role="status">✓ {config.generated(found.instances, found.added, found.changed, found.removed)}</p>
          {found.kept.length > 0 && <p>{config.keptByHand(found.kept.length)}</p>}
          {found.left.length > 0 && <p>{config.leftOver(found.left.length)}</p>}
          <ChangeList changes={found.changes} />
        </>
      )}
    </ActionDialog>
  );
}

async function tryOut(type: File, table: File, options: { deleteMissing: boolean; overwrite: boolean }) {
  const request: GenerateRequest = { type: JSON.parse(await type.text()), file: await base64(table) };
  return { request, result: await generate(request, { ...options, dryRun: true }) };
}

async function base64(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += 0x8000) parts.push(String.fromCharCode(...bytes.subarray(at, at + 0x8000)));
  return btoa(parts.join(''));
}

interface FileLineProps {
  readonly text: string;
  readonly accept: string;
  readonly file: Signal<File | undefined>;
}

function FileLine({ text, accept, file }: FileLineProps) {
  const id = useId();
  return (
    <>
      <label for={id}>{text}</label>
      <input
        id={id}
        type="file"
        accept={accept}
        onChange={(event) => {
          file.value = event.currentTarget.files?.[0];
        }}
      />
    </>
  );
}

function Flag({ text, value }: { readonly text: string; readonly value: Signal<boolean> }) {
  return (
    <p>
      <label>
        <input
          type="checkbox"
          checked={value.value}
          onChange={(event) => {
            value.value = event.currentTarget.checked;
          }}
        />{' '}
        {text}
      </label>
    </p>
  );
}
