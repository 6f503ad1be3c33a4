import { pipeline, Transform } from 'node:stream'
import type { Dispatcher } from 'undici'
import { Failure, fail } from '#platform/errors'
import type { EgressCall } from '../broker/broker.ts'
import type { FunctionAnswer, FunctionCall } from '../functions.ts'
import { passBody } from '../pass-body.ts'
import { crashes } from './errors.ts'
import type { RuntimeLimits } from './limits.ts'
import type { WatchedCall } from './watch.ts'
import {
  invocationHeader,
  outcomeHeader,
  ownPrefix,
  protocolHeader,
  requestIdHeader,
} from './worker-headers.ts'
import type { EndReason, WorkerProcess } from './worker-process.ts'

/**
 * Calls a function in this process. The call counts as one of the process's calls until its answer has been read or given up, and until the work has
 * ended that it left to go on after it (`waitUntil`); then `done` is called. Throws the failure that takes the place of an answer.
 */
export async function callFunction(
  worker: WorkerProcess,
  call: FunctionCall,
  limits: RuntimeLimits,
  done: () => void,
): Promise<FunctionAnswer> {
  const { invocation, egress } = worker.beginCall(call.depth)
  const ending = new AbortController()
  let timeoutSeconds: number | undefined
  const watched: WatchedCall = {
    cpuMs: 0,
    startedMs: performance.now(),
    waitedMs: () => egress.waitedMs(),
    timeOut(seconds) {
      timeoutSeconds ??= seconds
      ending.abort()
      egress.stop()
    },
  }
  const end = endOf(worker, watched, egress, done)
  worker.calls.add(watched)
  try {
    const signal = AbortSignal.any([call.signal, ending.signal])
    const response = await worker.request(call.name, requestOf(call, invocation, limits, signal))
    return answerOf(response, limits, end, () => timeoutSeconds)
  } catch (error) {
    end()
    call.signal.throwIfAborted()
    if (timeoutSeconds !== undefined) fail('FUNCTION_TIMEOUT', { seconds: timeoutSeconds })
    if (error instanceof Failure) throw error
    throw await failureOf(error, worker, limits)
  }
}

/**
 * Returns what ends the call once its answer is over. Work that begins after that takes no place of a call; the time and CPU of its call count on with
 * it.
 */
function endOf(
  worker: WorkerProcess,
  watched: WatchedCall,
  egress: EgressCall,
  done: () => void,
): () => void {
  let isAnswered = false
  const leave = once(() => {
    egress.end()
    done()
  })
  const rest = (): void => {
    worker.calls.delete(watched)
    worker.lastCallMs = performance.now()
    leave()
  }
  egress.onBackground({
    begun: () => void worker.calls.add(watched),
    ended: () => {
      if (isAnswered) rest()
    },
  })
  return () => {
    isAnswered = true
    if (!egress.hasBackground) rest()
  }
}

function once(work: () => void): () => void {
  let isDone = false
  return () => {
    if (!isDone) work()
    isDone = true
  }
}

const bodiless: readonly string[] = ['GET', 'HEAD']

function requestOf(
  call: FunctionCall,
  invocation: string,
  { bodyBytes }: RuntimeLimits,
  signal: AbortSignal,
): Dispatcher.RequestOptions {
  const url = new URL(call.url)
  const own: [string, string][] = [
    ['host', url.host],
    [protocolHeader, url.protocol.slice(0, -1)],
    [requestIdHeader, call.requestId],
    [invocationHeader, invocation],
  ]
  const body = bodiless.includes(call.method) ? undefined : call.body
  return {
    method: call.method as Dispatcher.HttpMethod,
    path: url.pathname + url.search,
    headers: [...own, ...call.headers.filter(([name]) => isPassedIn(name.toLowerCase()))].flat(),
    body: body
      ? passBody(
          body,
          byteLimiter(bodyBytes, () => new Failure('BODY_TOO_LARGE', { limitBytes: bodyBytes }, {})),
        )
      : null,
    responseHeaders: 'raw',
    signal,
  }
}

/** Headers of one connection, which ends here. */
const hopByHopHeaders = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
  'te',
  'trailer',
  'expect',
  'proxy-connection',
])

const isPassedIn = (name: string): boolean =>
  name !== 'host' && name !== 'content-length' && !hopByHopHeaders.has(name) && !name.startsWith(ownPrefix)

const isPassedOut = (name: string): boolean => !hopByHopHeaders.has(name) && !name.startsWith(ownPrefix)

function answerOf(
  { statusCode, headers: raw, body }: Dispatcher.ResponseData,
  { bodyBytes }: RuntimeLimits,
  end: () => void,
  timeoutSecondsOf: () => number | undefined,
): FunctionAnswer {
  const headers = pairsOf(raw as unknown as (string | Buffer)[])
  const headerOf = (wanted: string): string | undefined =>
    headers.find(([name]) => name.toLowerCase() === wanted)?.[1]
  const outcome = headerOf(outcomeHeader)
  const refuse = (failure: Failure): never => {
    body.on('error', () => {}).destroy()
    throw failure
  }
  if (outcome !== 'answered') {
    const why =
      outcome === 'threw' || outcome === 'no_answer' || outcome === 'not_loaded'
        ? crashes[outcome]
        : crashes.hung
    refuse(new Failure('FUNCTION_CRASHED', { why }, {}))
  }
  const tooLarge = () => new Failure('FUNCTION_ANSWER_TOO_LARGE', { limitBytes: bodyBytes }, {})
  if (Number(headerOf('content-length') ?? 0) > bodyBytes) refuse(tooLarge())
  const passed = byteLimiter(bodyBytes, tooLarge, () => {
    const seconds = timeoutSecondsOf()
    return seconds === undefined ? undefined : new Failure('FUNCTION_TIMEOUT', { seconds }, {})
  })
  pipeline(body, passed, () => {})
  passed.once('close', end)
  return {
    status: statusCode,
    headers: headers.filter(([name]) => isPassedOut(name.toLowerCase())),
    body: passed,
  }
}

function pairsOf(raw: readonly (string | Buffer)[]): [string, string][] {
  const text = (value: string | Buffer): string =>
    typeof value === 'string' ? value : value.toString('latin1')
  return Array.from({ length: raw.length / 2 }, (_, at) => [text(raw[2 * at]!), text(raw[2 * at + 1]!)])
}

/** The same bytes, broken off beyond `limitBytes`. `explain`: what a broken source means. */
function byteLimiter(
  limitBytes: number,
  tooLarge: () => Failure,
  explain: () => Failure | undefined = () => undefined,
): Transform {
  let bytes = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, next) {
      bytes += chunk.length
      if (bytes > limitBytes) next(tooLarge())
      else next(null, chunk)
    },
    destroy(error, next) {
      next(explain() ?? error)
    },
  })
}

/** The failure that a broken connection to the process means. */
async function failureOf(error: unknown, worker: WorkerProcess, limits: RuntimeLimits): Promise<unknown> {
  const { code } = error as { code?: string }
  if (code === 'UND_ERR_HEADERS_OVERFLOW')
    return new Failure('FUNCTION_ANSWER_TOO_LARGE', { limitBytes: limits.headerBytes }, { cause: error })
  if (error instanceof TypeError || code === 'UND_ERR_INVALID_ARG') return error
  if (!worker.isOver) await Promise.race([worker.ended, endGracePeriod()])
  // A process that is over says why, however late this one hears of it.
  const ending = worker.isOver ? await worker.ended : undefined
  if (ending === undefined) return new Failure('FUNCTION_CRASHED', { why: crashes.broken }, { cause: error })
  return endingFailure(ending, limits, error)
}

/**
 * Waits for the end of a process. One that broke a connection off is gone at once, or goes on; its end is heard of first, even where this process
 * stood still.
 */
const endGracePeriod = (): Promise<void> =>
  new Promise((resolve) => setTimeout(() => setImmediate(resolve), 500))

export function endingFailure(ending: EndReason, limits: RuntimeLimits, cause?: unknown): Failure {
  if (ending === 'cpu') return new Failure('FUNCTION_CPU_LIMIT', { milliseconds: limits.cpuMs }, { cause })
  if (ending === 'memory')
    return new Failure('FUNCTION_MEMORY_LIMIT', { megabytes: limits.heapMb }, { cause })
  return new Failure('FUNCTION_CRASHED', { why: crashes.ended }, { cause })
}
