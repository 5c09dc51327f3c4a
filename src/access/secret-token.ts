import { hash } from 'node:crypto';
import { randomText } from '../common/random-id.js';

/** Creates a token: the id of the workspace that stores the token's hash, and 256 random bits. */
export const newSecretToken = (workspaceId: number): string => `${workspaceId}.${randomText(32)}`;

const shape = /^([1-9]\d{0,8})\.[\w-]{43}$/;

/** The workspace id in a token; undefined if the token is not well-formed. */
export function workspaceOfToken(token: string): number | undefined {
  const id = shape.exec(token)?.[1];
  return id === undefined ? undefined : Number(id);
}

export const hashOfToken = (token: string): Buffer => hash('sha256', token, 'buffer');
