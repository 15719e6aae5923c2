// The bus, where the server is on one: its certificate, and from the names of the servers to what it may say and hear there.
import { expiryNoticeDays } from '@telltale/schema';
import { busFilesOf, roleOnBus } from '../../bus-settings.ts';
import { siteIdIn } from '../../store/index.ts';
import { readTls, UnusableTls } from '../../tls/index.ts';
import { type Check, type Finding, note, ok, wrong } from '../finding.ts';

const check = 'bus';
const soonMs = expiryNoticeDays * 86_400_000;
const anew = 'telltale site enrol, with a code of the centre';

export const checkBus: Check = async ({ settings, folder, machine: { clock } }) => {
  const role = roleOnBus(settings);
  if (settings.bus === undefined || role === undefined) return [];
  const id = siteIdIn(folder);
  if (id === undefined) {
    return [note(check, 'This server has no id on the bus yet: it gets one when it starts, or enrols.', 'npm start')];
  }
  const { BadBusAddress, examineBus, parseBusAddress } = await import('../../bus/index.ts');
  try {
    const files = busFilesOf(settings);
    const found = await certificateFindings(files, clock.now() / 1000);
    if (found.some(({ level }) => level === 'wrong')) return found;
    const all = await examineBus({ address: parseBusAddress(settings.bus), files, role, id, clock });
    return [...found, ...all.map((each) => ({ check, ...each }))];
  } catch (error) {
    if (!(error instanceof BadBusAddress)) throw error;
    return [wrong(check, `--bus is not usable: ${error.message}.`, 'npm start -- --help')];
  }
};

async function certificateFindings(files: ReturnType<typeof busFilesOf>, nowMs: number): Promise<Finding[]> {
  const { certificate: certFile, key: keyFile } = files;
  if (certFile === undefined || keyFile === undefined) return [];
  try {
    const { certificate } = await readTls({ certFile, keyFile });
    const [until, name] = [certificate.validToDate, certificate.subject.replaceAll('\n', ', ')];
    const leftMs = until.getTime() - nowMs;
    const text = `${certFile} is that of ${name}, and valid until ${until.toISOString().slice(0, 10)}.`;
    if (leftMs < 0) return [wrong(check, `${certFile} has expired on ${until.toISOString().slice(0, 10)}.`, anew)];
    return [leftMs < soonMs ? note(check, text, anew) : ok(check, text)];
  } catch (error) {
    if (!(error instanceof UnusableTls)) throw error;
    return [wrong(check, `${error.message[0]?.toUpperCase()}${error.message.slice(1)}.`, anew)];
  }
}
