// `telltale site enrol`: this server, which does not run, becomes a member of the bus of a centre.
import { resolve } from 'node:path';
import { takeDataFolder } from './data-folder.ts';
import { BadCode, type EnrolledHere, enrol, NotEnrolled } from './enrolment/index.ts';
import type { Settings } from './settings.ts';
import { cannotStart, StartFailed } from './start-failed.ts';
import { siteIdOf } from './store/index.ts';

/** Rejects with `StartFailed` where whoever enrols it can do something about it. */
export async function enrolServer(code: string, settings: Settings): Promise<EnrolledHere> {
  const data = resolve(settings.data);
  try {
    const folder = await takeDataFolder(data);
    try {
      // Before the centre hears of it: whoever tries again is the same one.
      return await enrol(code, { id: siteIdOf(data), data });
    } finally {
      folder.release();
    }
  } catch (error) {
    if (error instanceof BadCode || error instanceof NotEnrolled) throw new StartFailed(`${error.message}.`);
    throw cannotStart(error, data);
  }
}
