// Answers pings of WebSocket, of those that come meanwhile the newest alone (RFC 6455, 5.5.3): whoever takes no answers would fill the
// memory with them.

interface PingedSocket {
  on(event: 'ping', listener: (data: Buffer) => void): unknown;
  pong(data: Buffer, mask: boolean | undefined, done: () => void): void;
}

/** The socket must not answer by itself. */
export function answerPings(socket: PingedSocket): void {
  let isAnswering = false;
  let newest: Buffer | undefined;
  const answer = (data: Buffer) => {
    isAnswering = true;
    socket.pong(data, undefined, () => {
      const next = newest;
      newest = undefined;
      isAnswering = false;
      if (next !== undefined) answer(next);
    });
  };
  socket.on('ping', (data) => {
    if (isAnswering) newest = data;
    else answer(data);
  });
}
