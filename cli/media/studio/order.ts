/** One order of Studio: sent with an idempotency key until its answer is whole, or until its files can be fetched. */
import { randomUUID } from 'node:crypto'
import type { Language } from '#platform/errors'
import { CommandRefused, type ParsedArguments, refuse, refuseUsage, type Session } from '../../command.ts'
import { plain, readBytes, readJson, request, type Server, ServerRefused } from '../../server.ts'
import { wholeNumber } from './inputs.ts'
import { studioPhrases as words } from './phrases.ts'
import { type Creation, isKnownType } from './save.ts'

export interface Order {
  path: '/v1/studio/image' | '/v1/studio/audio' | '/v1/studio/video'
  /** JSON. */
  body: string
  key: string
  timeoutSeconds: number
}

export interface OrderResult {
  creations: Output[]
  model: string
  requestId: string
  /** Absent where the key may not read receipts. */
  microcredits?: bigint
  /** Absent where the answer to a repeat did not name them. */
  files?: readonly string[]
  missing: number
  /** True for an order that was carried out before. */
  isRepeated: boolean
}

export interface Output extends Creation {
  width?: number
  height?: number
  seconds?: number
}

const defaultTimeoutSeconds = 900
const maxTimeoutSeconds = 86_400
const maxOutputs = 4
/** Four pictures of 24,000,000 characters each are the largest answer of the contract; with room for the rest. */
const maxAnswerBytes = maxOutputs * 24_000_000 + 1024 * 1024
/** Bytes of the largest file behind an answer: Base64 of 40,000,000 characters. */
const maxFileBytes = 30_000_000
const maxReceiptBytes = 1024 * 1024

export function orderOf(path: Order['path'], body: unknown, { options }: ParsedArguments): Order {
  const { 'idempotency-key': key = randomUUID(), timeout } = options
  if (!/^[\x21-\x7e]{1,128}$/.test(key)) refuseUsage(words.badIdempotencyKey())
  const timeoutSeconds =
    timeout === undefined ? defaultTimeoutSeconds : wholeNumber('--timeout', timeout, 1, maxTimeoutSeconds)
  return { path, body: JSON.stringify(body), key, timeoutSeconds }
}

export const idempotencyHeaders = ({ key }: Order): Record<string, string> => ({ 'idempotency-key': key })

/** Sends the order and returns its answer. Throws what the server refuses, and TIMED_OUT; both say the key where a repeat is of use. */
export async function sendOrder(session: Session, server: Server, order: Order): Promise<OrderResult> {
  const { language } = session
  session.whenStopped(
    withRepeatHint(new CommandRefused('INTERRUPTED', words.interrupted(), 1), order, language),
  )
  const until = AbortSignal.timeout(order.timeoutSeconds * 1_000)
  using progress = showProgress(session)
  const onBytes = (bytes: number) => progress.arrived(bytes)
  const headers = idempotencyHeaders(order)
  try {
    return await request(server, 'POST', order.path, { body: order.body, headers, until }, async (reply) =>
      answerIn(reply, await readBytes(reply, maxAnswerBytes, onBytes)),
    ).catch((error: unknown) => fetchStoredFiles(server, error, until, onBytes))
  } catch (error) {
    if (until.aborted && !session.stopping.aborted)
      throw withRepeatHint(
        new CommandRefused('TIMED_OUT', words.timedOut(order.timeoutSeconds), 1),
        order,
        language,
      )
    if (error instanceof CommandRefused && isWorthRepeating(error))
      throw withRepeatHint(error, order, language)
    throw error
  }
}

/** Whether a repeat is of use, since nobody knows that the order was refused before it began. */
export const isWorthRepeating = (refused: CommandRefused): boolean =>
  refused instanceof ServerRefused ? refused.status >= 500 && !refused.isFinal : true

/** The same refusal with the key by which the order can be repeated. A server answers in one language only. */
export function withRepeatHint(
  { code, sentence, more }: CommandRefused,
  { key }: Pick<Order, 'key'>,
  language: Language,
): CommandRefused {
  const repeat = words.repeat(key)
  const isOne = sentence.fa === sentence.en
  const inBoth = { fa: `${sentence.fa} ${repeat.fa}`, en: `${sentence.en} ${repeat.en}` }
  const said = isOne ? { fa: inBoth[language], en: inBoth[language] } : inBoth
  return new CommandRefused(code, said, 1, { ...more, idempotency_key: key })
}

interface StudioAnswer {
  outputs?: StudioOutput[]
  output?: StudioOutput
  execution: { model: string; requestId: string }
}

interface StudioOutput {
  data: string
  mediaType: string
  width?: number
  height?: number
  seconds?: number
}

function answerIn(reply: Response, bytes: Buffer): OrderResult {
  const answer = readJson(bytes.toString()) as StudioAnswer | undefined
  const outputs = answer?.outputs ?? (answer?.output && [answer.output])
  if (!answer?.execution || !Array.isArray(outputs)) return refuse('NOT_KHERAD', words.badAnswer())
  const microcredits = reply.headers.get('x-microcredits')
  const files = reply.headers.get('x-file-ids')
  return {
    creations: requireCount(outputs).map((output) =>
      creationOf({ ...output, bytes: Buffer.from(String(output?.data), 'base64') }),
    ),
    model: plain(answer.execution.model),
    requestId: plain(answer.execution.requestId),
    ...(microcredits !== null && /^\d{1,30}$/.test(microcredits) && { microcredits: BigInt(microcredits) }),
    ...(files !== null && { files: files.split(', ') }),
    missing: Number(reply.headers.get('x-missing-outputs') ?? 0),
    isRepeated: reply.headers.get('idempotent-replayed') === 'true',
  }
}

function requireCount<One>(outputs: readonly One[]): readonly One[] {
  if (outputs.length === 0 || outputs.length > maxOutputs) refuse('NOT_KHERAD', words.badAnswer())
  return outputs
}

function creationOf({ bytes, mediaType, width, height, seconds }: Output): Output {
  if (!isKnownType(mediaType) || bytes.length === 0) refuse('NOT_KHERAD', words.badAnswer())
  return {
    bytes,
    mediaType,
    ...(typeof width === 'number' && typeof height === 'number' && { width, height }),
    ...(typeof seconds === 'number' && { seconds }),
  }
}

/** Fetches the files of an earlier answer that is too large to be sent again and names one file for each output. */
async function fetchStoredFiles(
  server: Server,
  error: unknown,
  until: AbortSignal,
  onBytes: (bytes: number) => void,
): Promise<OrderResult> {
  const { files = [], more } = error instanceof ServerRefused ? error : {}
  const requestId = more?.['receipt_id']
  if (files.length === 0 || requestId === undefined) throw error
  const creations: Output[] = []
  for (const id of requireCount(files))
    creations.push(
      await request(server, 'GET', `/v1/files/${encodeURIComponent(id)}`, { until }, async (reply) =>
        creationOf({
          bytes: await readBytes(reply, maxFileBytes, onBytes),
          mediaType: reply.headers.get('content-type')?.split(';')[0] ?? '',
        }),
      ),
    )
  return {
    ...(await receiptOf(server, requestId, until)),
    creations,
    requestId,
    files,
    missing: 0,
    isRepeated: true,
  }
}

/** The model and the cost of the order, for a key that may read receipts; else an empty model. */
async function receiptOf(
  server: Server,
  id: string,
  until: AbortSignal,
): Promise<{ model: string; microcredits?: bigint }> {
  try {
    const bytes = await request(server, 'GET', `/v1/requests/${encodeURIComponent(id)}`, { until }, (reply) =>
      readBytes(reply, maxReceiptBytes),
    )
    const { model, microcredits } = readJson(bytes.toString()) as { model: string; microcredits: string }
    return { model: plain(model), microcredits: BigInt(microcredits) }
  } catch (error) {
    if (error instanceof ServerRefused) return { model: '' }
    throw error
  }
}

const progressMs = 1_000

/** Shows seconds and bytes on a terminal, until it is disposed. */
export function showProgress(session: Session): Disposable & { arrived(bytes: number): void } {
  const fromMs = session.clock.nowMs()
  let bytes = 0
  const show = () =>
    session.status(
      words.progress(Math.floor((session.clock.nowMs() - fromMs) / 1_000), bytes)[session.language],
    )
  const timer = setInterval(show, progressMs)
  return {
    arrived: (now) => {
      bytes = now
    },
    [Symbol.dispose]() {
      clearInterval(timer)
      session.status()
    },
  }
}
