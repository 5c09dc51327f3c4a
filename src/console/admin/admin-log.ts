import { Inject, Injectable } from '@nestjs/common';
import { type Logger, LOGGER } from '../../lib/logger.js';
import { type Administrator } from './admin-pages.js';

/** Notes in the log who has done what the events of a workspace do not tell of. */
@Injectable()
export class AdminLog {
  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  /** `what` names an act such as `revoke-key`, `of` what it was done to. */
  note({ workspace, user }: Administrator, what: string, of: string): void {
    this.logger.info({ workspace: workspace.slug, user: user.email, act: what, of }, 'administration');
  }
}
