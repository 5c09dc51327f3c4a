import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { readConfig } from '../../src/config.js';
import { type Body } from './task-values.js';
import { openTasks } from './tasks.js';

// The floor, with which the service is compared: only node:http and the driver.
const tasks = openTasks();

createServer((request, response) => {
  answer(request).then(
    (task) => {
      send(response, request.method === 'POST' ? 201 : 200, task);
    },
    (error: unknown) => {
      response.writeHead(500).end(String(error));
    },
  );
}).listen(readConfig().port);

async function answer(request: IncomingMessage): Promise<object> {
  const { method, url = '' } = request;
  if (!url.startsWith(tasks.path)) throw new Error('not found');
  if (method === 'POST') return tasks.create(await bodyOf(request));
  if (method === 'PUT') return tasks.update(await bodyOf(request));
  if (url[tasks.path.length] === '/')
    return tasks.readOne(decodeURIComponent(url.slice(tasks.path.length + 1)));
  return tasks.list(url);
}

function send(response: ServerResponse, status: number, answer: object): void {
  const text = JSON.stringify(answer);
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
  });
  response.end(text);
}

function bodyOf(request: IncomingMessage): Promise<Body> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      resolve(JSON.parse(Buffer.concat(chunks).toString()) as Body);
    });
    request.on('error', reject);
  });
}
