/** What a pipeline asks the world for: each under a name, journalled, paid from the run's hold. */
import { recall, requireKnowledge } from '#capabilities/knowledge'
import { callModel, questionTurn, worstCaseOf } from '#engine/inference'
import type { Model } from '#engine/models'
import {
  FailedStep,
  LostStep,
  type ModelAnswer,
  type Question,
  type StepContext,
  type Task,
} from '#engine/pipelines'
import type { Source, ToolName } from '#engine/turn'
import { keepFile, keepLocal } from './files/keep.ts'
import type { Journal, Taken } from './journal/journal.ts'
import { fetchWhole, openGiven } from './local.ts'
import { tellProgress } from './progress.ts'
import type { RunLease } from './run-lease.ts'

export interface StepContextOptions {
  shift: RunLease
  journal: Journal
  task: Task
  model: Model
}

export function openStepContext({ shift, journal, task, model }: StepContextOptions): StepContext {
  const { app, run, allowed } = shift
  const use = (step: string, tool: 'web_search' | 'web_fetch', input: unknown): Promise<Source[]> =>
    useTool({ shift, journal, step, tool, input })
  return {
    task,
    accountId: run.account_id,
    signal: shift.signal,
    searches: app.tools.find('web_search') !== undefined,
    ask(step, question) {
      const turn = questionTurn(question, model)
      const { microcredits: worst } = worstCaseOf(app, { model, turn, allowed })
      return journal.paid({ step, kind: 'ask', worst, take: (id) => askModel(shift, model, question, id) })
    },
    search: (step, query) => use(step, 'web_search', { query }),
    read: async (step, url) => (await use(step, 'web_fetch', { url }))[0],
    recall: (step, query) =>
      journal.free<readonly Source[]>(step, async () => {
        const { account_id: accountId, project_id: projectId, knowledge_id: knowledgeId } = run
        if (knowledgeId === null) return []
        const place = { accountId, projectId, knowledgeId }
        // Deleted since: the run says so and ends, and does not go on as if it had never had any.
        await requireKnowledge(app, place)
        return recall(app, place, query)
      }),
    open: (file) => openGiven(shift, file),
    fetch: (step, url, maxBytes) => fetchWhole({ shift, journal, step, url, maxBytes }),
    scratch: (bytes) => app.spool.folder(bytes),
    once: (step, compute) => journal.free(step, compute),
    progress: (percent, words) => tellProgress(shift, percent, words),
    saveFile: (file) => keepFile(shift, file),
    saveLocalFile: (file, place) => keepLocal(shift, file, place),
  }
}

/** Upstreams that say so did nothing, and are asked again later; so often in the life of a run. */
const maxWaits = 20
const firstWaitMs = 2_000
const longestWaitMs = 5 * 60_000
const busyCodes: readonly string[] = ['UPSTREAM_RATE_LIMITED', 'UPSTREAM_OVERLOADED']

async function askModel(
  shift: RunLease,
  model: Model,
  question: Question,
  callId: string,
): Promise<Taken<ModelAnswer>> {
  const { app, run, allowed, signal, trail } = shift
  const turn = questionTurn(question, model)
  const beganMs = run.created_at.getTime()
  const called = await callModel(app, {
    payer: shift.payer,
    model,
    turn,
    allowed,
    callId,
    gone: signal,
    trail,
    beganMs,
  })
  const { text, toolCalls, usage, finishReason, failure, microcredits: cost } = called
  const { input, cachedInput, output, reasoning } = usage
  const detail = {
    model: called.model,
    tokens: { input, cachedInput, output, reasoning },
    usage_source: called.usageSource,
    attempts: [...called.attempts],
    ...(called.claims.length > 0 && { claims: called.claims }),
    ...(failure && !called.cameToNothing && { may_have_run: true as const }),
  }
  if (!failure) {
    const isWhole = finishReason === 'stop' || finishReason === 'tool_calls'
    return { how: 'done', value: { text, toolCalls, usage, isWhole }, cost, detail }
  }
  if (called.isRefused) {
    shift.refuse(failure)
    return { how: 'undone' }
  }
  if (signal.aborted) return called.cameToNothing ? { how: 'undone' } : { how: 'lost', cost, detail }
  if (busyCodes.includes(failure.code) && called.cameToNothing && run.waits < maxWaits) {
    const ownMs = Math.min(firstWaitMs * 2 ** run.waits, longestWaitMs)
    shift.retryMs = Math.max(shift.retryMs, ownMs, Math.min(failure.more.retryAfterMs ?? 0, longestWaitMs))
    shift.close('waiting')
    return { how: 'undone' }
  }
  if (failure.code === 'INTERNAL')
    app.log.error({ err: failure.cause ?? failure, run_id: run.run_id }, 'a step of a run broke')
  return { how: 'failed', code: failure.code, cost, detail }
}

interface ToolOptions {
  shift: RunLease
  journal: Journal
  step: string
  tool: Extract<ToolName, 'web_search' | 'web_fetch'>
  input: unknown
}

/** One use of a hosted tool. One that failed costs nothing and finds nothing; one that is lost is paid and finds nothing. */
async function useTool({ shift, journal, step, tool: name, input }: ToolOptions): Promise<Source[]> {
  const { app, signal } = shift
  const tool = app.tools.find(name)
  if (!tool) return journal.free(step, async () => [])
  const take = async (): Promise<Taken<Source[]>> => {
    try {
      const { results, error } = await tool.run(input, {
        accountId: shift.run.account_id,
        signal,
        nowMs: app.clock.nowMs(),
        state: {},
      })
      const readAt = new Date(app.clock.nowMs()).toISOString()
      const value = name === 'web_fetch' ? results.map((page) => ({ ...page, readAt })) : results
      return { how: 'done', value, cost: error === undefined ? tool.price : 0n }
    } catch (error) {
      if (!signal.aborted) throw error
      return { how: 'lost', cost: tool.price }
    }
  }
  try {
    return await journal.paid({
      step,
      kind: name === 'web_search' ? 'search' : 'read',
      worst: tool.price,
      take,
    })
  } catch (error) {
    if (error instanceof LostStep || error instanceof FailedStep) return []
    throw error
  }
}
