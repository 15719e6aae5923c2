// What comes in of strangers and is shown to others: made harmless before it is stored, whatever way it comes in.
import type { Family, FamilyObject, Fault, Picture } from '@telltale/schema';
import { cleanSvg, SvgFault } from '../pictures/index.ts';

/** Of an object that fits its schema. Undefined where it pushed a fault. */
export function harmless(
  family: Family,
  object: FamilyObject[Family],
  at: string,
  faults: Fault[],
): FamilyObject[Family] | undefined {
  if (family !== 'pictures') return object;
  try {
    return { ...(object as Picture), svg: cleanSvg((object as Picture).svg) };
  } catch (error) {
    if (!(error instanceof SvgFault)) throw error;
    faults.push({ path: `${at}/svg`, message: error.message });
    return undefined;
  }
}
