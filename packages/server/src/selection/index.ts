// Selects live measurements, commands and alarms: by names with `*`, area, connector, datatype, quality and words.

export { areaTree } from './area-tree.ts';
export { isOfQuality } from './quality-index.ts';
export { type Selectable, selectableAlarms, selectablePoints } from './selectable.ts';
export { type Matcher, SelectionIndex } from './selection-index.ts';
export { Visible, within } from './visible.ts';
