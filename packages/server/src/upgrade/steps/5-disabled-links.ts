// Format 5: the live state has the connectors and providers that are disabled. A server that does not know of them would run
// them: it must not open the folder.
import type { Step } from '../step.ts';

export const disabledLinks: Step = { format: 5, summary: 'connectors and providers can be disabled' };
