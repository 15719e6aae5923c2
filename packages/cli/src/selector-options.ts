// Options that select points and alarms: what is given must hold all together. Names may be patterns, such as 'pump*'.
import type { MeasurementCriteria, PointCriteria } from '@telltale/client';
import { type Datatype, datatypes, isPattern } from '@telltale/schema';
import { type Call, type OptionDeclaration, UsageError } from './declaration.ts';

const common: readonly OptionDeclaration[] = [
  { name: 'area', value: 'AREA,…', summary: 'Only in these areas, and below them' },
  { name: 'search', value: 'WORDS', summary: 'Only with these words in name or description' },
];
const alarmOptions: readonly OptionDeclaration[] = [
  ...common,
  { name: 'connector', value: 'NAME,…', summary: 'Only of these connectors' },
];
const pointOptions: readonly OptionDeclaration[] = [
  ...alarmOptions,
  { name: 'datatype', value: 'LETTER,…', summary: 'Only of these datatypes' },
];
/** Flags, and the qualities that they stand for. */
const qualities = { bad: 'bad', uncertain: 'uncertain', forced: 'simulated' } as const;

export const selectorOptions = {
  alarms: alarmOptions,
  points: pointOptions,
  measurements: [
    ...pointOptions,
    { name: 'bad', summary: 'Only bad ones' },
    { name: 'uncertain', summary: 'Only uncertain ones' },
    { name: 'forced', summary: 'Only simulated ones' },
  ],
} as const;

/** What the options of a command line select by. */
export function criteriaIn({ options }: Call): MeasurementCriteria {
  const list = (name: string) => options.get(name)?.split(',');
  const words = Object.entries(qualities).flatMap(([flag, word]) => (options.has(flag) ? [word] : []));
  const letters = list('datatype');
  const unknown = letters?.find((letter) => !(datatypes as readonly string[]).includes(letter));
  if (unknown !== undefined) {
    throw new UsageError(`--datatype is one of ${datatypes.join(', ')}, not ${JSON.stringify(unknown.slice(0, 60))}.`);
  }
  return {
    area: list('area'),
    search: options.get('search'),
    connector: list('connector'),
    datatype: letters as Datatype[] | undefined,
    quality: words.length === 0 ? undefined : words,
  };
}

/** The same, of commands, which have no quality. */
export function commandCriteriaIn(call: Call): PointCriteria {
  const { quality, ...criteria } = criteriaIn(call);
  if (quality !== undefined)
    throw new UsageError('Commands have no quality: --bad, --uncertain and --forced are for measurements.');
  return criteria;
}

/** Whether the command line selects by more than plain names: then nothing may be found, and that is no error. */
export function isSelecting(call: Call): boolean {
  return hasCriteria(call) || call.args.some(isPattern);
}

export function hasCriteria(call: Call): boolean {
  return Object.values(criteriaIn(call)).some((each) => each !== undefined);
}

/** Of the arguments, those that are no patterns; of these each should be there, unless other criteria leave it out. */
export function plainNames(call: Call): readonly string[] {
  return hasCriteria(call) ? [] : call.args.filter((name) => !isPattern(name));
}
