import { Get, Param, Post } from '@nestjs/common';
import { type UserKey } from '../../auth/sessions.repository.js';
import { notFound } from '../../lib/errors.js';
import { type Reply } from '../../lib/reply.js';
import { nameFaults } from '../../schema/text-rules.js';
import { AskedHere, type AskedOfPages, CurrentReader, Pages } from '../console-controller.js';
import { FormBody } from '../form-body.js';
import { pageReply, seeOther } from '../page.js';
import { type SignedIn } from '../reader.js';
import { pathOfView } from './fitting-query.js';
import { type ViewDraft, ViewsPage } from './views-page.js';
import { type View, Views } from './views.js';

/** Boards and lists under names, of the reader's own and shared. */
@Pages('views')
export class ViewsController {
  constructor(private readonly views: Views) {}

  @Get()
  list(@CurrentReader() to: SignedIn): Reply {
    return pageReply(<ViewsPage to={to} />);
  }

  @Get(':view')
  open(@CurrentReader() { views }: SignedIn, @Param('view') id: string): Reply {
    const view = views.find((each) => each.id === id);
    if (!view) throw notFound();
    return seeOther(pathOfView(view));
  }

  /** Keeps what a board or list shows. */
  @Post()
  async save(@CurrentReader() to: SignedIn, @FormBody() form: URLSearchParams): Promise<Reply> {
    const draft = draftIn(form);
    const workflow = to.workflows.find(({ slug }) => slug === draft.workflow);
    if (!workflow) throw notFound();
    const fault = faultOf(to, draft);
    if (fault !== undefined) return refused(to, fault, draft);
    const { as, name, query } = draft;
    const saved = await this.views.save(ownerOf(to), { workflowId: workflow.id, as, name, query });
    if (typeof saved !== 'string') return seeOther(`/views/${saved.id}`);
    const { taken, tooMany } = to.words.lists.views;
    return refused(to, saved === 'taken' ? taken(name) : tooMany, draft);
  }

  @Post(':view/update')
  async update(@AskedHere() { to, said }: AskedOfPages, @FormBody() form: URLSearchParams): Promise<Reply> {
    const { as, query } = draftIn(form);
    return this.change(to, said('view'), { as, query }, `/views/${said('view')}`);
  }

  @Post(':view/rename')
  async rename(@AskedHere() { to, said }: AskedOfPages, @FormBody() form: URLSearchParams): Promise<Reply> {
    return this.change(to, said('view'), { name: draftIn(form).name }, '/views');
  }

  /** Changes a view of the reader's own, and leads on to `path`. */
  private async change(to: SignedIn, id: string, change: Partial<ViewDraft>, path: string): Promise<Reply> {
    const { name, query } = { ...ownView(to, id), ...change };
    const fault = faultOf(to, { name, query });
    if (fault !== undefined) return refused(to, fault);
    const changed = await this.views.change(ownerOf(to), id, change);
    if (changed === 'taken') return refused(to, to.words.lists.views.taken(name));
    if (changed !== true) throw notFound();
    return seeOther(path);
  }

  @Post(':view/delete')
  async remove(@CurrentReader() to: SignedIn, @Param('view') id: string): Promise<Reply> {
    if (!(await this.views.remove(ownerOf(to), ownView(to, id).id))) throw notFound();
    return seeOther('/views');
  }
}

const ownerOf = ({ session: { workspaceId, userId } }: SignedIn): UserKey => ({ workspaceId, userId });

function ownView({ views }: SignedIn, id: string): View {
  const view = views.find((each) => each.id === id && each.isOwn);
  if (!view) throw notFound();
  return view;
}

function draftIn(form: URLSearchParams): ViewDraft {
  const text = (name: string): string => form.get(name) ?? '';
  const as = text('as') === 'list' ? 'list' : 'board';
  return { workflow: text('workflow'), as, query: text('query'), name: text('name').trim() };
}

function faultOf(
  { words }: SignedIn,
  { name, query }: Pick<ViewDraft, 'name' | 'query'>,
): string | undefined {
  const { badName, tooLong } = words.lists.views;
  if (nameFaults(name).length > 0) return badName;
  return query.length > MAX_QUERY || query.includes('\0') ? tooLong : undefined;
}

/** As long as addresses may be that browsers and proxies take. */
const MAX_QUERY = 4000;

function refused(to: SignedIn, fault: string, draft?: ViewDraft): Reply {
  return pageReply(<ViewsPage to={to} draft={draft} fault={fault} />, { status: 422 });
}
