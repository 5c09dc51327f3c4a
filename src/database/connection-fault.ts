/** Why the PostgreSQL of `DATABASE_URL` cannot be used, in one sentence for those who run the service. */
export class ConnectionFault extends Error {
  constructor(
    reason: string,
    /** Whether it may be over in a while: the server is starting, or the network is. */
    readonly mayPass: boolean,
    cause: unknown,
  ) {
    super(`PostgreSQL (DATABASE_URL) cannot be used: ${reason}`, { cause });
  }
}

/** The fault of a connection that an error tells of; undefined for an error of something else. */
export function connectionFault(error: unknown): ConnectionFault | undefined {
  const code = String(Reflect.get(Object(error), 'code'));
  const reason = reasonOf(error);
  const mayPass = passing.test(code) || /^(timeout expired|Connection terminated)/.test(reason);
  if (!mayPass && !lasting.test(code)) return undefined;
  return new ConnectionFault(reason, mayPass, error);
}

/** No network, no name, no server; one that is starting, stopping, or has no connection left. */
const passing = /^(E(CONN\w+|TIMEDOUT|AI_AGAIN|NOTFOUND|HOST\w+|NET\w+|PIPE)|57P0[1-3]|53300|08...)$/;
/** Who we are, which database we want, and how the server proves who it is. */
const lasting = /^(28...|3D...|[A-Z_]*(CERT|ALTNAME)[A-Z_]*)$/;

/** Where a name has several addresses, each of them may have failed for a reason of its own. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(', ');
  return error instanceof Error ? error.message : String(error);
}
