// The shared store, where the server has one: from the name of its host to a record that is written and read.
import { examineStore } from '../../store/index.ts';
import type { Check } from '../finding.ts';

const check = 'store';

export const checkStore: Check = async ({ settings: { store }, machine: { clock } }) => {
  if (store === undefined) return [];
  const found = await examineStore(store, clock);
  return found.map((each) => ({ check, ...each }));
};
