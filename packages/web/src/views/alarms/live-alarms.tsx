// The alarms that want attention, in order of urgency: rows stand still while somebody is at the list, and what is acknowledged is
// what was on the screen.
import { useComputed, useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { alarms, alarmsAreKnown, alarmsFailure, isUnacknowledged } from '../../data/alarms.ts';
import { moment } from '../../data/moment.ts';
import { may } from '../../data/session.ts';
import { isStale } from '../../data/staleness.ts';
import { useCalm } from '../../parts/calm.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { useKeys } from '../../parts/keys.ts';
import { useGridLayout } from '../../parts/live-grid/grid-layout.ts';
import { type GridKey, rowsOf } from '../../parts/live-grid/grid-model.ts';
import { LiveGrid } from '../../parts/live-grid/live-grid.tsx';
import { ProblemText } from '../../parts/problem-text.tsx';
import { StaleMark } from '../../parts/quality-mark.tsx';
import { go } from '../../router.ts';
import { words } from '../../words/words.ts';
import { Acknowledging } from './acknowledging.ts';
import { alarmColumns } from './alarm-cells.tsx';
import { choicesOf } from './alarm-choices.ts';
import { alarmFilter, isFiltered, matcherOf } from './alarm-filter.ts';
import { AlarmFilterBar } from './alarm-filter-bar.tsx';
import { alarmAddress } from './alarm-links.ts';
import { AlarmMenu, type OpenMenu } from './alarm-menu.tsx';
import { useHands } from './held-by-person.ts';
import { heldOrder } from './held-order.ts';

const choicesMs = 5000;

export function LiveAlarms() {
  const { alarms: texts, common, shell } = words.value;
  const isNow = moment.value === undefined;
  const selection = useSignal<ReadonlySet<GridKey>>(new Set());
  const menu = useSignal<OpenMenu | undefined>(undefined);
  const area = useRef<HTMLDivElement>(null);
  const hands = useHands();
  const acknowledging = useMemo(
    () =>
      new Acknowledging((done) => {
        const left = new Set(selection.peek());
        for (const name of done) left.delete(name);
        selection.value = left;
      }),
    [],
  );
  const isHeld = useComputed(
    () =>
      hands.isHeld.value ||
      selection.value.size > 0 ||
      menu.value !== undefined ||
      acknowledging.asked.value !== undefined,
  );
  const matches = useComputed(() => matcherOf(alarmFilter.value));
  const order = useMemo(() => heldOrder({ alarms, matches, isHeld }), []);
  useEffect(() => () => order.stop(), [order]);

  const acknowledge = () => {
    if (!may('acknowledge') || moment.peek() !== undefined || isStale.peek()) return;
    const chosen = [...selection.peek()].map(String);
    acknowledging.ask(chosen.length > 0 ? chosen : namesOnScreen(area.current));
  };
  const renew = () => {
    order.renew();
    area.current?.querySelector('.grid-scroll')?.scrollTo({ top: 0 });
  };
  useKeys(
    () => [
      { key: 'a', text: shell.keys.acknowledge, run: acknowledge },
      { key: 's', text: texts.showNew, run: renew },
    ],
    [texts],
  );

  const calm = useCalm(alarms, choicesMs);
  const choices = useMemo(() => choicesOf(calm.value), [calm.value]);
  const names = order.names.value;
  const hasUnacknowledged = useComputed(() => {
    const chosen = selection.value.size > 0 ? [...selection.value].map(String) : order.names.value;
    return chosen.some((name) => isUnacknowledged(alarms.value.get(name)?.state ?? 'INACT_ACK'));
  }).value;
  const rows = useMemo(() => rowsOf(names, (name) => name), [names]);
  const onMenu = (name: string, near: DOMRect) => {
    menu.value = { name, near };
  };
  const columns = useMemo(() => alarmColumns({ isNow, acknowledging, onMenu }), [isNow, texts, may('acknowledge')]);
  const layout = useGridLayout('alarms', columns);
  const filter = alarmFilter.value;
  const openMenu = (event: KeyboardEvent, name: string) => {
    if (!isNow || (event.key !== 'm' && event.key !== 'ContextMenu')) return;
    event.preventDefault();
    const row = area.current?.querySelector(`[data-alarm="${CSS.escape(name)}"]`)?.closest('[role=row]');
    if (row) onMenu(name, row.getBoundingClientRect());
  };

  return (
    <>
      <AlarmFilterBar {...choices} />
      <div class="alarm-bar">
        <span class="alarm-counts">
          <StaleMark /> <Counts />
        </span>
        <span class="alarm-new">
          {order.gathered.value > 0 && (
            <button type="button" class="main" title={texts.heldWhy} onClick={renew}>
              {texts.gathered(order.gathered.value)} – {texts.show} <kbd>S</kbd>
            </button>
          )}
        </span>
        {isNow && selection.value.size > 0 && (
          <button
            type="button"
            onClick={() => {
              selection.value = new Set();
            }}
          >
            {texts.clearSelection}
          </button>
        )}
        {isNow && may('acknowledge') && (
          <button type="button" disabled={isStale.value || !hasUnacknowledged} onClick={acknowledge}>
            ✓ {selection.value.size > 0 ? texts.acknowledgeSelected(selection.value.size) : texts.acknowledgeVisible}{' '}
            <kbd>A</kbd>
          </button>
        )}
      </div>
      {!isNow && <p class="quiet">{texts.pastHint}</p>}
      {alarmsFailure.value !== undefined && <ProblemText error={alarmsFailure.value} />}
      <div ref={area} class="alarm-list" {...hands.listeners}>
        <LiveGrid
          label={texts.list}
          columns={columns}
          layout={layout}
          rows={rows}
          {...(isNow && may('acknowledge') && { selection })}
          onOpen={(name) => go(alarmAddress(name), { over: true })}
          onKey={openMenu}
          empty={alarmsAreKnown.value ? (isFiltered(filter) ? texts.noneMatches : texts.none) : common.loading}
        />
      </div>
      {menu.value !== undefined && (
        <AlarmMenu
          menu={menu.value}
          onClose={() => {
            menu.value = undefined;
          }}
        />
      )}
      <Confirmation acknowledging={acknowledging} />
    </>
  );
}

function Counts() {
  const texts = words.value.alarms;
  const filter = alarmFilter.value;
  const counts = useComputed(() => {
    const matches = matcherOf(alarmFilter.value);
    const isAmong = matcherOf({ ...alarmFilter.value, text: '', area: '', severity: undefined, state: undefined });
    let [shown, all, unacknowledged] = [0, 0, 0];
    for (const alarm of alarms.value.values()) {
      if (isAmong(alarm)) all++;
      if (!matches(alarm)) continue;
      shown++;
      if (isUnacknowledged(alarm.state)) unacknowledged++;
    }
    return { shown, all, unacknowledged };
  });
  const { shown, all, unacknowledged } = counts.value;
  if (!alarmsAreKnown.value) return null;
  return (
    <>
      {isFiltered(filter) ? texts.shown(shown, all) : texts.shown(all, all)}
      {unacknowledged > 0 && <span class="quiet"> · {texts.unacknowledged(unacknowledged)}</span>}
    </>
  );
}

function Confirmation({ acknowledging }: { readonly acknowledging: Acknowledging }) {
  const { alarms: texts, common } = words.value;
  const asked = acknowledging.asked.value;
  if (asked === undefined) return null;
  return (
    <Dialog
      title={texts.acknowledgeMany(asked.length)}
      onClose={() => acknowledging.cancel()}
      actions={
        <>
          <button type="button" onClick={() => acknowledging.cancel()}>
            {common.cancel}
          </button>
          <button type="button" class="main" onClick={() => acknowledging.confirm()}>
            {texts.acknowledge}
          </button>
        </>
      }
    >
      <p>{texts.acknowledgeManyWhy}</p>
    </Dialog>
  );
}

/** Read from the elements: what a person has before their eyes, not what the next frame shows. */
function namesOnScreen(list: HTMLElement | null): string[] {
  const seen = list?.querySelector('.grid-scroll')?.getBoundingClientRect();
  if (list === null || seen === undefined) return [];
  const head = list.querySelector('.grid-head')?.getBoundingClientRect().height ?? 0;
  const found: string[] = [];
  for (const element of list.querySelectorAll<HTMLElement>('[data-alarm]')) {
    const { top, height } = element.getBoundingClientRect();
    const middle = top + height / 2;
    const name = element.dataset.alarm;
    if (name !== undefined && middle > seen.top + head && middle < seen.bottom) found.push(name);
  }
  return found;
}
