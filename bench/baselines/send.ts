import { type ServerResponse } from 'node:http';

/** Answers with JSON of a known length. */
export function send(response: ServerResponse, status: number, answer: object): void {
  const text = JSON.stringify(answer);
  response.writeHead(status, { 'Content-Type': contentType, 'Content-Length': Buffer.byteLength(text) });
  response.end(text);
}

const contentType = 'application/json; charset=utf-8';
