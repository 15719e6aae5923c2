// One live alarm: what is configured of it, and its last transition.
import type { Alarm, AlarmState } from '@telltale/schema';
import type { ShownAlarm } from './alarm-texts.ts';

/** What its device reports of an alarm. */
export interface ReportedAlarm {
  readonly isActive: boolean;
  readonly isAcknowledged: boolean;
  readonly timeUs: number;
  readonly authority: string;
  readonly message?: string | undefined;
}

export class LiveEntry implements ShownAlarm {
  readonly name: string;
  readonly handle: number;
  alarm: Alarm;
  state: AlarmState = 'INACT_ACK';
  timeUs = 0;
  authority = '';
  transitions = 0;
  /** Of all alarms, at its last change. */
  version = 0;
  /** What its device said of the last transition. */
  message: string | undefined;
  /** Who is acknowledging it at its device. */
  acknowledging: string | undefined;

  constructor(handle: number, alarm: Alarm) {
    this.name = alarm.name;
    this.handle = handle;
    this.alarm = alarm;
  }

  get severity(): number {
    return this.alarm.severity;
  }

  get description(): string {
    return this.alarm.description ?? this.message ?? '';
  }

  get area(): string {
    return this.alarm.area ?? '';
  }
}
