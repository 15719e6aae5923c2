// The service as a whole: what is missing, its metrics, and its configuration as a file that is taken away and brought back.
import type { Change, NodeSwitch, SettingInEffect, SettingSource } from '@telltale/schema';
import { client } from './service.ts';

export type { Change, SettingSource };

export interface Metric {
  readonly name: string;
  readonly labels: string;
  readonly value: number;
}

export async function readMetrics(signal: AbortSignal): Promise<Metric[]> {
  const samples = await client.service.metrics({ signal });
  return samples.map(({ name, labels, value }) => {
    return { name, value, labels: [...labels].map(([label, text]) => `${label}=${text}`).join(' ') };
  });
}

export interface Setting extends SettingInEffect {
  readonly name: string;
}

export async function readSettings(signal: AbortSignal): Promise<Setting[]> {
  return Object.entries(await client.service.settings({ signal })).map(([name, setting]) => ({ name, ...setting }));
}

export async function readMissing(signal: AbortSignal): Promise<readonly string[]> {
  return client.configuration.missing({ signal });
}

export function acknowledgeMissing(): Promise<void> {
  return client.configuration.acknowledgeMissing();
}

/** Whole, or it throws. */
export async function downloadConfiguration(signal: AbortSignal): Promise<Blob> {
  const { stream } = await client.configuration.downloadDatabase({ signal });
  return new Response(stream).blob();
}

/** In the place of what is edited; nothing runs differently yet. Resolves with how it differs from what runs. */
export async function uploadConfiguration(file: Blob, signal: AbortSignal): Promise<Change[]> {
  await client.configuration.uploadDatabase(file, { signal });
  return client.configuration.diff({ signal });
}

export function renderConfiguration(comment: string): Promise<void> {
  return client.configuration.render({ ...(comment !== '' && { comment }) });
}

/** What was uploaded is gone; the configuration is what runs. */
export async function discardConfiguration(): Promise<void> {
  await client.configuration.discard();
}

/** Another node of the site leads from now on. */
export function switchNode(to: string | undefined): Promise<NodeSwitch> {
  return client.service.switchNode(to);
}
