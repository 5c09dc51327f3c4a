import { Module } from '@nestjs/common';
import { features } from '../features.js';
import { DefinitionsModule } from '../workflows/definition/definitions.module.js';
import { AccountController } from './account.controller.js';
import { AdminController } from './admin/admin.controller.js';
import { AssetsController } from './assets.js';
import { BoardController } from './board/board.controller.js';
import { BulkPreviews } from './list/bulk-preview.js';
import { Cookies } from './cookies.js';
import { AllFiguresController, FiguresPageController } from './figures/figures.controller.js';
import { HomeController, TeamController } from './home/home.controller.js';
import { PublicFormsController } from './forms/public-forms.controller.js';
import { PublicPosts } from './forms/public-posts.js';
import { InboxController } from './inbox/inbox.controller.js';
import { ListController } from './list/list.controller.js';
import { LiveController } from './live/live.controller.js';
import { NewTaskController } from './new/new-task.controller.js';
import { NotFoundController } from './not-found.controller.js';
import { OidcController, SignInController } from './sign-in.controller.js';
import { Readers } from './session.guard.js';
import { SearchController } from './search/search.controller.js';
import { TaskController } from './task/task.controller.js';
import { TaskFormsController } from './task/task-forms.controller.js';
import { TaskPages } from './task/task-pages.js';
import { TaskReader } from './task/task-data.js';
import { UnsubscribeController } from './unsubscribe.controller.js';

/** The pages for users. Nest tries routes in the order of the controllers. */
@Module({
  imports: [...features.flatMap(({ modules }) => modules ?? []), DefinitionsModule],
  controllers: [
    AssetsController,
    HomeController,
    TeamController,
    OidcController,
    SignInController,
    AccountController,
    UnsubscribeController,
    PublicFormsController,
    InboxController,
    LiveController,
    TaskController,
    TaskFormsController,
    BoardController,
    ListController,
    FiguresPageController,
    AllFiguresController,
    NewTaskController,
    AdminController,
    SearchController,
    NotFoundController,
  ],
  providers: [BulkPreviews, Cookies, PublicPosts, Readers, TaskPages, TaskReader],
})
export class ConsoleModule {}
