import { type EntityManager, Raw } from 'typeorm';
import { hashOfToken, workspaceOfToken } from '../../access/sessions.js';
import { type Leftovers } from '../../common/database/leftovers.js';
import { AskEntity } from './ask.entity.js';

export type Ask = Readonly<AskEntity>;

/** Whether a form was neither used nor has expired. */
const isOpen = { expiresAt: Raw((column) => `${column} > service_now()`) };

/** The form with this token; null if there is none, or it was used or has expired. */
export async function findAsk(db: EntityManager, token: string): Promise<Ask | null> {
  const workspaceId = workspaceOfToken(token);
  if (workspaceId === undefined) return null;
  return db.findOneBy(AskEntity, { workspaceId, hash: hashOfToken(token), ...isOpen });
}

/** Marks a form as used; false if it was used before, or has expired. */
export async function useAsk(
  tx: EntityManager,
  { workspaceId, hash }: Pick<Ask, 'workspaceId' | 'hash'>,
): Promise<boolean> {
  return (await tx.delete(AskEntity, { workspaceId, hash, ...isOpen })).affected === 1;
}

export const oldAsks: Leftovers = {
  table: 'asks',
  key: 'hash',
  isOver: 'expires_at < service_now()',
  most: 500,
};
