// An archive of one point in memory: what the server does for a provider, in the plainest way.
import type { HistoryRecord, HistoryRequest, ProviderHistory } from '@telltale/stack-kit';

/** In order of time. */
export function historyOf(all: readonly HistoryRecord[]): ProviderHistory {
  return {
    read: async (_, { sinceUs, untilUs, newestFirst = false, limit, cursor }: HistoryRequest) => {
      const within = all.filter(({ timeUs }) => sinceUs <= timeUs && timeUs < untilUs);
      if (newestFirst) within.reverse();
      const from = cursor === undefined ? 0 : within.findIndex(({ timeUs }) => timeUs === cursor.timeUs) + cursor.skip;
      const records = within.slice(from, from + limit);
      const last = records.at(-1);
      if (from + limit >= within.length || last === undefined) return { records, cursor: undefined };
      const skip = from + records.length - within.findIndex(({ timeUs }) => timeUs === last.timeUs);
      return { records, cursor: { timeUs: last.timeUs, skip } };
    },
    aggregate: async () => [],
  };
}

export const record = (timeUs: number, value = timeUs, quality = 0xc0): HistoryRecord => {
  return { datatype: 'd', value, quality, timeUs };
};
