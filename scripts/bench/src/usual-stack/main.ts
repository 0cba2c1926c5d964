import 'reflect-metadata';
import { ClassSerializerInterceptor, ValidationPipe } from '@nestjs/common';
import { NestFactory, Reflector } from '@nestjs/core';
import { port } from '../listen.ts';
import { AppModule } from './app.module.ts';
import { LoggingInterceptor } from './logging.interceptor.ts';

/** The usual stack: NestJS, class-validator and TypeORM, written as their guides do. It calls no PSP. */
const app = await NestFactory.create(AppModule);
app.useGlobalPipes(new ValidationPipe({ whitelist: true, transform: true }));
app.useGlobalInterceptors(new LoggingInterceptor(), new ClassSerializerInterceptor(app.get(Reflector)));
await app.listen(port, '127.0.0.1');
