import { Module } from '@nestjs/common';
import { TasksController } from './tasks.controller.js';
import { TaskLists } from './task-lists.js';
import { TasksService } from './tasks.service.js';

@Module({ controllers: [TasksController], providers: [TasksService, TaskLists] })
export class TasksModule {}
