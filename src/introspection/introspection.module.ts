import { Module } from '@nestjs/common';
import { IntrospectionController } from './introspection.controller.js';

/** Reading the definition. */
@Module({ controllers: [IntrospectionController] })
export class IntrospectionModule {}
