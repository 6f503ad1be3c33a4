import { modelsOfKind, referenceHeaders } from '#core/calls'
import { textFailures } from '#core/text'
import type { FailureCode } from '#platform/errors'
import type { Route } from '#platform/http'
import { changeAgent, createAgent, deleteAgent, listAgents, requireAgent, toAgent } from './agent.ts'
import { type AgentsApp, route } from './app.ts'
import { runAgent } from './run.ts'
import * as schema from './schema.ts'
import { WorkRun, workFailures } from './start-work.ts'
import './phrases.ts'

const path = '/v1/agents'
const scope = 'agents:write'
/** Errors of naming a model. */
const modelFailures: FailureCode[] = ['MODEL_NOT_FOUND', 'MODEL_NOT_ALLOWED', 'MODEL_KIND_MISMATCH']

export const routes: Route<AgentsApp>[] = [
  route({
    method: 'GET',
    path,
    operation: 'agents.list',
    scope,
    summary: { en: 'The agents of the project, newest first.', fa: 'عامل‌های پروژه، تازه‌ترین نخست.' },
    query: schema.AgentListQuery,
    reply: { 200: schema.AgentList },
    errors: [],
    handle: listAgents,
  }),
  route({
    method: 'POST',
    path,
    operation: 'agents.create',
    scope,
    summary: {
      en: 'Make an agent: a name, instructions and a model that answer from then on.',
      fa: 'ساخت عامل: نام، دستور و مدلی که از این پس با آن پاسخ داده می‌شود.',
    },
    idempotent: true,
    body: schema.AgentBody,
    reply: { 201: schema.Agent },
    errors: [...modelFailures, 'KNOWLEDGE_NOT_FOUND', 'TOO_MANY_AGENTS'],
    handle: createAgent,
  }),
  route({
    method: 'GET',
    path: `${path}/{id}`,
    operation: 'agents.read',
    scope,
    summary: { en: 'One agent.', fa: 'یک عامل.' },
    params: schema.AgentParams,
    reply: { 200: schema.Agent },
    errors: ['NOT_FOUND'],
    handle: async (context) => toAgent(await requireAgent(context)),
  }),
  route({
    method: 'PATCH',
    path: `${path}/{id}`,
    operation: 'agents.change',
    scope,
    summary: { en: 'Change name, instructions or model of an agent.', fa: 'تغییر نام، دستور یا مدل عامل.' },
    params: schema.AgentParams,
    body: schema.AgentChange,
    reply: { 200: schema.Agent },
    errors: ['NOT_FOUND', ...modelFailures],
    handle: changeAgent,
  }),
  route({
    method: 'DELETE',
    path: `${path}/{id}`,
    operation: 'agents.delete',
    scope,
    summary: {
      en: 'Delete an agent; receipts and work that it has begun stay.',
      fa: 'حذف عامل؛ رسیدها و کاری که آغاز کرده است می‌مانند.',
    },
    params: schema.AgentParams,
    reply: { 200: schema.DeletedAgent },
    errors: ['NOT_FOUND'],
    handle: deleteAgent,
  }),
  route({
    method: 'POST',
    path: `${path}/{id}/runs`,
    operation: 'agents.run',
    writes: ['files'],
    scope,
    summary: {
      en: 'Run an agent: an answer, whole or as a stream, or durable work.',
      fa: 'اجرای عامل: پاسخ، یک‌جا یا جریانی، یا کار ماندگار.',
    },
    models: modelsOfKind('text'),
    idempotent: true,
    streams: true,
    headers: { ...referenceHeaders, Prefer: schema.Prefer },
    params: schema.AgentParams,
    body: schema.RunBody,
    reply: { 200: schema.AgentAnswer, 202: WorkRun },
    errors: ['NOT_FOUND', ...textFailures, ...workFailures],
    handle: runAgent,
  }),
]
