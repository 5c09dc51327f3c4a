import { Injectable } from '@nestjs/common';
import { type ExecutionKey } from './ledger.js';

/** Tells workers of other processes that an execution waits. */
@Injectable()
export class Bell {
  /** Rings without waiting; false where there is no bell. */
  ring(_: ExecutionKey): boolean {
    return false;
  }
}
