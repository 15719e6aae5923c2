// The headers of every answer.

/** How long an idle connection stays open; a client that knows does not send on one that is being closed. */
export const keepAliveS = 20;

export const answerHeaders = { 'x-content-type-options': 'nosniff', 'keep-alive': `timeout=${keepAliveS}` } as const;
