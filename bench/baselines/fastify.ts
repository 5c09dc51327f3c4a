import fastify from 'fastify';
import { readConfig } from '../../src/config.js';
import { type Body } from './task-values.js';
import { openTasks } from './tasks.js';

// Fastify in front of pg, the way its users write it: handlers return their task.
const tasks = openTasks();
const app = fastify();

app.get(tasks.path, ({ url }) => tasks.list(url));
app.get<{ Params: { id: string } }>(`${tasks.path}/:id`, ({ params }) => tasks.readOne(params.id));
app.post<{ Body: Body }>(tasks.path, (request, reply) => {
  void reply.code(201);
  return tasks.create(request.body);
});
app.put<{ Body: Body }>(tasks.path, ({ body }) => tasks.update(body));

await app.listen({ port: readConfig().port });
