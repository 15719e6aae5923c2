// The settings of the running server, as they are shown: no setting is a secret, since secrets come in files.
import type { SettingInEffect } from '@telltale/schema';
import { settingLines } from './read-settings.ts';
import { type SettingName, type SettingSources, type Settings, timeZoneOf, wantsTls } from './settings.ts';

export function settingsInEffect(settings: Settings, sources: SettingSources): Record<string, SettingInEffect> {
  const values: Settings = { ...settings, tls: wantsTls(settings), 'time-zone': timeZoneOf(settings) };
  return Object.fromEntries(
    settingLines().map(({ name, variable, description }) => {
      const value = values[name as SettingName] ?? null;
      return [name, { value, source: sources.get(name) ?? 'default', variable, description }];
    }),
  );
}
