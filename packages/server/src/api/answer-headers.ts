// What stands in the head of every answer.

/** How long a connection is kept between two requests; a client that knows does not ask on one that is being closed. */
export const keepAliveS = 20;

export const answerHeaders = { 'x-content-type-options': 'nosniff', 'keep-alive': `timeout=${keepAliveS}` } as const;
