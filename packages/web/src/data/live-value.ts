// A value of a measurement or command, as the live stores and the archive give it to the views.

export type PointKind = 'measurements' | 'commands';

export interface LiveValue {
  /** With its prefix, such as `d21.5`. */
  readonly value: string;
  /** Microseconds since 1970; 0: there was none yet. */
  readonly t: number;
  /** Undefined of commands, which have none. */
  readonly quality: number | undefined;
}

/** `pending` until the service has answered; `unknown`: there is no such point; `none`: nothing is archived of that moment. */
export type Shown = LiveValue | 'pending' | 'unknown' | 'none';
