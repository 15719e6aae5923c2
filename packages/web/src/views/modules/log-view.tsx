// The log of a module as it comes: follows its end until somebody scrolls back or pauses it, filtered by words and stream.
import { useSignal } from '@preact/signals';
import { printable } from '@telltale/schema/values';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { ModuleLog, mostLines, type ShownLine } from '../../data/module-log.ts';
import { ProblemText } from '../../parts/problem-text.tsx';
import { clockText, momentText } from '../../parts/times.ts';
import { queryOf, setQuery } from '../../router.ts';
import { words } from '../../words/words.ts';

/** Of those that match, so many are on the page; earlier ones come on demand. */
const linesAtFirst = 500;
/** Whoever is so near to the end, in pixels, wants to see the next line. */
const nearEnd = 24;

const text = queryOf('log');
const stream = queryOf('stream');

export function LogView({ name }: { readonly name: string }) {
  const { common, modules } = words.value;
  const titles = modules.log;
  const log = useMemo(() => new ModuleLog(name), [name]);
  useEffect(() => () => log.close(), [log]);
  const held = useSignal<readonly ShownLine[] | undefined>(undefined);
  const isFollowing = useSignal(true);
  const most = useSignal(linesAtFirst);
  const box = useRef<HTMLDivElement>(null);
  const live = log.lines.value;
  const lines = held.value ?? live;
  const matching = useMemo(() => filtered(lines ?? [], text.value, stream.value), [lines, text.value, stream.value]);
  const shown = matching.slice(-most.value);
  const last = shown.at(-1)?.id;

  useLayoutEffect(() => {
    if (isFollowing.peek() && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [last, shown.length, isFollowing.value]);

  const lastHeld = held.value?.at(-1)?.id ?? -1;
  const waiting = held.value === undefined ? 0 : (live?.filter(({ id }) => id > lastHeld).length ?? 0);
  return (
    <section class="panel module-log" aria-label={titles.title}>
      <div class="row">
        <h2>{titles.title}</h2>
        <input
          type="search"
          aria-label={titles.filter}
          placeholder={titles.filter}
          defaultValue={text.value}
          onInput={(event) => setQuery({ log: event.currentTarget.value })}
        />
        <select
          aria-label={titles.streams}
          value={stream.value}
          onChange={(event) => setQuery({ stream: event.currentTarget.value })}
        >
          <option value="">{titles.both}</option>
          <option value="out">{titles.out}</option>
          <option value="err">{titles.err}</option>
        </select>
        <button
          type="button"
          aria-pressed={held.value !== undefined}
          onClick={() => {
            held.value = held.value === undefined ? live : undefined;
          }}
        >
          {held.value === undefined ? titles.pause : titles.resume}
        </button>
        {held.value !== undefined && <span role="status">{titles.paused(waiting)}</span>}
        {!isFollowing.value && (
          <button
            type="button"
            onClick={() => {
              isFollowing.value = true;
            }}
          >
            {titles.follow}
          </button>
        )}
        <span class="grow" />
        <span class="quiet">{lines !== undefined && titles.counted(matching.length, lines.length)}</span>
      </div>
      {log.error.value !== undefined && <ProblemText error={log.error.value} />}
      <div
        ref={box}
        class="module-lines"
        role="log"
        aria-live="off"
        aria-label={titles.title}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by keys
        tabIndex={0}
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
          isFollowing.value = scrollHeight - scrollTop - clientHeight < nearEnd;
        }}
      >
        {lines === undefined && log.error.value === undefined && <p class="quiet">{common.loading}</p>}
        {lines?.length === 0 && <p class="quiet">{titles.none}</p>}
        {lines !== undefined && lines.length > 0 && matching.length === 0 && <p class="quiet">{titles.noMatch}</p>}
        {matching.length > shown.length && (
          <button
            type="button"
            onClick={() => {
              isFollowing.value = false;
              most.value += linesAtFirst;
            }}
          >
            {titles.earlier(Math.min(linesAtFirst, matching.length - shown.length))}
          </button>
        )}
        {lines !== undefined && lines.length >= mostLines && matching.length === shown.length && (
          <p class="quiet">{titles.oldest}</p>
        )}
        {shown.map((line) => (
          <Line key={line.id} line={line} />
        ))}
      </div>
    </section>
  );
}

function Line({ line: { t, stream: of, text: line } }: { readonly line: ShownLine }) {
  const titles = words.value.modules.log;
  if (of === 'skipped') return <p class="module-line module-skipped">{titles.skipped(line)}</p>;
  return (
    <p class={`module-line module-${of}`}>
      <time class="quiet" title={momentText(t, { millis: true })}>
        {clockText(t, { millis: true })}
      </time>
      <span class="module-stream">{of === 'err' ? titles.errMark : ''}</span>
      <span class="module-text">{lineText(line)}</span>
    </p>
  );
}

/** Tabs do no harm. */
function lineText(line: string): string {
  return printable(line.replaceAll('\t', '    '));
}

function filtered(lines: readonly ShownLine[], searched: string, only: string): readonly ShownLine[] {
  if (searched === '' && only === '') return lines;
  const wanted = searched.toLowerCase();
  return lines.filter(({ stream: of, text: line }) => {
    return of === 'skipped' || ((only === '' || of === only) && line.toLowerCase().includes(wanted));
  });
}
