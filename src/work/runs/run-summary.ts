/** Runs and their events as the API answers with them. */
import type { Language, Localized } from '#platform/errors'
import { creditsUp } from '#platform/ledger'
import type { EventRow } from './events/store.ts'
import { filePhrases, states } from './phrases.ts'
import type { RunEvent, RunSummary } from './schema.ts'
import type { RunRow } from './store.ts'

export interface RunSummaryOptions {
  baseUrl: string
  language: Language
}

export function toRunSummary(run: RunRow, { baseUrl, language }: RunSummaryOptions): RunSummary {
  const url = `${baseUrl}/v1/work/${run.run_id}`
  const message = messageOf(run)[language]
  return {
    id: run.run_id,
    object: 'run',
    status: run.status,
    kind: run.kind,
    title: run.title,
    model: run.model,
    is_sandbox: run.sandbox,
    is_partial: run.partial,
    progress: { percent: run.percent, message },
    error: run.error_code === null ? null : { code: run.error_code, message },
    reserved_credits: creditsUp(run.held),
    credits: creditsUp(run.spent),
    agent_id: run.agent_id,
    knowledge_id: run.knowledge_id,
    file_ids: run.files.map(({ id }) => id),
    request_id: run.receipt_id,
    created_at: run.created_at.toISOString(),
    started_at: run.started_at?.toISOString() ?? null,
    retry_at: run.retry_at?.toISOString() ?? null,
    ended_at: run.ended_at?.toISOString() ?? null,
    expires_at: run.expires_at?.toISOString() ?? null,
    status_url: url,
    files_url: `${url}/files`,
    events_url: `${url}/events`,
  }
}

function messageOf({ status, words }: RunRow): Localized {
  if (status === 'waiting' || status === 'cancelling') return states[status]
  return words ?? states[status === 'queued' ? 'queued' : 'running']
}

export function toRunEvent({ seq, type, data, created_at }: EventRow, language: Language): RunEvent {
  const { words, ...more } = data as { words?: Localized; path?: string }
  const message =
    words ?? (more.path === undefined ? states[type as keyof typeof states] : filePhrases(more.path))
  return {
    id: seq,
    type: type as RunEvent['type'],
    created_at: created_at.toISOString(),
    message: message[language],
    ...more,
  }
}
