/** One caller: asks, listens, interrupts every other answer, asks again. */
import { Heard } from './heard.ts'
import { type Line, type LineOptions, openPeerLine, openSocketLine, type SpokenFrame } from './lines.ts'

export interface Recording {
  frames: SpokenFrame[]
  /** The frame in which the first sound is, and the one behind the last. */
  from: number
  until: number
}

export interface CallScript extends Pick<LineOptions, 'url' | 'key' | 'model'> {
  transport: 'websocket' | 'webrtc'
  question: Recording
  /** Chosen in turn. Empty: nobody interrupts. */
  interruptions: Recording[]
  silence: SpokenFrame
  /** It ends after so many answers, or at this moment, whichever comes first. */
  answers: number
  untilMs: number
  /** When it begins to speak within 20 ms, so that callers are not in step. */
  phaseMs: number
}

/** In ms. */
export interface CallResult {
  connectMs: number
  /** From the end of speech to the first sound. */
  whole: number[]
  /** The part of it until the server said that the turn was over. */
  silence: number[]
  /** From the beginning of an interruption until the first frame that was lowered came, and until it was to be heard. */
  loweredAtSender: number[]
  loweredAtEar: number[]
  frames: number
  late: number
  /** How much later than planned frames were sent: the lateness of the load itself. */
  sentLate: number[]
  failures: string[]
}

const frameMs = 20
const answerTimeoutMs = 20_000
/** So much of an answer is heard before it is interrupted. */
const interruptedAfterMs = 1_500
const restMs = 600

class Caller {
  readonly result: CallResult = {
    ...{ connectMs: 0, whole: [], silence: [], loweredAtSender: [], loweredAtEar: [] },
    ...{ frames: 0, late: 0, sentLate: [], failures: [] },
  }
  readonly #script: CallScript
  #line: Line | undefined
  #heard = new Heard({ bufferMs: 0 })
  #queue: { frame: SpokenFrame; sent?: () => void }[] = []
  #timer: NodeJS.Timeout | undefined
  #isOver = false
  #awaited: { type: string; resolve: (atMs: number) => void }[] = []
  #onSound: (() => void) | undefined
  /** What is heard is of the answer that is waited for: what comes before it was said to begin is the rest of the last one. */
  #isBegun = false

  constructor(script: CallScript) {
    this.#script = script
  }

  async run(): Promise<void> {
    const { transport, answers, untilMs } = this.#script
    const open = transport === 'webrtc' ? openPeerLine : openSocketLine
    const beganMs = performance.now()
    const created = this.#next('session.created')
    // Where there is no line it does not come, which is no failure of its own.
    created.catch(() => undefined)
    this.#line = await open({
      ...this.#script,
      event: ({ type }) => this.#told(String(type)),
      sound: (position, rms) => this.#hear(position, rms),
      closed: () => {
        this.#isOver = true
      },
    })
    await created
    this.result.connectMs = performance.now() - beganMs
    this.#heard = new Heard({ bufferMs: this.#line.bufferMs })
    this.#speakOn(beganMs)
    for (let answer = 0; answer < answers && performance.now() < untilMs; answer++)
      await this.#exchange(answer)
    Object.assign(this.result, this.#heard.counts)
  }

  /** Also of a call that failed: one that speaks on keeps its process, and its place at the server. */
  async hangUp(): Promise<void> {
    clearTimeout(this.#timer)
    await this.#line?.[Symbol.asyncDispose]()
  }

  /** Asks, and hears the answer out or interrupts it. */
  async #exchange(answer: number): Promise<void> {
    const { question, interruptions } = this.#script
    await this.#ask(question)
    if (answer % 2 === 0 && interruptions.length > 0) {
      const recording = interruptions[(answer >> 1) % interruptions.length]!
      await pause(interruptedAfterMs)
      await this.#interrupt(recording)
    }
    await this.#next('output_audio_buffer.stopped')
    await pause(restMs)
  }

  async #ask(recording: Recording): Promise<void> {
    this.#forget()
    const stopped = this.#next('input_audio_buffer.speech_stopped')
    const sounded = this.#firstSound()
    const { endedMs } = await this.#say(recording)
    const [stoppedMs, firstMs] = await Promise.all([stopped, sounded])
    this.result.silence.push(stoppedMs - endedMs)
    this.result.whole.push(firstMs - endedMs)
  }

  async #interrupt(recording: Recording): Promise<void> {
    const stopped = this.#next('input_audio_buffer.speech_stopped')
    const cleared = this.#next('output_audio_buffer.cleared')
    const { beganMs, endedMs } = await this.#say(recording)
    await cleared
    const { lowered } = this.#heard
    if (lowered === undefined) this.result.failures.push('nothing was lowered')
    else {
      this.result.loweredAtSender.push(lowered.sentMs - beganMs)
      this.result.loweredAtEar.push(lowered.heardMs - beganMs)
    }
    this.#forget()
    const firstMs = await this.#firstSound()
    this.result.silence.push((await stopped) - endedMs)
    this.result.whole.push(firstMs - endedMs)
  }

  /** When its first sound was sent, and when its last. */
  async #say({ frames, from, until }: Recording): Promise<{ beganMs: number; endedMs: number }> {
    let beganMs = 0
    const ended = Promise.withResolvers<number>()
    for (const [index, frame] of frames.slice(0, until).entries())
      this.#queue.push({
        frame,
        sent: () => {
          if (index === from) beganMs = performance.now()
          if (index === until - 1) ended.resolve(performance.now())
        },
      })
    const endedMs = await ended.promise
    return { beganMs, endedMs }
  }

  /** Without a rest, as a microphone does. */
  #speakOn(beganMs: number): void {
    const firstMs = beganMs + this.#script.phaseMs
    let dueMs = firstMs + frameMs * Math.ceil((performance.now() - firstMs) / frameMs)
    const send = (): void => {
      if (this.#isOver) return
      this.result.sentLate.push(performance.now() - dueMs)
      const next = this.#queue.shift()
      this.#line!.speak(next?.frame ?? this.#script.silence)
      next?.sent?.()
      dueMs += frameMs
      this.#timer = setTimeout(send, Math.max(0, dueMs - performance.now()))
    }
    this.#timer = setTimeout(send, Math.max(0, dueMs - performance.now()))
  }

  #firstSound(): Promise<number> {
    return this.#within('sound', (resolve) => {
      this.#onSound = () => resolve(this.#heard.firstMs!)
    })
  }

  #forget(): void {
    this.#heard.reset()
    this.#isBegun = false
  }

  #hear(position: number, rms: number | undefined): void {
    if (!this.#isBegun) return
    this.#heard.frame(position, rms, performance.now())
    this.#onSound?.()
    this.#onSound = undefined
  }

  /** When the next event of this type came. */
  #next(type: string): Promise<number> {
    return this.#within(type, (resolve) => this.#awaited.push({ type, resolve }))
  }

  #within(what: string, begin: (resolve: (atMs: number) => void) => void): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>()
    const late = setTimeout(() => reject(new Error(`no ${what}`)), answerTimeoutMs)
    // Where its caller has failed before, nobody waits for it any more.
    promise.catch(() => undefined)
    begin((atMs) => {
      clearTimeout(late)
      resolve(atMs)
    })
    return promise
  }

  #told(type: string): void {
    if (type === 'output_audio_buffer.started') this.#isBegun = true
    if (type === 'error') this.result.failures.push(type)
    const [now, later] = [
      this.#awaited.filter((one) => one.type === type),
      this.#awaited.filter((one) => one.type !== type),
    ]
    this.#awaited = later
    for (const { resolve } of now) resolve(performance.now())
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** One whole call. What fails in it stands in its result. */
export async function callOnce(script: CallScript): Promise<CallResult> {
  const caller = new Caller(script)
  const fail = (error: unknown): void => void caller.result.failures.push(String(error))
  await caller.run().catch(fail)
  await caller.hangUp().catch(fail)
  return caller.result
}
