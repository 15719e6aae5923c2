// An archive of its own for a test: real files in a temporary folder, closed with its scope.
import { systemClock } from '@telltale/schema';
import { cleanupOf, type Scope, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { Archive } from '../src/archive/index.ts';

export async function openArchive(scope: Scope): Promise<Archive> {
  const archive = new Archive({
    folder: temporaryFolder(scope),
    clock: systemClock,
    commitMs: 50,
    maxPendingBytes: 1 << 24,
    retention: { ofSeries: new Map() },
    onFailure: (error) => {
      throw error;
    },
    onFault: () => undefined,
    onWarning: () => undefined,
  });
  cleanupOf(scope).defer(() => archive.close(5000));
  await archive.open();
  return archive;
}
