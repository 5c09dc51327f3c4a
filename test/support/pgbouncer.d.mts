/** The PgBouncer of this machine; undefined where there is none. */
export declare const executable: string | undefined;

/** Starts a PgBouncer in session mode before a server of PostgreSQL, with so many connections for a database. */
export declare function startPgBouncer(
  serverUrl: string,
  poolSize?: number,
): Promise<{ readonly port: number; stop(): Promise<void> }>;
