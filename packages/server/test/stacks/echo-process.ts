// A process of the trial stack: says who it is, gives back what it is sent, and ends when nobody is there any more.
process.send?.(process.pid);
process.on('message', (message) => process.send?.(message));
process.on('disconnect', () => process.exit());
