// What else can be done with one alarm of the list: look at it elsewhere, and activate or deactivate it by hand.
import type { AlarmOperation } from '@telltale/schema';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { operateAlarm } from '../../data/alarm-actions.ts';
import { triggerOf } from '../../data/alarm-triggers.ts';
import { alarms, isActive, sinceOf } from '../../data/alarms.ts';
import { showMoment } from '../../data/moment.ts';
import { may } from '../../data/session.ts';
import { notifyFailure } from '../../parts/notices.tsx';
import { words } from '../../words/words.ts';
import { alarmAddress, trendAddress } from './alarm-links.ts';

export interface OpenMenu {
  readonly name: string;
  readonly near: DOMRect;
}

const gap = 4;

export function AlarmMenu({ menu, onClose }: { readonly menu: OpenMenu; readonly onClose: () => void }) {
  const texts = words.value.alarms;
  const ref = useRef<HTMLDivElement>(null);
  const { name, near } = menu;
  useLayoutEffect(() => {
    const element = ref.current;
    if (element === null) return;
    element.showPopover();
    const { offsetWidth: width, offsetHeight: height } = element;
    const below = near.bottom + gap;
    element.style.left = `${Math.max(gap, Math.min(near.right - width, innerWidth - width - gap))}px`;
    element.style.top = `${below + height <= innerHeight ? below : Math.max(gap, near.top - height - gap)}px`;
    element.querySelector<HTMLElement>('a, button')?.focus();
  }, [menu]);
  const alarm = alarms.value.get(name);
  const measurement = triggerOf(name).value;
  const operate = (operation: Exclude<AlarmOperation, 'acknowledge'>) => {
    onClose();
    operateAlarm(name, operation).catch(notifyFailure);
  };
  const leave = () => {
    if (ref.current?.matches(':popover-open')) ref.current.hidePopover();
  };
  return (
    <div
      ref={ref}
      popover="auto"
      class="alarm-menu"
      role="dialog"
      aria-label={texts.menu(name)}
      onToggle={(event) => {
        if (event.newState === 'closed') onClose();
      }}
    >
      <a href={alarmAddress(name)} data-over onClick={leave}>
        {texts.details}
      </a>
      {measurement !== undefined && alarm !== undefined && alarm.t > 0 && (
        <a href={trendAddress(measurement, sinceOf(alarm))} onClick={leave}>
          {texts.showTrend}
        </a>
      )}
      <a href={`/alarms/history?alarm=${encodeURIComponent(name)}`} onClick={leave}>
        {texts.showHistory}
      </a>
      {alarm !== undefined && alarm.t > 0 && (
        <button
          type="button"
          onClick={() => {
            leave();
            showMoment(alarm.t);
          }}
        >
          {texts.showMoment}
        </button>
      )}
      {may('operate-alarm') && alarm !== undefined && (
        <button type="button" onClick={() => operate(isActive(alarm.state) ? 'deactivate' : 'activate')}>
          {isActive(alarm.state) ? texts.deactivate : texts.activate}
        </button>
      )}
    </div>
  );
}
