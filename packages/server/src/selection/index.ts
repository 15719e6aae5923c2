// Selects live measurements, commands and alarms: by names with `*`, connector, datatype, quality and words.

export { type Selectable, selectableAlarms, selectablePoints } from './selectable.ts';
export { type Matcher, SelectionIndex } from './selection-index.ts';
