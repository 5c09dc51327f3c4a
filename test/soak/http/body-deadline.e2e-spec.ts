import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import createApplication from 'express';
import { bodyDeadline, liftDeadline } from '../../../src/ops/request-deadline.js';
import { answerRawRequests } from '../../../src/ops/edge.js';

describe('the deadline of a body', () => {
  const app = createApplication();
  const server = createServer(app);
  app.use(bodyDeadline(100));
  app.post('/patient', (request, response) => {
    liftDeadline(request);
    request.resume().once('end', () => response.end('done'));
  });
  app.post('/', (request, response) => {
    request.resume().once('end', () => response.end('done'));
  });
  answerRawRequests(server, app);

  beforeAll(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterAll(() => server.close());

  /** Sends the half of a body. */
  function begin(path: string): Socket {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\n\r\na`);
    return socket;
  }

  it('answers 408 when it has passed, unless it was lifted', async () => {
    const patient = begin('/patient');
    expect(await text(begin('/'))).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    await sleep(200);
    patient.write('b');
    expect(await text(patient)).toMatch(/^HTTP\/1\.1 200 OK\r\n.*done/s);
  });
});
