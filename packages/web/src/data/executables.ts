// The executables of function modules: how they are uploaded with their progress shown, which `fetch` does not tell, and what
// of them is on the service.
import type { ExecutableStat } from '@telltale/schema';
import { onAbort, parseJson } from '@telltale/schema/values';
import { addresses, client, readProblem, TelltaleProblem, Unreachable } from './service.ts';

/** Undefined: there is none. */
export async function statExecutable(module: string, signal: AbortSignal): Promise<ExecutableStat | undefined> {
  try {
    return await client.configuration.statExecutable(module, { signal });
  } catch (error) {
    if (error instanceof TelltaleProblem && error.problem === 'no-executable') return undefined;
    throw error;
  }
}

/** Where a link downloads it from. */
export function executableAddress(module: string): string {
  return `${addresses.config}/function-modules/${encodeURIComponent(module)}/executable`;
}

export function deleteExecutable(module: string): Promise<void> {
  return client.configuration.deleteExecutable(module);
}

export interface UploadOptions {
  /** How much of it is on its way, from 0 to 1. */
  readonly onProgress: (part: number) => void;
  readonly signal: AbortSignal;
}

/** Resolves when it is on the disk of the service, whole; a module that runs is restarted with it. */
export function uploadExecutable(module: string, file: Blob, { onProgress, signal }: UploadOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const lost = () =>
      reject(new Unreachable('The link to the service was lost during the upload.', { mayHaveHappened: true }));
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
    request.onload = () => {
      if (request.status === 204) resolve();
      else reject(new TelltaleProblem(readProblem(bodyOf(request), request.status, request.responseText)));
    };
    request.onerror = lost;
    request.ontimeout = lost;
    request.onloadend = onAbort(signal, (reason) => {
      request.abort();
      reject(reason);
    });
    request.open('PUT', executableAddress(module));
    request.setRequestHeader('content-type', 'application/octet-stream');
    request.send(file);
  });
}

function bodyOf({ responseText }: XMLHttpRequest): unknown {
  try {
    return parseJson(responseText);
  } catch {
    return undefined;
  }
}
