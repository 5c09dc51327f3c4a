import { type Server } from 'node:net';

/** Says of a server whether nobody is connected to it and nobody has been for so many milliseconds. */
export function watchVisits(server: Server, ms: number): () => boolean {
  let connected = 0;
  let lastLeft = -Infinity;
  server.on('connection', (socket) => {
    connected += 1;
    socket.once('close', () => {
      connected -= 1;
      lastLeft = performance.now();
    });
  });
  return () => connected === 0 && performance.now() - lastLeft > ms;
}
