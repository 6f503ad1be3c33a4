import { text } from 'node:stream/consumers'
import type { TryResult } from '../functions.ts'
import { endingFailure } from './call-function.ts'
import type { RuntimeLimits } from './limits.ts'
import { outcomeHeader, tryHeader } from './worker-headers.ts'
import type { WorkerProcess } from './worker-process.ts'

/** Asks the process whether this function loads and has a handler. Places are those of its bundle. */
export async function tryProgram(
  worker: WorkerProcess,
  name: string,
  limits: RuntimeLimits,
): Promise<TryResult> {
  const signal = AbortSignal.timeout(limits.tryMs)
  try {
    const response = await worker.request(name, {
      method: 'GET',
      path: '/',
      headers: { host: 'function.invalid', [tryHeader]: '1' },
      signal,
    })
    const body = await text(response.body)
    const outcome = response.headers[outcomeHeader]
    if (outcome === 'works') return { works: true }
    if (outcome === 'not_loaded') return failedToLoad(body)
    return { works: false, message: 'The code never ends loading, or ends its own process.' }
  } catch {
    if (signal.aborted)
      return { works: false, message: `The code did not load within ${limits.tryMs / 1_000} seconds.` }
    return crashResult(worker, limits)
  }
}

function failedToLoad(body: string): TryResult {
  const { message, stack } = JSON.parse(body) as { message: string; stack: string }
  return { works: false, message: message.slice(0, 1_000), ...placeIn(stack) }
}

/** workerd names the module itself in the stack of errors: `at function.js:3:7`. */
function placeIn(stack: string): { line: number; column: number } | undefined {
  const [, line, column] = /function\.js:(\d+):(\d+)/.exec(stack) ?? []
  return line === undefined ? undefined : { line: Number(line), column: Number(column) }
}

/** The result of a process that ended: code that V8 refuses ends it before it answers anybody. */
async function crashResult(worker: WorkerProcess, limits: RuntimeLimits): Promise<TryResult> {
  worker.kill('ended')
  const ending = await worker.ended
  const [, message] = /Uncaught (?:\w*Error: )?(.+)/.exec(worker.errors) ?? []
  if (message !== undefined) return { works: false, message, ...placeIn(worker.errors) }
  const failure = endingFailure(ending, limits)
  return { works: false, message: failure.code }
}
