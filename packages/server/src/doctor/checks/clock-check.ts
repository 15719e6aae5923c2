// The clock: synchronised, not set back, and with the data of time zones and languages.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { filesIn } from '../files-in.ts';
import { type Check, type Examined, type Finding, note, ok, wrong } from '../finding.ts';
import { textOf } from '../machine.ts';

const check = 'clock';
/** 2024: an earlier date is that of a machine without a battery for its clock. */
const earliestUs = 1_704_067_200_000_000;
const aheadMs = 60_000;

export const checkClock: Check = async (examined) => {
  const found = [...(await synchronised(examined)), ...jumps(examined), ...zones(examined)];
  return found.length > 0 ? found : [ok(check, 'It is synchronised, and the data of time zones is there.')];
};

async function synchronised({ machine }: Examined): Promise<Finding[]> {
  if (machine.clock.now() < earliestUs) {
    return [
      wrong(check, `It shows ${new Date(machine.clock.now() / 1000).toISOString()}.`, 'sudo timedatectl set-ntp true'),
    ];
  }
  if (machine.platform !== 'linux' || textOf(machine, 'run/systemd/timesync/synchronized') !== undefined) return [];
  const said = await machine.run('timedatectl', ['show', '--property=NTPSynchronized', '--value']);
  if (said?.trim() === 'yes') return [];
  if (said?.trim() === 'no') {
    return [note(check, 'It is not synchronised: times in the archive drift away.', 'sudo timedatectl set-ntp true')];
  }
  return [
    note(
      check,
      'Whether it is synchronised cannot be seen here, as in a container.',
      'timedatectl, on the machine itself',
    ),
  ];
}

/** A file that was written later than now: the clock has been set back, and records of both times mix. */
function jumps({ machine, folder }: Examined): Finding[] {
  const nowMs = machine.clock.now() / 1000;
  for (const path of [folder, join(folder, 'archive')].flatMap(filesIn)) {
    const { mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? { mtimeMs: 0 };
    if (mtimeMs > nowMs + aheadMs) {
      const text = `${path} was written at ${new Date(mtimeMs).toISOString()}, which is still to come: the clock was set back.`;
      return [wrong(check, text, 'timedatectl')];
    }
  }
  return [];
}

function zones({ machine }: Examined): Finding[] {
  const { TZ } = machine.environment;
  const found: Finding[] = [];
  if (TZ !== undefined && TZ !== '' && !isZone(TZ.replace(/^:/, ''))) {
    found.push(
      note(check, `TZ is ${JSON.stringify(TZ.slice(0, 80))}, which is no time zone: UTC is used.`, 'TZ=Europe/Vienna'),
    );
  }
  if (!isZone('Europe/Vienna')) {
    found.push(wrong(check, 'This Node has no data of time zones.', 'npm ci, which installs a Node that has'));
  }
  return found;
}

function isZone(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone });
    return true;
  } catch {
    return false;
  }
}
