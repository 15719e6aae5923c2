// The executable of a function module: what is there, upload with progress, download, delete.
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { deleteExecutable, executableAddress, statExecutable, uploadExecutable } from '../../data/executables.ts';
import { moment } from '../../data/moment.ts';
import { may } from '../../data/session.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { FigureList } from '../../parts/figure-list.tsx';
import { bytesText } from '../../parts/figure-text.ts';
import { notify, notifyFailure } from '../../parts/notices.tsx';
import { ProblemText } from '../../parts/problem-text.tsx';
import { momentText } from '../../parts/times.ts';
import { useRead } from '../../parts/use-read.ts';
import { words } from '../../words/words.ts';

interface Upload {
  readonly end: AbortController;
  readonly part: number;
}

export function ExecutablePanel({ name }: { readonly name: string }) {
  const { common, modules } = words.value;
  const titles = modules.executable;
  const stat = useRead((signal) => statExecutable(name, signal), [name]);
  const chosen = useSignal<File | undefined>(undefined);
  const upload = useSignal<Upload | undefined>(undefined);
  const asksDelete = useSignal(false);
  const file = useRef<HTMLInputElement>(null);
  useEffect(() => () => upload.peek()?.end.abort(), []);
  const mayInstall = may('install-code') && moment.value === undefined;
  const isThere = stat.value !== undefined;
  const size = stat.value?.size;
  const mtime = stat.value?.mtime;

  const forget = () => {
    chosen.value = undefined;
    if (file.current !== null) file.current.value = '';
  };
  const send = async (body: File) => {
    const end = new AbortController();
    const onProgress = (part: number) => {
      upload.value = { end, part };
    };
    forget();
    onProgress(0);
    try {
      await uploadExecutable(name, body, { onProgress, signal: end.signal });
      notify(titles.done(name));
    } catch (error) {
      if (!end.signal.aborted) notifyFailure(error);
    }
    upload.value = undefined;
    stat.again();
  };
  const remove = async () => {
    asksDelete.value = false;
    try {
      await deleteExecutable(name);
      notify(titles.deleted(name));
    } catch (error) {
      notifyFailure(error);
    }
    stat.again();
  };
  return (
    <section class="panel" aria-label={titles.title}>
      <h2>{titles.title}</h2>
      {stat.error !== undefined && <ProblemText error={stat.error} />}
      {stat.error === undefined && !isThere && <p class="quiet">{stat.isLoading ? common.loading : titles.none}</p>}
      {isThere && (
        <FigureList
          facts={[
            ...(size === undefined ? [] : [{ what: titles.size, value: bytesText(size) }]),
            ...(mtime === undefined ? [] : [{ what: titles.uploaded, value: momentText(mtime * 1e6) }]),
          ]}
        />
      )}
      {upload.value !== undefined && (
        <div class="row" role="status">
          <progress value={upload.value.part} aria-label={titles.upload} />
          <span>{titles.uploading(Math.floor(upload.value.part * 100))}</span>
          <button type="button" onClick={() => upload.value?.end.abort()}>
            {common.cancel}
          </button>
        </div>
      )}
      <div class="row module-executable">
        {mayInstall && upload.value === undefined && (
          <>
            <input
              ref={file}
              type="file"
              class="hidden-text"
              tabIndex={-1}
              aria-label={titles.choose}
              onChange={(event) => {
                const [only] = event.currentTarget.files ?? [];
                if (only?.size === 0) notify(titles.empty, { isFailure: true });
                else chosen.value = only;
              }}
            />
            <button type="button" onClick={() => file.current?.click()}>
              {isThere ? titles.replace : titles.upload}
            </button>
          </>
        )}
        {isThere && (
          <a class="button" href={executableAddress(name)} download={name}>
            {titles.download}
          </a>
        )}
        {isThere && mayInstall && (
          <button
            type="button"
            onClick={() => {
              asksDelete.value = true;
            }}
          >
            {titles.delete}
          </button>
        )}
      </div>
      {chosen.value !== undefined && <UploadDialog name={name} file={chosen.value} onClose={forget} onSend={send} />}
      {asksDelete.value && (
        <Dialog
          title={titles.deleteTitle(name)}
          onClose={() => {
            asksDelete.value = false;
          }}
          actions={
            <button type="button" class="main" onClick={() => void remove()}>
              {common.delete}
            </button>
          }
        >
          <p>{titles.deleteWhat}</p>
        </Dialog>
      )}
    </section>
  );
}

interface UploadDialogProps {
  readonly name: string;
  readonly file: File;
  readonly onClose: () => void;
  readonly onSend: (file: File) => Promise<void>;
}

/** Code that runs on the machine of the service does not go there by a slip. */
function UploadDialog({ name, file, onClose, onSend }: UploadDialogProps) {
  const { common, modules } = words.value;
  const titles = modules.executable;
  return (
    <Dialog
      title={titles.uploadTitle(name)}
      onClose={onClose}
      actions={
        <>
          <button type="button" onClick={onClose}>
            {common.cancel}
          </button>
          <button type="button" class="main" onClick={() => void onSend(file)}>
            {titles.uploadNow}
          </button>
        </>
      }
    >
      <p class="module-error">{titles.uploadWhat(file.name, bytesText(file.size))}</p>
    </Dialog>
  );
}
