// Always there: the most urgent alarm that nobody has acknowledged, and counts by severity. Calm in a flood: it changes once a
// second at most, and an alarm that somebody is about to click stays. The title of the document has the count and the view.
import { type ReadonlySignal, useComputed, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { acknowledge } from '../../data/alarm-actions.ts';
import {
  alarms,
  alarmsAreKnown,
  byUrgency,
  isActive,
  isUnacknowledged,
  type ShownAlarm,
  sinceOf,
} from '../../data/alarms.ts';
import { moment } from '../../data/moment.ts';
import { may } from '../../data/session.ts';
import { siteName } from '../../data/sites.ts';
import { isStale } from '../../data/staleness.ts';
import { place } from '../../router.ts';
import { findRoute } from '../../routes.ts';
import { words } from '../../words/words.ts';
import { useCalm } from '../calm.ts';
import { notify, notifyFailure } from '../notices.tsx';
import { shownMoment } from '../now.ts';
import { pointPath } from '../point-path.ts';
import { StaleMark } from '../quality-mark.tsx';
import { SeverityMark } from '../severity-mark.tsx';
import { cellMomentText } from '../times.ts';

interface Counts {
  readonly severity: number;
  unacknowledged: number;
  active: number;
}

type Alarms = ReadonlyMap<string, ShownAlarm>;

const mostSeverities = 5;
const periodMs = 1000;

export function AlarmBanner() {
  const { shell } = words.value;
  // What is shown of one moment says nothing of another.
  return (
    <section class="banner" aria-label={shell.views.alarms}>
      <Banner key={moment.value ?? 'now'} />
    </section>
  );
}

function Banner() {
  const { shell } = words.value;
  const known = useComputed(() => (alarmsAreKnown.value ? alarms.value : undefined));
  const calm = useCalm(known, periodMs);
  const counts = useComputed(() => countsOf(calm.value ?? new Map()));
  const urgent = useComputed(() => mostUrgent(calm.value ?? new Map()));
  useDocumentTitle(counts);
  // Silence would say that there are none.
  if (calm.value === undefined) return <span class="quiet">{shell.alarmsUnknown}</span>;
  return (
    <>
      <StaleMark />
      <a class="banner-counts" href="/alarms">
        {counts.value.length === 0 && <span class="quiet">{shell.noAlarms}</span>}
        {counts.value.slice(0, mostSeverities).map((each) => (
          <span
            key={each.severity}
            class="banner-count"
            title={shell.alarmCounts(each.severity, each.unacknowledged, each.active)}
          >
            <SeverityMark severity={each.severity} state={each.unacknowledged > 0 ? 'ACT_UNACK' : 'ACT_ACK'} />
            {each.unacknowledged}/{each.active}
          </span>
        ))}
      </a>
      <Urgent urgent={urgent} isCalm={counts.value.length > 0} />
      <Announcement urgent={urgent} />
    </>
  );
}

interface UrgentProps {
  readonly urgent: ReadonlySignal<ShownAlarm | undefined>;
  /** There are alarms, all of them acknowledged, where none is urgent. */
  readonly isCalm: boolean;
}

/** While the pointer or the focus is on it, it is the same alarm until that is acknowledged. */
function Urgent({ urgent, isCalm }: UrgentProps) {
  const { shell } = words.value;
  const isHeld = useSignal(false);
  const last = useRef<string | undefined>(undefined);
  const isWorking = useSignal(false);
  const shown = useComputed(() => {
    const before = isHeld.value && last.current !== undefined ? alarms.value.get(last.current) : undefined;
    const next = before !== undefined && isUnacknowledged(before.state) ? before : urgent.value;
    last.current = next?.name;
    return next;
  });
  const alarm = shown.value;
  const isNone = alarm === undefined;
  useEffect(() => {
    if (isNone) isHeld.value = false;
  }, [isNone]);
  if (isNone) return isCalm ? <span class="quiet banner-text">{shell.allAcknowledged}</span> : null;
  const hold = () => {
    isHeld.value = true;
  };
  const release = () => {
    isHeld.value = false;
  };
  const state = alarms.value.get(alarm.name)?.state ?? alarm.state;
  const isDone = isStale.value || isWorking.value || !isUnacknowledged(state);
  const run = async () => {
    if (isDone) return;
    isWorking.value = true;
    // The next alarm takes the place of this one: a second click of those who have not seen that does nothing.
    const pause = new Promise((resolve) => setTimeout(resolve, periodMs));
    try {
      for (const [name, why] of await acknowledge([alarm.name])) notify(`${name}: ${why}`, { isFailure: true });
    } catch (error) {
      notifyFailure(error);
    }
    await pause;
    isWorking.value = false;
  };
  return (
    <div class="banner-urgent" onPointerEnter={hold} onPointerLeave={release} onFocusIn={hold} onFocusOut={release}>
      <SeverityMark severity={alarm.severity} state={state} />
      <a class="banner-text" href={pointPath('alarms', alarm.name)} data-over>
        {alarm.t > 0 && <time>{cellMomentText(sinceOf(alarm), shownMoment.value)} </time>}
        <b>{alarm.description || alarm.name}</b>
        {alarm.description !== '' && <span class="quiet"> {alarm.name}</span>}
      </a>
      {moment.value === undefined && may('acknowledge') && (
        <button type="button" aria-disabled={isDone} onClick={() => void run()}>
          {shell.acknowledge}
        </button>
      )}
    </div>
  );
}

/** Says to screen readers what is more urgent than before, not every alarm of a flood. */
function Announcement({ urgent }: { readonly urgent: ReadonlySignal<ShownAlarm | undefined> }) {
  const { alarms: texts } = words.value;
  const text = useSignal('');
  const last = useRef(urgent.peek());
  const alarm = urgent.value;
  useEffect(() => {
    const before = last.current;
    last.current = alarm;
    if (alarm === undefined) text.value = '';
    else if (before === undefined || alarm.severity < before.severity) {
      text.value = texts.announce(alarm.severity, alarm.description || alarm.name);
    }
  }, [alarm]);
  return (
    <span class="hidden-text" aria-live="polite">
      {text.value}
    </span>
  );
}

function useDocumentTitle(counts: ReadonlySignal<readonly Counts[]>): void {
  const { alarms: texts, common, shell } = words.value;
  const found = findRoute(place.value.path);
  const view = found === undefined ? '' : (found.parameters.name ?? shell.views[found.route.title]);
  const count = counts.value.reduce((sum, { unacknowledged }) => sum + unacknowledged, 0);
  const title = [siteName.value, view, common.service].filter((each) => each !== '').join(' – ');
  useEffect(() => {
    document.title = texts.documentTitle(count, title);
  }, [count, title, texts]);
}

function mostUrgent(all: Alarms): ShownAlarm | undefined {
  let first: ShownAlarm | undefined;
  for (const each of all.values()) {
    if (isUnacknowledged(each.state) && (first === undefined || byUrgency(each, first) < 0)) first = each;
  }
  return first;
}

function countsOf(all: Alarms): Counts[] {
  const counts = new Map<number, Counts>();
  for (const { state, severity } of all.values()) {
    if (state === 'INACT_ACK') continue;
    const found = counts.get(severity) ?? { severity, unacknowledged: 0, active: 0 };
    if (isUnacknowledged(state)) found.unacknowledged++;
    if (isActive(state)) found.active++;
    counts.set(severity, found);
  }
  return [...counts.values()].sort((a, b) => a.severity - b.severity);
}
