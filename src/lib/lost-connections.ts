import { type ChildProcess } from 'node:child_process';

/**
 * Closes the connection that a process of a cluster was being handed when it ended. Node.js forgets it, so that its
 * client would wait for ever. What this looks at is not documented: where it changes, nothing is closed.
 */
export function closeLostConnections(child: ChildProcess): void {
  const underWay = new Map<unknown, Handle>();
  const send: unknown = Reflect.get(child, 'send');
  if (typeof send !== 'function') return;
  const noteAndSend = (...given: readonly unknown[]): unknown => {
    const [message, handle] = given;
    if (valueOf(message, 'act') === 'newconn' && isHandle(handle))
      underWay.set(valueOf(message, 'seq'), handle);
    const isSent: unknown = Reflect.apply(send, child, given);
    return isSent;
  };
  Reflect.set(child, 'send', noteAndSend);
  child.on('internalMessage', (message: unknown) => underWay.delete(valueOf(message, 'ack')));
  child.once('exit', () => {
    for (const handle of underWay.values()) handle.close();
  });
}

interface Handle {
  close(): void;
}

const isHandle = (value: unknown): value is Handle => typeof valueOf(value, 'close') === 'function';
const valueOf = (message: unknown, key: string): unknown => Reflect.get(Object(message), key);
