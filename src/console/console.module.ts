import { Module } from '@nestjs/common';
import { TasksModule } from '../tasks/tasks.module.js';
import { WorkspaceModule } from '../workspace/workspace.module.js';
import { AccountController } from './account.controller.js';
import { AssetsController } from './assets.controller.js';
import { Entrances } from './entrances.js';
import { HomeController } from './home.controller.js';
import { MyTasks } from './my-tasks.js';
import { Sessions } from './session.guard.js';
import { SignInController } from './sign-in.controller.js';
import { SignIns } from './sign-ins.js';
import { StyleguideController } from './styleguide.controller.js';

/** The pages for people; their controllers are in the order in which their routes are tried. */
@Module({
  imports: [TasksModule, WorkspaceModule],
  controllers: [AssetsController, HomeController, SignInController, AccountController, StyleguideController],
  providers: [Sessions, Entrances, SignIns, MyTasks],
})
export class ConsoleModule {}
