// The words of alarms: their states, what people do to them, and who caused a transition.

/** Active or not, acknowledged or not. */
export const alarmStates = ['INACT_ACK', 'ACT_UNACK', 'ACT_ACK', 'INACT_UNACK'] as const;

export const alarmOperations = ['activate', 'deactivate', 'acknowledge'] as const;
export type AlarmOperation = (typeof alarmOperations)[number];

/** The authority of a transition that a trigger caused: by a value of the device, or by a simulated one. */
export const triggerAuthority = { live: 'trigger', simulated: 'trigger, simulated' } as const;
