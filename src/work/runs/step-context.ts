/** The step context of a run: every call has a name, is journalled and is paid from the run's hold. */

import { callModel, questionTurn, worstCaseOf } from '#core/inference'
import { type Model, noCost } from '#core/models'
import type { CitableSource, ToolName } from '#core/turn'
import { recall, requireKnowledge } from '#work/knowledge'
import {
  FailedStep,
  LostStep,
  type ModelAnswer,
  type Question,
  type StepContext,
  type Task,
} from '#work/pipelines'
import { saveFile, saveLocalFile } from './files/save.ts'
import type { Journal, StepResult } from './journal/journal.ts'
import { fetchFile, openInputFile } from './local.ts'
import { toolUsage } from './price.ts'
import { recordProgress } from './progress.ts'
import type { RunLease } from './run-lease.ts'

export interface StepContextOptions {
  lease: RunLease
  journal: Journal
  task: Task
  model: Model
}

export function openStepContext({ lease, journal, task, model }: StepContextOptions): StepContext {
  const { app, run, allowed } = lease
  const use = (step: string, tool: 'web_search' | 'web_fetch', input: unknown): Promise<CitableSource[]> =>
    useTool({ lease, journal, step, tool, input })
  return {
    task,
    accountId: run.account_id,
    signal: lease.signal,
    searches: app.turns.tools.find('web_search') !== undefined,
    ask(step, question) {
      const turn = questionTurn(question, model)
      const { microcredits: worst } = worstCaseOf(app.turns, { model, turn, allowed })
      return journal.runPaid({
        step,
        kind: 'ask',
        worst,
        execute: (id) => askModel(lease, model, question, id),
      })
    },
    search: (step, query) => use(step, 'web_search', { query }),
    read: async (step, url) => (await use(step, 'web_fetch', { url }))[0],
    recall: (step, query) =>
      journal.runFree<readonly CitableSource[]>(step, async () => {
        const { account_id: accountId, project_id: projectId, knowledge_id: knowledgeId } = run
        if (knowledgeId === null) return []
        const projectKey = { accountId, projectId, knowledgeId }
        // If the knowledge project was deleted meanwhile, the run fails instead of continuing without knowledge.
        await requireKnowledge(app.knowledge, projectKey)
        return recall(app.knowledge, projectKey, query)
      }),
    open: (file) => openInputFile(lease, file),
    fetch: (step, url, maxBytes) => fetchFile({ lease, journal, step, url, maxBytes }),
    scratch: (bytes) => app.spool.folder(bytes),
    once: (step, compute) => journal.runFree(step, compute),
    progress: (percent, words) => recordProgress(lease, percent, words),
    saveFile: (file) => saveFile(lease, file),
    saveLocalFile: (file, filePath) => saveLocalFile(lease, file, filePath),
  }
}

/** How often in one run an overloaded upstream, which did nothing, is called again later. */
const maxWaits = 20
const firstWaitMs = 2_000
const maxWaitMs = 5 * 60_000
const busyCodes: readonly string[] = ['UPSTREAM_RATE_LIMITED', 'UPSTREAM_OVERLOADED']

async function askModel(
  lease: RunLease,
  model: Model,
  question: Question,
  callId: string,
): Promise<StepResult<ModelAnswer>> {
  const { app, run, allowed, signal, trace } = lease
  const turn = questionTurn(question, model)
  const beganMs = run.created_at.getTime()
  const called = await callModel(app.turns, {
    payer: lease.payer,
    model,
    turn,
    allowed,
    callId,
    gone: signal,
    trace,
    beganMs,
  })
  const { text, toolCalls, usage, finishReason, failure, cost } = called
  const { input, cachedInput, output, reasoning } = usage
  const detail = {
    model: called.model,
    tokens: { input, cachedInput, output, reasoning },
    usage_source: called.usageSource,
    attempts: [...called.attempts],
    ...(called.claims.length > 0 && { claims: called.claims }),
    ...(failure && !called.hadNoEffect && { may_have_run: true as const }),
  }
  if (!failure) {
    const isComplete = finishReason === 'stop' || finishReason === 'tool_calls'
    return { state: 'done', value: { text, toolCalls, usage, isWhole: isComplete }, cost, detail }
  }
  if (called.isRefused) {
    lease.refuse(failure)
    return { state: 'undone' }
  }
  if (signal.aborted) return called.hadNoEffect ? { state: 'undone' } : { state: 'lost', cost, detail }
  if (busyCodes.includes(failure.code) && called.hadNoEffect && run.waits < maxWaits) {
    const backoffMs = Math.min(firstWaitMs * 2 ** run.waits, maxWaitMs)
    lease.retryMs = Math.max(lease.retryMs, backoffMs, Math.min(failure.more.retryAfterMs ?? 0, maxWaitMs))
    lease.close('waiting')
    return { state: 'undone' }
  }
  if (failure.code === 'INTERNAL')
    app.log.error({ err: failure.cause ?? failure, run_id: run.run_id }, 'a step of a run broke')
  return { state: 'failed', code: failure.code, cost, detail }
}

interface ToolOptions {
  lease: RunLease
  journal: Journal
  step: string
  tool: Extract<ToolName, 'web_search' | 'web_fetch'>
  input: unknown
}

/** Uses a hosted tool once. A use that failed costs nothing and finds nothing; a use that is lost is paid and finds nothing. */
async function useTool({ lease, journal, step, tool: name, input }: ToolOptions): Promise<CitableSource[]> {
  const { app, signal } = lease
  const tool = app.turns.tools.find(name)
  if (!tool) return journal.runFree(step, async () => [])
  const execute = async (): Promise<StepResult<CitableSource[]>> => {
    try {
      const { results, error } = await tool.run(input, {
        accountId: lease.run.account_id,
        signal,
        nowMs: app.clock.nowMs(),
        state: {},
      })
      const readAt = new Date(app.clock.nowMs()).toISOString()
      const value = name === 'web_fetch' ? results.map((page) => ({ ...page, readAt })) : results
      return { state: 'done', value, ...(error === undefined ? toolUsage(tool) : { cost: noCost }) }
    } catch (error) {
      if (!signal.aborted) throw error
      return { state: 'lost', ...toolUsage(tool) }
    }
  }
  try {
    return await journal.runPaid({
      step,
      kind: name === 'web_search' ? 'search' : 'read',
      worst: tool.price,
      execute,
    })
  } catch (error) {
    if (error instanceof LostStep || error instanceof FailedStep) return []
    throw error
  }
}
