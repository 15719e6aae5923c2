// Finds points and alarms by words of their names and descriptions, as the service finds them.
import { client } from './service.ts';

export interface FoundPoint {
  readonly kind: 'measurements' | 'commands' | 'alarms';
  readonly name: string;
  readonly description: string;
}

const most = 30;
const typingMs = 150;

/** Nothing for an empty text. A text that another one follows at once is not searched. */
export async function searchPoints(text: string, signal: AbortSignal): Promise<FoundPoint[]> {
  const search = text.trim();
  if (search === '') return [];
  await new Promise((resolve) => setTimeout(resolve, typingMs));
  if (signal.aborted) return [];
  const options = { search, fields: ['name', 'description'] as const, signal };
  try {
    const [measurements, commands, alarms] = await Promise.all([
      client.measurements.list(options),
      client.commands.list(options),
      client.alarms.list(options),
    ]);
    return [
      ...Object.values(measurements).map(found('measurements')),
      ...Object.values(commands).map(found('commands')),
      ...Object.values(alarms).map(found('alarms')),
    ].slice(0, most);
  } catch {
    return [];
  }
}

const found =
  (kind: FoundPoint['kind']) =>
  ({ name, description = '' }: { readonly name: string; readonly description?: string }): FoundPoint => ({
    kind,
    name,
    description,
  });
