import type { Route } from '#platform/http'
import { type KnowledgeApp, route } from './app.ts'
import { embedKnowledge } from './embed/request.ts'
import {
  changeKnowledge,
  createKnowledge,
  deleteKnowledge,
  listKnowledge,
  readKnowledge,
} from './projects.ts'
import {
  Deleted,
  Embedding,
  FoundPassageList,
  Knowledge,
  KnowledgeBody,
  KnowledgeList,
  KnowledgeListQuery,
  KnowledgeParams,
  KnowledgePatch,
  KnowledgeSource,
  SearchBody,
  SourceBody,
  SourceList,
  SourceParams,
} from './schema.ts'
import { search } from './search/search.ts'
import { addSource, deleteSource, listSources, readSource } from './sources.ts'
import './phrases.ts'

const path = '/v1/knowledge'
/** Bytes of the body of a source: 10 MB in Base64, or two million characters of any script, with room for the rest of the body. */
const sourceLimit = 16 * 1024 * 1024

const projects: Route<KnowledgeApp>[] = [
  route({
    method: 'GET',
    path,
    operation: 'knowledge.list',
    scope: 'knowledge:read',
    summary: { en: 'The knowledge projects, newest first.', fa: 'پروژه‌های دانش، تازه‌ترین نخست.' },
    query: KnowledgeListQuery,
    reply: { 200: KnowledgeList },
    errors: [],
    handle: listKnowledge,
  }),
  route({
    method: 'POST',
    path,
    operation: 'knowledge.create',
    scope: 'knowledge:write',
    summary: { en: 'Begin a knowledge project.', fa: 'ساختن پروژهٔ دانش.' },
    idempotent: true,
    body: KnowledgeBody,
    reply: { 201: Knowledge },
    errors: ['KNOWLEDGE_LIMIT'],
    handle: createKnowledge,
  }),
  route({
    method: 'GET',
    path: `${path}/{id}`,
    operation: 'knowledge.read',
    scope: 'knowledge:read',
    summary: { en: 'A knowledge project.', fa: 'یک پروژهٔ دانش.' },
    params: KnowledgeParams,
    reply: { 200: Knowledge },
    errors: ['KNOWLEDGE_NOT_FOUND'],
    handle: readKnowledge,
  }),
  route({
    method: 'PATCH',
    path: `${path}/{id}`,
    operation: 'knowledge.change',
    scope: 'knowledge:write',
    summary: { en: 'Change its name or instructions.', fa: 'تغییر نام یا راهنمای آن.' },
    params: KnowledgeParams,
    body: KnowledgePatch,
    reply: { 200: Knowledge },
    errors: ['KNOWLEDGE_NOT_FOUND'],
    handle: changeKnowledge,
  }),
  route({
    method: 'DELETE',
    path: `${path}/{id}`,
    operation: 'knowledge.delete',
    scope: 'knowledge:write',
    summary: { en: 'Delete it with all its sources.', fa: 'حذف آن با همهٔ منبع‌هایش.' },
    params: KnowledgeParams,
    reply: { 200: Deleted },
    errors: ['KNOWLEDGE_NOT_FOUND'],
    handle: deleteKnowledge,
  }),
  route({
    method: 'POST',
    path: `${path}/{id}/search`,
    operation: 'knowledge.search',
    scope: 'knowledge:read',
    summary: { en: 'Find passages in it.', fa: 'جست‌وجو در آن.' },
    params: KnowledgeParams,
    body: SearchBody,
    reply: { 200: FoundPassageList },
    errors: ['KNOWLEDGE_NOT_FOUND'],
    handle: search,
  }),
  route({
    method: 'POST',
    path: `${path}/{id}/embed`,
    operation: 'knowledge.embed',
    scope: 'knowledge:write',
    summary: {
      en: 'Have vectors made of all passages that have none of the configured model.',
      fa: 'ساختن بردار برای بخش‌هایی که از مدل پیکربندی‌شده بردار ندارند.',
    },
    idempotent: true,
    params: KnowledgeParams,
    reply: { 202: Embedding },
    errors: ['KNOWLEDGE_NOT_FOUND', 'EMBEDDING_NOT_CONFIGURED'],
    handle: embedKnowledge,
  }),
]

const sources: Route<KnowledgeApp>[] = [
  route({
    method: 'GET',
    path: `${path}/{id}/sources`,
    operation: 'knowledge.sources',
    scope: 'knowledge:read',
    summary: { en: 'Its sources with their states, newest first.', fa: 'منبع‌ها با وضعیتشان، تازه‌ترین نخست.' },
    params: KnowledgeParams,
    query: KnowledgeListQuery,
    reply: { 200: SourceList },
    errors: ['KNOWLEDGE_NOT_FOUND'],
    handle: listSources,
  }),
  route({
    method: 'POST',
    path: `${path}/{id}/sources`,
    operation: 'knowledge.add_source',
    writes: ['files'],
    scope: 'knowledge:write',
    summary: {
      en: 'Add a text, a PDF, a Word file or a page.',
      fa: 'افزودن متن، PDF، فایل Word یا صفحهٔ وب.',
    },
    idempotent: true,
    bodyLimit: sourceLimit,
    params: KnowledgeParams,
    body: SourceBody,
    reply: { 201: KnowledgeSource },
    errors: ['KNOWLEDGE_NOT_FOUND', 'KNOWLEDGE_LIMIT'],
    handle: addSource,
  }),
  route({
    method: 'GET',
    path: `${path}/{id}/sources/{source_id}`,
    operation: 'knowledge.read_source',
    scope: 'knowledge:read',
    summary: { en: 'A source and its state.', fa: 'یک منبع و وضعیت آن.' },
    params: SourceParams,
    reply: { 200: KnowledgeSource },
    errors: ['KNOWLEDGE_NOT_FOUND', 'NOT_FOUND'],
    handle: readSource,
  }),
  route({
    method: 'DELETE',
    path: `${path}/{id}/sources/{source_id}`,
    operation: 'knowledge.delete_source',
    scope: 'knowledge:write',
    summary: { en: 'Delete a source with its passages.', fa: 'حذف منبع با همهٔ بخش‌هایش.' },
    params: SourceParams,
    reply: { 200: Deleted },
    errors: ['KNOWLEDGE_NOT_FOUND', 'NOT_FOUND'],
    handle: deleteSource,
  }),
]

export const routes: Route<KnowledgeApp>[] = [...projects, ...sources]
