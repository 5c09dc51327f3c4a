import 'reflect-metadata';
import { Body, Controller, Get, Module, Param, Post, Put, Query, Req, Res } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type Request, type Response } from 'express';
import { readConfig } from '../../src/config.js';
import { type Body as TaskBody } from './task-values.js';
import { send } from './send.js';
import { openTasks } from './tasks.js';

// NestJS on Express as one gets it, with one controller in front of pg. Handlers that return their task would leave it
// to Express to write and to hash it, which is slower.
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

const app = await NestFactory.create(BareModule, { logger: ['error', 'fatal'] });
await app.listen(readConfig().port);
