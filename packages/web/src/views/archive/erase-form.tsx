// Erases records: what will be lost is counted first, and the names are typed once more. Where the service wants it, each is
// signed.
import { useSignal } from '@preact/signals';
import {
  type ArchiveKind,
  countRecords,
  eraseRecords,
  erasingOf,
  type Interval,
  mostCounted,
} from '../../data/archive.ts';
import { TelltaleProblem } from '../../data/service.ts';
import { submits, typedInto } from '../../parts/fields.tsx';
import { countText } from '../../parts/figure-text.ts';
import { now } from '../../parts/now.ts';
import { ProblemText } from '../../parts/problem-text.tsx';
import { SignatureDialog } from '../../parts/signature-dialog.tsx';
import { momentText } from '../../parts/times.ts';
import { useTask } from '../../parts/use-task.ts';
import { words } from '../../words/words.ts';
import { type Ends, IntervalFields, intervalOf, KindField, namesIn } from './interval-fields.tsx';

const kinds = ['measurements', 'commands', 'alarms'] as const;
const mostNames = 20;

interface Loss {
  readonly kind: ArchiveKind;
  readonly interval: Interval;
  readonly names: readonly string[];
  readonly counts: readonly number[];
}

export function EraseForm({ onDone }: { readonly onDone: () => void }) {
  const { archive, common } = words.value;
  const kind = useSignal<ArchiveKind>('measurements');
  const text = useSignal('');
  const ends = useSignal<Ends>({ from: undefined, to: undefined });
  const loss = useSignal<Loss | undefined>(undefined);
  const typed = useSignal('');
  const reason = useSignal('');
  const left = useSignal<readonly string[]>([]);
  const isSigning = useSignal(false);
  const erased = useSignal<readonly string[]>([]);
  const { isUnderway, error, run, stop } = useTask();
  const names = namesIn(text.value);
  const isFit = names.length > 0 && names.length <= mostNames && ends.value.from !== undefined;

  const count = () =>
    run(async (signal) => {
      const interval = intervalOf(ends.peek(), now.peek());
      if (interval === undefined) throw new Error(archive.badInterval);
      const counts: number[] = [];
      erased.value = [];
      for (const name of names) counts.push(await countRecords(kind.peek(), name, interval, signal));
      typed.value = '';
      loss.value = { kind: kind.peek(), interval, names, counts };
      left.value = names;
    });
  const eraseAll = (what: Loss) =>
    run(async (signal) => {
      for (const name of left.peek()) {
        try {
          await eraseRecords(what.kind, name, what.interval, reason.peek().trim(), signal);
        } catch (failure) {
          if (!(failure instanceof TelltaleProblem) || failure.problem !== 'signature-needed') throw failure;
          isSigning.value = true;
          return;
        }
        gone(name);
      }
    });
  const gone = (name: string) => {
    erased.value = [...erased.peek(), name];
    left.value = left.peek().filter((each) => each !== name);
    if (left.peek().length > 0) return;
    loss.value = undefined;
    onDone();
  };
  const [next] = left.value;
  const found = loss.value;
  return (
    <section class="panel">
      <h2>{archive.erasing}</h2>
      <p class="quiet">{archive.eraseWhy}</p>
      <form class="archive-form" onSubmit={submits(count)}>
        <KindField kinds={kinds} kind={kind} />
        <label class="row">
          {archive.eraseNames}
          <input
            class="mono"
            value={text.value}
            spellcheck={false}
            onInput={({ currentTarget }) => {
              text.value = currentTarget.value;
              loss.value = undefined;
            }}
          />
        </label>
        <IntervalFields ends={ends} />
        {names.length > mostNames && <p class="error">{archive.tooMany(mostNames)}</p>}
        <div class="row">
          <button type="submit" disabled={isUnderway || !isFit}>
            {archive.countLoss}
          </button>
          {!isFit && <span class="quiet">{archive.eraseWants}</span>}
          {isUnderway && (
            <button type="button" onClick={stop}>
              {common.cancel}
            </button>
          )}
        </div>
      </form>
      {found !== undefined && (
        <form class="archive-form problem" onSubmit={submits(() => eraseAll(found))}>
          <p>
            <b>{archive.willBeLost(momentText(found.interval.since), momentText(found.interval.until))}</b>
          </p>
          <ul>
            {found.names.map((name, at) => (
              <li key={name}>
                <code>{name}</code> {archive.lost(lossText(found.counts[at] ?? 0), found.counts[at] ?? 0)}
              </li>
            ))}
          </ul>
          <label class="row">
            {common.reason}
            <input maxLength={500} {...typedInto(reason)} />
          </label>
          <label class="row">
            {archive.typeNames(found.names.join(' '))}
            <input class="mono" {...typedInto(typed)} spellcheck={false} autocomplete="off" />
          </label>
          <div class="row">
            <button type="submit" disabled={isUnderway || namesIn(typed.value).join() !== found.names.join()}>
              {archive.eraseNow}
            </button>
            <button type="button" onClick={() => (loss.value = undefined)}>
              {common.cancel}
            </button>
          </div>
        </form>
      )}
      {erased.value.length > 0 && <p role="status">✓ {archive.erased(erased.value.join(', '))}</p>}
      {error !== undefined && <ProblemText error={error} />}
      {isSigning.value && next !== undefined && found !== undefined && (
        <SignatureDialog
          key={next}
          title={archive.signErase(next)}
          name={next}
          {...erasingOf(found.kind, next, found.interval)}
          reason={reason.value}
          onDone={() => gone(next)}
          onClose={() => (isSigning.value = false)}
        />
      )}
    </section>
  );
}

const lossText = (count: number) => `${count >= mostCounted ? '≥ ' : ''}${countText(count)}`;
