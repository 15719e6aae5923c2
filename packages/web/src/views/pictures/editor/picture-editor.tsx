// The editor of a picture: a drawing is brought, its elements are bound to points, and what comes of it is seen at once.
import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { getEditedPicture } from '../../../data/pictures.ts';
import { useKeys } from '../../../parts/keys.ts';
import { notifyFailure } from '../../../parts/notices.tsx';
import { scopeOf } from '../../../parts/picture/parameters.ts';
import { PictureDrawing } from '../../../parts/picture/picture.tsx';
import type { PictureRuntime } from '../../../parts/picture/picture-runtime.ts';
import { ProblemText } from '../../../parts/problem-text.tsx';
import { useRead } from '../../../parts/use-read.ts';
import { go, setViewQuery } from '../../../router.ts';
import { words } from '../../../words/words.ts';
import { BindingPanel } from './binding-panel.tsx';
import { type Binding, EditorModel, emptyDrawing, withBindingsOf } from './editor-model.ts';
import { ElementTree } from './element-tree.tsx';
import { type PickedOutline, startPicking } from './picked-outline.ts';
import { PictureFields } from './picture-fields.tsx';
import { SaveDialog } from './save-dialog.tsx';
import { SymbolSheet } from './symbol-sheet.tsx';
import { FileTooLarge, type Uploaded, upload } from './upload.ts';

export function PictureEditor({ name }: { readonly name: string }) {
  const { common } = words.value;
  const read = useRead(async (signal) => new EditorModel(name, await getEditedPicture(name, signal)), [name]);
  if (read.value !== undefined) return <Editor model={read.value} name={name} />;
  return (
    <div class="view">
      {read.error === undefined ? <p class="quiet">{common.loading}</p> : <ProblemText error={read.error} />}
      {read.error !== undefined && (
        <button type="button" onClick={read.again}>
          {common.retry}
        </button>
      )}
    </div>
  );
}

function Editor({ model, name }: { readonly model: EditorModel; readonly name: string }) {
  const { pictures, common } = words.value;
  const { editor } = pictures;
  const draft = model.draft.value;
  const runtime = useRef<PictureRuntime | undefined>(undefined);
  const outline = useRef<PickedOutline | undefined>(undefined);
  const isSaving = useSignal(false);
  const isSaved = useSignal(false);
  const isOver = useSignal(false);
  const uploaded = useSignal<(Pick<Uploaded, 'removed'> & { readonly lost: readonly Binding[] }) | undefined>(
    undefined,
  );
  const failure = useSignal<unknown>(undefined);
  const scope = useMemo(() => scopeOf(draft.parameters, new URLSearchParams()), [draft.parameters]);
  useKeys(
    () => [
      { key: 'Ctrl+z', text: editor.undo, run: () => model.undo() },
      { key: 'Ctrl+y', text: editor.redo, run: () => model.redo() },
      {
        key: 'Ctrl+s',
        text: editor.save,
        run: () => {
          isSaving.value = true;
        },
      },
    ],
    [editor],
  );
  useEffect(() => model.selected.subscribe((path) => outline.current?.select(path)), [model]);
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => {
      if (model.isChanged.peek()) event.preventDefault();
    };
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [model]);
  const onRuntime = (made: PictureRuntime | undefined) => {
    outline.current?.end();
    runtime.current = made;
    outline.current =
      made &&
      startPicking(made, (path) => {
        model.selected.value = path;
      });
    outline.current?.select(model.selected.peek());
  };
  const take = async (file: File | undefined) => {
    if (file === undefined) return;
    failure.value = undefined;
    try {
      const before = model.draft.peek();
      const { svg: cleaned, removed } = await upload(file);
      const isFirst = before.svg === emptyDrawing;
      const { svg, lost } = isFirst ? { svg: cleaned, lost: [] } : withBindingsOf(before.svg, cleaned);
      model.selected.value = undefined;
      model.change({ svg });
      uploaded.value = { removed, lost };
    } catch (error) {
      failure.value = error instanceof FileTooLarge ? new Error(editor.tooLarge) : error;
    }
  };
  const middle = () => {
    const [x = 0, y = 0, width = 0, height = 0] = (runtime.current?.instance.root.getAttribute('viewBox') ?? '')
      .split(' ')
      .map(Number);
    return { x: x + width / 2, y: y + height / 2 };
  };
  const leave = () => {
    // Where there is none of this name that runs, there is nothing to look at.
    if (model.stored.peek() === undefined) go('/pictures');
    else setViewQuery({ edit: undefined });
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a file is dropped here, or chosen by the button
    <div
      class={`view whole pictures-editor ${isOver.value ? 'over' : ''}`}
      onDragOver={(event) => {
        event.preventDefault();
        isOver.value = true;
      }}
      onDragLeave={() => {
        isOver.value = false;
      }}
      onDrop={(event) => {
        event.preventDefault();
        isOver.value = false;
        take(event.dataTransfer?.files[0]).catch(notifyFailure);
      }}
    >
      <header class="view-head">
        <h1>{editor.title(name)}</h1>
        {model.isChanged.value && <span class="quiet">{editor.unsaved}</span>}
        <span class="grow" />
        <label class="button pictures-file">
          {editor.upload}
          <input
            type="file"
            accept=".svg,image/svg+xml"
            class="hidden-text"
            onChange={(event) => {
              const { currentTarget } = event;
              void take(currentTarget.files?.[0]).finally(() => {
                currentTarget.value = '';
              });
            }}
          />
        </label>
        <button type="button" disabled={!model.canUndo.value} title="Ctrl+Z" onClick={() => model.undo()}>
          {editor.undo}
        </button>
        <button type="button" disabled={!model.canRedo.value} title="Ctrl+Y" onClick={() => model.redo()}>
          {editor.redo}
        </button>
        <button
          type="button"
          class={model.isChanged.value ? 'main' : ''}
          disabled={!model.isChanged.value}
          onClick={() => {
            isSaving.value = true;
          }}
        >
          {editor.save}
        </button>
        <button type="button" onClick={leave}>
          {common.close}
        </button>
      </header>
      {failure.value !== undefined && <ProblemText error={failure.value} />}
      {uploaded.value !== undefined && (
        <UploadReport
          {...uploaded.value}
          onClose={() => {
            uploaded.value = undefined;
          }}
        />
      )}
      {isSaved.value && !model.isChanged.value && (
        <p class="panel" role="status">
          {editor.saved} <a href="/config/changes">{editor.render}</a>
        </p>
      )}
      <div class="pictures-work">
        <ElementTree model={model} />
        <div class="pictures-middle">
          {draft.svg === emptyDrawing && <p class="panel">{editor.emptyHelp}</p>}
          <PictureDrawing svg={draft.svg} scope={scope} title={editor.preview} onRuntime={onRuntime} />
        </div>
        <div class="pictures-side">
          <BindingPanel model={model} />
          <PictureFields model={model} />
          <SymbolSheet model={model} place={middle} />
        </div>
      </div>
      {isSaving.value && (
        <SaveDialog
          model={model}
          onClose={(saved) => {
            isSaving.value = false;
            isSaved.value ||= saved;
          }}
        />
      )}
    </div>
  );
}

interface UploadReportProps extends Pick<Uploaded, 'removed'> {
  readonly lost: readonly Binding[];
  readonly onClose: () => void;
}

const mostLines = 30;

function UploadReport({ removed, lost, onClose }: UploadReportProps) {
  const { common, pictures } = words.value;
  const { editor } = pictures;
  return (
    <section class="panel pictures-report" role="status" aria-label={editor.uploaded}>
      <div class="row">
        <strong class="grow">{editor.uploaded}</strong>
        <button type="button" class="plain" aria-label={common.close} onClick={onClose}>
          ✕
        </button>
      </div>
      {removed.length === 0 ? <p>{editor.nothingRemoved}</p> : <p>{editor.removed}</p>}
      {removed.length > 0 && (
        <ul>
          {removed.slice(0, mostLines).map(([what, count]) => (
            <li key={what}>
              <code>{what}</code> × {count}
            </li>
          ))}
        </ul>
      )}
      {lost.length > 0 && <p class="error">{editor.lost}</p>}
      {lost.length > 0 && (
        <ul>
          {lost.slice(0, mostLines).map(({ label, attribute, value }, at) => (
            <li key={at}>
              {label}: <code>{`${attribute}="${value}"`}</code>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
