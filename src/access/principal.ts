/** Who a request comes from: a workspace's key. */
export interface Principal {
  readonly workspaceId: number;
  readonly keyId: string;
  readonly scope: 'read' | 'write';
  /** Milliseconds since 1970, or null when the key does not expire. */
  readonly expiresAt: number | null;
}
