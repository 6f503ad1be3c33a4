/** `kherad call list|show|end`: lets the operator see and end voice calls. It works on the database directly. */

import type { Language } from '#platform/errors'
import { isUuid } from '#platform/ids'
import { type CallRow, callIdOf, callName, findAnyCall, listAnyCalls, requestCallEnd } from '#voice/realtime'
import { fullReceipt } from '../account/receipts/store.ts'
import { readId, showCredits } from '../amounts.ts'
import { type Command, type CommandResult, type ParsedArguments, refuse, type Session } from '../command.ts'
import { digits } from '../numerals.ts'
import { card, showTime, type TableColumn, table } from '../output.ts'
import { titles } from '../phrases.ts'
import { plain } from '../server.ts'
import { callColumns, callOptions, callPhrases as words } from './phrases.ts'

const maxCalls = 500
/** How long to wait for the process of the call, which looks every five seconds. */
const waitMs = 15_000
const lookMs = 250

const common = { options: [], needs: [], help: callOptions }

export const callCommands: Command[] = [
  {
    ...common,
    name: 'call list',
    about: words.list,
    takes: [],
    options: ['account'],
    flags: ['all'],
    run: list,
  },
  { ...common, name: 'call show', about: words.show, takes: ['CALL'], run: show },
  { ...common, name: 'call end', about: words.end, takes: ['CALL'], run: endCall },
]

async function list(session: Session, { options, flags }: ParsedArguments): Promise<CommandResult> {
  const { language } = session
  const accountId = options.account === undefined ? undefined : readId('--account', options.account)
  const running = !flags.includes('all')
  const { rows } = await listAnyCalls(await session.db(), { accountId, running, limit: maxCalls })
  const none = running ? words.noneNow : words.noneYet
  const columns = columnsOf(session).filter(({ title }) => title !== callColumns.request)
  return {
    json: { data: rows.map(jsonOf) },
    text: rows.length === 0 ? `${none[language]}\n` : table(rows, columns, language),
  }
}

/** A line of the receipt (src/voice/realtime/money/receipt.ts). */
interface ReceiptStep {
  step: string
  model: string
  steps?: number
  microcredits: number
  quantities?: Record<string, number>
  discarded?: true
  ambiguous?: true
}

async function show(session: Session, { words: [named = ''] }: ParsedArguments): Promise<CommandResult> {
  const { language } = session
  const call = await callOf(session, named)
  const receipt = await fullReceipt(await session.db(), call.receipt_id)
  const { steps = [], more = [] } = (receipt?.detail ?? {}) as { steps?: ReceiptStep[]; more?: ReceiptStep[] }
  const lines = [...steps, ...more]
  const shown = lines.length === 0 ? '' : `\n${table(lines, stepColumns(language), language)}`
  return {
    json: { ...jsonOf(call), steps: lines },
    text: `${card(call, columnsOf(session), language)}${shown}`,
  }
}

async function endCall(session: Session, { words: [named = ''] }: ParsedArguments): Promise<CommandResult> {
  const call = await callOf(session, named)
  if (call.ended_at) return answer(session, call, words.endedBefore[session.language])
  const db = await session.db()
  await requestCallEnd(
    db,
    { accountId: call.account_id, callId: call.call_id },
    new Date(session.clock.nowMs()),
  )
  const untilMs = performance.now() + waitMs
  for (;;) {
    const row = await callOf(session, named)
    if (row.ended_at) return answer(session, row, words.ended[session.language])
    if (performance.now() >= untilMs || session.stopping.aborted)
      return { ...answer(session, row, words.asked[session.language]), failed: true }
    await new Promise((resolve) => setTimeout(resolve, lookMs))
  }
}

/** Finds a call by its id, or by that of its request. Throws CALL_NOT_FOUND. */
async function callOf(session: Session, named: string): Promise<CallRow> {
  const id = callIdOf(named.toLowerCase()) ?? (isUuid(named) ? named.toLowerCase() : undefined)
  const found = id === undefined ? undefined : await findAnyCall(await session.db(), id)
  return found ?? refuse('CALL_NOT_FOUND', words.noCall(plain(named)))
}

const answer = (session: Session, row: CallRow, said: string): CommandResult => ({
  json: jsonOf(row),
  text: `${said}\n${card(row, columnsOf(session), session.language)}`,
})

/** The seconds from the connection to the end, or to now. */
function secondsOf({ connected_at: from, ended_at: to }: CallRow, nowMs: number): number {
  if (!from) return 0
  return Math.max(0, Math.ceil(((to?.getTime() ?? nowMs) - from.getTime()) / 1000))
}

function columnsOf({ language, clock }: Session): TableColumn<CallRow>[] {
  const nowMs = clock.nowMs()
  return [
    { title: titles.id, show: (row) => callName(row.call_id) },
    { title: titles.account, show: (row) => row.account_id },
    { title: titles.model, show: (row) => row.model },
    { title: callColumns.engine, show: (row) => row.engine },
    { title: callColumns.transport, show: (row) => row.transport },
    { title: titles.state, show: (row) => words.states[row.status][language] },
    { title: callColumns.reason, show: (row) => row.reason ?? '-' },
    { title: callColumns.seconds, show: (row) => digits(secondsOf(row, nowMs), language), numeric: true },
    { title: callColumns.turns, show: (row) => digits(row.turns, language), numeric: true },
    {
      title: callColumns.credits,
      show: (row) => (row.charged === null ? '-' : showCredits(row.charged, language)),
      numeric: true,
    },
    { title: titles.created, show: (row) => showTime(row.created_at, language) },
    { title: callColumns.request, show: (row) => row.receipt_id },
  ]
}

const stepColumns = (language: Language): TableColumn<ReceiptStep>[] => [
  {
    title: callColumns.step,
    show: ({ step, steps }) => (steps === undefined ? step : `${step} ×${digits(steps, language)}`),
  },
  { title: titles.model, show: ({ model }) => model },
  {
    title: callColumns.credits,
    show: ({ microcredits }) => showCredits(BigInt(microcredits), language),
    numeric: true,
  },
  {
    title: callColumns.used,
    show: ({ quantities = {} }) =>
      Object.entries(quantities)
        .map(([unit, count]) => `${unit}=${digits(count, language)}`)
        .join(' '),
  },
  {
    title: titles.note,
    show: ({ discarded, ambiguous }) =>
      [...(discarded ? [words.discarded] : []), ...(ambiguous ? [words.ambiguous] : [])]
        .map((one) => one[language])
        .join(' '),
  },
]

const jsonOf = (row: CallRow) => ({
  id: callName(row.call_id),
  account_id: row.account_id,
  project_id: row.project_id,
  key_id: row.key_id,
  model: row.model,
  engine: row.engine,
  transport: row.transport,
  agent_id: row.agent_id,
  process_id: row.process_id,
  status: row.status,
  reason: row.reason,
  turns: row.turns,
  microcredits: row.charged === null ? null : String(row.charged),
  created_at: row.created_at.toISOString(),
  started_at: row.connected_at?.toISOString() ?? null,
  ended_at: row.ended_at?.toISOString() ?? null,
  request_id: row.receipt_id,
})
