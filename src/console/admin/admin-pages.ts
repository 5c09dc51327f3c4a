import { Origin } from '../../database/origin.js';
import {
  applyDecorators,
  type CanActivate,
  createParamDecorator,
  type ExecutionContext,
  Injectable,
  UseGuards,
  Inject,
} from '@nestjs/common';
import { notFound } from '../../lib/errors.js';
import { type Administration } from '../../workspace/roles.js';
import { askedIn, type AskedOfPages, Pages } from '../console-controller.js';
import { type PageRequest, type SignedIn } from '../reader.js';
import { type Logger, LOGGER } from '../../lib/logger.js';

/** Somebody who administers something. */
export interface Administrator extends SignedIn {
  readonly administers: Administration;
}

/** What events of the changes that an administrator makes say of them. */
export const originOf = ({ user }: Administrator): Origin => new Origin({ user: user.id });

/** Lets in who administers a workflow, or the whole workspace; for others there is nothing here. */
const administrators = (isWhole: boolean): CanActivate => ({
  canActivate(context: ExecutionContext): boolean {
    if (!administratorOf(context).administers.isWhole && isWhole) throw notFound();
    return true;
  },
});

/** A controller of pages for those who administer a workflow; they show what is of such workflows. */
export const AdminPages = (path: string): ClassDecorator =>
  applyDecorators(Pages(path), UseGuards(administrators(false)));

/** A controller of pages for those who administer the whole workspace. */
export const WorkspaceAdminPages = (path: string): ClassDecorator =>
  applyDecorators(Pages(path), UseGuards(administrators(true)));

/** What somebody who administers asks for. */
export interface AdminRequest extends AskedOfPages {
  readonly reader: Administrator;
  /** What the path names; '' where it names nothing. */
  readonly id: string;
}

/** The request as pages of the administration read it. */
export const Asked = createParamDecorator((_: unknown, context: ExecutionContext): AdminRequest => {
  const asked = askedIn(context);
  const [id = ''] = Object.values(asked.request.params).map(String);
  return { ...asked, reader: administratorOf(context), id };
});

function administratorOf(context: ExecutionContext): Administrator {
  const { reader } = context.switchToHttp().getRequest<PageRequest>();
  const administers = reader?.administers;
  if (!reader || !administers) throw notFound();
  return { ...reader, administers };
}

/** What may be the id of something. */
export function idIn(text: string | null): string | undefined {
  return text !== null && /^[\w-]{1,64}$/.test(text) ? text : undefined;
}

/** Notes in the log who has done what the events of a workspace do not tell of. */
@Injectable()
export class AdminLog {
  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  /** `what` names an act such as `revoke-key`, `of` what it was done to. */
  note({ workspace, user }: Administrator, what: string, of: string): void {
    this.logger.info({ workspace: workspace.slug, user: user.email, act: what, of }, 'administration');
  }
}

/** Of a page of a list. */
const ROWS = 50;

/** What a page of a list is asked for: one state, if any, behind a cursor. */
export function pageOf<State>(state: State | undefined, after: string | undefined) {
  return {
    _limit: String(ROWS),
    ...(state !== undefined && { state }),
    ...(after !== undefined && { _after: after }),
  };
}
