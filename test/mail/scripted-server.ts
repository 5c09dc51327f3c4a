import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

/** The phases in which a mail server may hang, disconnect or refuse. */
export const phases = ['greeting', 'EHLO', 'MAIL', 'RCPT', 'DATA', 'content'] as const;
export type Phase = (typeof phases)[number];

/**
 * A mail server that behaves well except in one phase: there it gives this reply, or it hangs (`hang`), disconnects
 * (`hang up`) or sends an endless reply (`drip`).
 */
export async function startScriptedServer(phase: Phase | undefined, says = 'hang') {
  const letters: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    const say = (at: Phase, well: string): void => {
      if (at !== phase) socket.write(`${well}\r\n`);
      else if (says === 'hang up') socket.destroy();
      else if (says === 'drip') setInterval(() => socket.write('250-more\r\n'), 20).unref();
      else if (says !== 'hang') socket.write(`${says}\r\n`);
    };
    let letter: string[] | undefined;
    socket.on('error', () => undefined);
    say('greeting', '220 hello');
    createInterface({ input: socket }).on('line', (line) => {
      if (letter && line !== '.') letter.push(line);
      else if (letter) {
        letters.push(letter.join('\n'));
        letter = undefined;
        say('content', '250 taken');
      } else if (line === 'DATA') {
        if (phase !== 'DATA') letter = [];
        say('DATA', '354 go on');
      } else {
        const [verb = ''] = line.split(' ');
        say(verb === 'HELO' ? 'EHLO' : (verb as Phase), '250 well');
      }
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    letters,
    stop() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
