// Topics and topic filters of MQTT: what is allowed, and which topic a filter matches. Pure.

/** Brokers end the whole connection over a filter with more levels than they like. */
const maxLevels = 100;

const forbidden = /[\u0000-\u001f\u007f-\u009f]/u;

/** What is wrong with a topic to publish to. */
export function topicFault(topic: string): string | undefined {
  if (/[+#]/.test(topic)) return `the topic ${JSON.stringify(topic)} must not have the wildcards + and #`;
  return textFault(topic);
}

/** What is wrong with a topic to subscribe to. */
export function filterFault(filter: string): string | undefined {
  const wrong = textFault(filter);
  if (wrong !== undefined) return wrong;
  const levels = filter.split('/');
  if (levels[0] === '$share') {
    if (levels.length < 3 || !levels[1] || /[+#]/.test(levels[1]) || filterOf(filter) === '') {
      return `the shared subscription ${JSON.stringify(filter)} must be $share/group/topic`;
    }
  }
  for (const [at, level] of levels.entries()) {
    if (level.includes('+') && level !== '+') return `the wildcard + must be a level by itself, unlike ${level}`;
    if (level.includes('#') && (level !== '#' || at < levels.length - 1)) {
      return 'the wildcard # must be the last level, by itself';
    }
  }
  return undefined;
}

/** The filter that the topics of messages are held against: a shared subscription's own. */
export function filterOf(subscription: string): string {
  return subscription.startsWith('$share/') ? subscription.split('/').slice(2).join('/') : subscription;
}

export function hasWildcard(filter: string): boolean {
  return filter.includes('+') || filter.includes('#');
}

/** Both as levels. */
export function matchesTopic(filter: readonly string[], topic: readonly string[]): boolean {
  // Topics of the broker itself are not for those who ask for everything.
  if (topic[0]?.startsWith('$') && (filter[0] === '+' || filter[0] === '#')) return false;
  for (const [at, level] of filter.entries()) {
    if (level === '#') return true;
    if (at >= topic.length || (level !== '+' && level !== topic[at])) return false;
  }
  return filter.length === topic.length;
}

function textFault(topic: string): string | undefined {
  if (topic === '') return 'a topic is required';
  if (forbidden.test(topic) || !topic.isWellFormed()) return 'a topic must not have control characters';
  if (topic.split('/').length > maxLevels) return `a topic must have at most ${maxLevels} levels`;
  return undefined;
}
