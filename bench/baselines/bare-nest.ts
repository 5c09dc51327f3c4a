import 'reflect-metadata';
import {
  Body,
  Controller,
  Get,
  Module,
  type NestApplicationOptions,
  Param,
  Post,
  Put,
  Query,
  Req,
  Res,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import createApplication, { type Request, type Response } from 'express';
import { readConfig } from '../../src/config.js';
import { Adapter } from '../../src/http/adapter.js';
import { type Body as TaskBody } from './task-values.js';
import { send } from './send.js';
import { openTasks } from './tasks.js';

// NestJS on Express with one controller on top of pg: with the service's adapter if an argument says so, otherwise
// with the standard one. If handlers returned the task, Express would write and hash it, which is slower.
const tasks = openTasks();

@Controller(tasks.path)
class BareController {
  @Get()
  async list(@Query() _query: object, @Req() request: Request, @Res() response: Response): Promise<void> {
    send(response, 200, await tasks.list(request.originalUrl));
  }

  @Get(':unique_id')
  async read(@Param('unique_id') uniqueId: string, @Res() response: Response): Promise<void> {
    send(response, 200, await tasks.readOne(uniqueId));
  }

  @Post()
  async create(@Body() body: TaskBody, @Res() response: Response): Promise<void> {
    send(response, 201, await tasks.create(body));
  }

  @Put()
  async update(@Body() body: TaskBody, @Res() response: Response): Promise<void> {
    send(response, 200, await tasks.update(body));
  }
}

@Module({ controllers: [BareController] })
class BareModule {}

const options: NestApplicationOptions = { logger: ['error', 'fatal'] };
const app = await (process.argv.includes('our-adapter')
  ? NestFactory.create(BareModule, new Adapter(createApplication()), options)
  : NestFactory.create(BareModule, options));
await app.listen(readConfig().port);
