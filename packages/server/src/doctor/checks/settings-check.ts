// Settings of the environment: unknown ones, and those that contradict each other.
import { isLoopback } from '../../access/index.ts';
import { unknownVariables } from '../../read-settings.ts';
import { wantsTls } from '../../settings.ts';
import { type Check, type Finding, note, ok, wrong } from '../finding.ts';

const check = 'settings';

export const checkSettings: Check = ({ settings, folder, machine }) => {
  const { host, port } = settings;
  const found: Finding[] = [ok(check, `Data folder ${folder}, address ${host}, port ${port}.`)];
  if (!isLoopback(host) && !wantsTls(settings)) {
    const text = `The server refuses to listen on ${host} without TLS.`;
    found.push(wrong(check, text, '--tls, or --tls-cert and --tls-key'));
  }
  for (const variable of unknownVariables(machine.environment)) {
    found.push(note(check, `${variable} is not a setting and has no effect.`, 'npm start -- --help'));
  }
  const paths = [settings['data-path'], settings['channel-path'], settings['config-path']];
  if (new Set(paths).size < paths.length) {
    found.push(
      wrong(
        check,
        `--data-path, --channel-path and --config-path are not all different: ${paths.join(', ')}.`,
        'give each a path of its own',
      ),
    );
  }
  return found;
};
