import { type ChildProcess, fork } from 'node:child_process'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { UpstreamError } from '#core/spec'
import type { ChildMessage, ChildRequest } from './protocol.ts'

export interface SherpaConfig {
  /** The folder of the model. */
  folder: string
  /** The name or the path of the package. */
  package: string
}

/** The most recordings that wait for the one before; further callers are told to come later. */
const maxWaiting = 16
/** The time for opening a model, on a slow disk too. */
const openingMs = 120_000
const program = fileURLToPath(new URL('./sherpa-process.ts', import.meta.url))

/** A process that is opening its model, or has opened it. */
interface OpeningProcess {
  child: ChildProcess
  ready: Promise<ChildProcess>
}

interface RecognitionJob {
  samples: Float32Array
  language?: string | undefined
  /** Ends the job while it waits or is under way. */
  signal: AbortSignal
}

/**
 * The one process in which sherpa-onnx runs: a native library of gigabytes that may crash takes nothing else with it. The process is started by the
 * first recording or call, takes one recording after another, and is started again after it died or was killed.
 */
export class SherpaChild implements AsyncDisposable {
  readonly #place: SherpaConfig
  #process: OpeningProcess | undefined
  #last: Promise<unknown> = Promise.resolve()
  #waiting = 0
  #ids = 0
  #isClosed = false

  constructor(place: SherpaConfig) {
    this.#place = place
  }

  /** Returns what the recogniser answers. Throws `UpstreamError`; nothing is billed, so that each failure may be repeated. */
  async run(job: RecognitionJob): Promise<unknown> {
    if (this.#waiting >= maxWaiting)
      throw failure('overloaded', `${maxWaiting} recordings wait for sherpa-onnx already`)
    this.#waiting += 1
    const before = this.#last
    const turn = unlessAborted(before, job.signal).then(() => this.#transcribe(job))
    // A job that leaves the queue must not let those behind it pass those before it.
    this.#last = Promise.allSettled([before, turn])
    return await turn.finally(() => {
      this.#waiting -= 1
    })
  }

  /** Starts the process if it does not run. Throws `UpstreamError` with what has to be installed. */
  async start(): Promise<void> {
    await this.#opened()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    if (this.#process) await killed(this.#process.child)
  }

  async #transcribe({ samples, language, signal }: RecognitionJob): Promise<unknown> {
    const child = await unlessAborted(this.#opened(), signal)
    // The signal may have aborted since the child was ready, and would not call a listener that is added later.
    if (signal.aborted) throw callerLeft()
    const id = this.#ids++
    return await new Promise((resolve, reject) => {
      const end = (settle: () => void): void => {
        child.off('message', onMessage)
        child.off('exit', onExit)
        signal.removeEventListener('abort', stop)
        settle()
      }
      const onMessage = (message: ChildMessage): void => {
        if (!('id' in message) || message.id !== id) return
        if ('failed' in message) end(() => reject(failure('unavailable', message.failed)))
        else end(() => resolve(message.result))
      }
      const onExit = (): void => end(() => reject(failure('unavailable', 'the process of sherpa-onnx died')))
      // The recogniser cannot be stopped in the middle, so that its process is killed.
      const stop = (): void => {
        this.#process = undefined
        void killed(child)
        end(() => reject(callerLeft()))
      }
      child.on('message', onMessage)
      child.on('exit', onExit)
      signal.addEventListener('abort', stop, { once: true })
      child.send({ id, samples, language } satisfies ChildRequest, (error) => {
        if (error) end(() => reject(failure('unavailable', 'the process of sherpa-onnx died')))
      })
    })
  }

  #opened(): Promise<ChildProcess> {
    if (this.#isClosed) return Promise.reject(failure('unavailable', 'the server stops'))
    if (this.#process) return this.#process.ready
    const opening = open(this.#place)
    const forget = (): void => {
      if (this.#process === opening) this.#process = undefined
    }
    this.#process = opening
    opening.ready.then((child) => child.once('exit', forget), forget)
    return opening.ready.catch((error) => {
      throw this.#isClosed ? failure('unavailable', 'the server stops') : error
    })
  }
}

/** The value of the promise, or UpstreamError `aborted` as soon as the signal aborts. */
async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const left = Promise.withResolvers<never>()
  const leave = (): void => left.reject(callerLeft())
  if (signal.aborted) leave()
  else signal.addEventListener('abort', leave, { once: true })
  try {
    return await Promise.race([left.promise, promise])
  } finally {
    signal.removeEventListener('abort', leave)
  }
}

function open(place: SherpaConfig): OpeningProcess {
  // The prebuilt libraries of sherpa-onnx find one another by this path (nodejs-addon-examples/README.md).
  const libraries = path.join(path.dirname(place.package), `sherpa-onnx-${process.platform}-${process.arch}`)
  const child = fork(program, [place.package, place.folder], {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    env: { LD_LIBRARY_PATH: libraries, DYLD_LIBRARY_PATH: libraries },
    execArgv: [],
  })
  return { child, ready: ready(child, place.folder) }
}

function ready(child: ChildProcess, folder: string): Promise<ChildProcess> {
  return new Promise((resolve, reject) => {
    let isOver = false
    const errorOutput = new ErrorOutput(child.stderr!)
    const end = (settle: () => void): void => {
      isOver = true
      clearTimeout(timer)
      child.off('message', onMessage)
      child.off('close', onExit)
      errorOutput.end()
      settle()
    }
    const refuse = (detail: string): void => {
      end(() => reject(failure('not_found', detail)))
      void killed(child)
    }
    const timer = setTimeout(() => refuse('sherpa-onnx did not open its model in time'), openingMs)
    const onExit = (): void => {
      const why = errorOutput.last
      refuse(`the process of sherpa-onnx ended while it opened ${folder}${why === '' ? '' : `: ${why}`}`)
    }
    const onMessage = (message: ChildMessage): void => {
      if (!('ready' in message)) return
      if (message.ready) end(() => resolve(child))
      else refuse(message.failed)
    }
    child.on('message', onMessage)
    // At `close`, the last words of the process have come.
    child.once('close', onExit)
    // This listener stays: an error without one would end the server. The effects of a later error are reported by `exit` and `send`.
    child.on('error', () => {
      if (!isOver) refuse('the process of sherpa-onnx cannot be started')
    })
  })
}

/** Keeps what a process says on its standard error while it opens a model: nobody has sent it a recording yet. */
class ErrorOutput {
  readonly #stream: Readable
  #text = ''
  readonly #take = (bytes: Buffer): void => {
    this.#text = (this.#text + bytes.toString()).slice(-maxSaid)
  }

  constructor(stream: Readable) {
    this.#stream = stream
    stream.on('data', this.#take)
  }

  /** The line that most likely says why. Libraries write the place in their code first, which is removed. */
  get last(): string {
    const lines = this.#text.split('\n').map((line) => line.trim())
    return (lines.findLast((line) => line !== '') ?? '')
      .replace(/^(\S+:\d+|what\(\):) +/, '')
      .slice(0, maxOfLine)
  }

  /** Reads and drops all that follows, so that the process never waits for a reader. */
  end(): void {
    this.#stream.off('data', this.#take)
    this.#stream.resume()
  }
}
const maxSaid = 4_096
const maxOfLine = 200

function killed(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    const isOver = child.pid === undefined || child.exitCode !== null || child.signalCode !== null
    if (isOver) return resolve()
    child.once('exit', () => resolve())
    child.kill('SIGKILL')
  })
}

/** A fault without execution: nothing is billed here, so that nobody has to pay for the work of a failure. */
const failure = (fault: UpstreamError['fault'], detail: string): UpstreamError =>
  new UpstreamError(fault, { executed: false, detail, inside: detail })

const callerLeft = (): UpstreamError => failure('aborted', 'the caller left')
