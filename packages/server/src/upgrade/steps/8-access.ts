// Format 8: the folder may have users, in a database of their own. A server that does not know of them would let everybody
// in: it must not open the folder.
import type { Step } from '../step.ts';

export const access: Step = { format: 8, summary: 'there can be users, roles and tokens' };
