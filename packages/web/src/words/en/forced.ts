// What is said of forcing and of what is forced, in English.
export const forced = {
  title: 'Forced',
  none: 'Nothing is forced: all values are those of the devices.',
  count: (count: number) => (count === 1 ? '1 value is forced' : `${count} values are forced`),
  remaining: 'Remaining',
  untilReleased: 'until released',
  release: 'Release',
  releaseSelected: (count: number) => `Release ${count}`,
  releaseAll: 'Release all …',
  releaseAllAsk: (count: number) =>
    count === 1 ? 'Release the one value that is forced?' : `Release all ${count} values that are forced?`,
  releaseWhy: 'The devices have their say again at once.',
  released: (count: number) => (count === 1 ? '1 value released' : `${count} values released`),
  notNow: 'What was forced at a moment of the past is marked at its values. Here is what is forced now.',
  forceMany: (count: number) => `Force ${count} points`,
  asNow: 'Hold each at its present value',
  oneValue: 'All at this value',
  forced: (count: number) => (count === 1 ? '1 value forced' : `${count} values forced`),
  failed: (count: number) => (count === 1 ? '1 of them was not done:' : `${count} of them were not done:`),
  andMore: (count: number) => `… and ${count} more`,
  noValue: 'It has no value yet that it could be held at.',
};
