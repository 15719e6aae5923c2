// Process pictures and named trends: SVGs are made harmless, and what runs is read.
export { cleanSvg } from './clean-svg.ts';
export { removedNames } from './removed-names.ts';
export { type MaySee, type ShownFamilies, type ShownObjects, shownFamilies } from './shown-objects.ts';
export { SvgFault } from './svg-fault.ts';
