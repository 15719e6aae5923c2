// A child process: the least that answers a request with Fastify. JavaScript, so that its start strips no types.
import fastify from 'fastify';

const app = fastify();
app.get('/readyz', async () => ({ status: 'ready' }));
process.stdout.write(`${await app.listen({ host: '127.0.0.1', port: 0 })}\n`);
