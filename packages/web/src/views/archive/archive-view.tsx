// The archive: how large it is and how it is, its care, and what goes out, in, and away.
import { readStats } from '../../data/archive.ts';
import { may } from '../../data/session.ts';
import { NotPermitted } from '../../parts/not-permitted.tsx';
import { PastNote } from '../../parts/past-note.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { useRead } from '../../parts/use-read.ts';
import { words } from '../../words/words.ts';
import { ArchiveCare } from './archive-care.tsx';
import { ArchiveFigures } from './archive-figures.tsx';
import { EraseForm } from './erase-form.tsx';
import { ExportForm } from './export-form.tsx';
import { ImportForm } from './import-form.tsx';

const everyMs = 10_000;

export default function ArchiveView() {
  const { archive } = words.value;
  const { value: stats, error, again } = useRead(readStats, [], { everyMs });
  return (
    <div class="view archive">
      <div class="view-head">
        <h1>{archive.title}</h1>
        <a href="/docs/guides/archive.md">{archive.guide}</a>
      </div>
      <PastNote />
      {!may('view') && <NotPermitted permission="view" />}
      <ReadState value={stats} error={error} again={again} />
      {stats !== undefined && <ArchiveFigures stats={stats} />}
      {may('configure') && <ArchiveCare onDone={again} />}
      {may('view') && <ExportForm />}
      {may('import-archive') && <ImportForm onDone={again} />}
      {may('erase-archive') && <EraseForm onDone={again} />}
    </div>
  );
}
