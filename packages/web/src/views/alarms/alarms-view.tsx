// Alarms: the live list, and the history of all alarms.
import { viewPlace } from '../../router.ts';
import { words } from '../../words/words.ts';
import { AlarmHistory } from './alarm-history.tsx';
import { LiveAlarms } from './live-alarms.tsx';

export default function AlarmsView() {
  const texts = words.value.alarms;
  const isHistory = viewPlace.value.path === '/alarms/history';
  return (
    <div class="view whole alarms">
      <div class="view-head">
        <h1>{isHistory ? texts.transitions.title : texts.title}</h1>
        <span class="quiet">
          <a href="/alarms" aria-current={isHistory ? undefined : 'page'}>
            {texts.live}
          </a>{' '}
          ·{' '}
          <a href="/alarms/history" aria-current={isHistory ? 'page' : undefined}>
            {texts.history}
          </a>
        </span>
      </div>
      {isHistory ? <AlarmHistory /> : <LiveAlarms />}
    </div>
  );
}
