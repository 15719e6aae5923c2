// The families of configured objects, and what is said of their fields beside their schemas, which are in configuration.ts.

/**
 * By the path segment of a family, in the order in which everything lists them: what it is called in the names of its
 * operations.
 */
export const familyTitles = {
  alarms: 'Alarm',
  commands: 'Command',
  measurements: 'Measurement',
  connectors: 'Connector',
  providers: 'Provider',
  'function-modules': 'FunctionModule',
  pictures: 'Picture',
  trends: 'Trend',
} as const;

export type Family = keyof typeof familyTitles;
export const familyNames = Object.keys(familyTitles) as Family[];

/** Extensions of the contract's six: what was written before they came does not know them. */
export const extensionFamilies: ReadonlySet<Family> = new Set<Family>(['pictures', 'trends']);

/** In these fields, references, ranges, deadbands and paths, an empty text is not set: clients with forms send it. */
const unsetWhenEmpty: ReadonlySet<string> = new Set([
  'connectorName',
  'leader',
  'stackName',
  'trgMeasurement',
  'wdtMeasurement',
  'rawRangeLo',
  'rawRangeHi',
  'euRangeLo',
  'euRangeHi',
  'deadband',
  'archValueDeadband',
  'trgHysteresis',
  'executable',
]);

/** Whether a field with this value counts as not set, in a body and in the database. */
export function isUnset(field: string, value: unknown): boolean {
  return value === null || value === undefined || (value === '' && unsetWhenEmpty.has(field));
}

/** Fields that are texts in JSON, and numbers to people: in tables they may have the decimal comma of a locale. */
export const numericTexts: ReadonlySet<string> = new Set([
  'rawRangeLo',
  'rawRangeHi',
  'euRangeLo',
  'euRangeHi',
  'archValueDeadband',
  'deadband',
  'initialValue',
  'trgRefValue',
  'trgHysteresis',
]);
