// Reason codes of MQTT 5, and return codes of 3.1.1, in words.

const words: Readonly<Record<number, string>> = {
  135: 'not authorized',
  137: 'server busy',
  139: 'server shutting down',
  141: 'keep-alive timeout',
  142: 'another client has the same identifier',
  143: 'topic filter invalid',
  144: 'topic name invalid',
  147: 'more at once than it takes',
  149: 'packet too large',
  151: 'quota exceeded',
  152: 'administrative action',
  154: 'retained messages are not supported',
  155: 'this quality of service is not supported',
  158: 'shared subscriptions are not supported',
  162: 'wildcards are not supported',
};

/** Nobody has subscribed to what was published. */
export const noSubscribers = 16;

/** Version, identifier, user or password: asking again soon makes no friends. */
const unwelcome: readonly number[] = [1, 2, 4, 5, 132, 133, 134, 135, 138];

export function codeText(code: number | undefined): string {
  return words[code ?? 0] ?? `reason code ${code}`;
}

export function isFailure(code: number): boolean {
  return code >= 128;
}

export function isUnwelcome(code: unknown): boolean {
  return typeof code === 'number' && unwelcome.includes(code);
}
