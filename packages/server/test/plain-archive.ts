// The archive as tests and their processes open it: small, in a folder of its own, and ended with whatever it is made for.
import type { Clock } from '@telltale/schema';
import { cleanupOf, type Scope, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { Archive } from '../src/archive/index.ts';

/** Not opened yet. */
export function plainArchive(scope: Scope, clock: Clock, onWarning: (text: string) => void): Archive {
  const archive = new Archive({
    folder: temporaryFolder(scope),
    clock,
    commitMs: 50,
    maxPendingBytes: 1 << 20,
    retention: { ofSeries: new Map() },
    onFailure: (error) => {
      throw error;
    },
    onFault: () => undefined,
    onWarning,
  });
  cleanupOf(scope).defer(() => archive.close(5000));
  return archive;
}
