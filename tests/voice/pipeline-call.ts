/** A call of the engine `pipeline` without a line: a test speaks into it and reads what its client would get. The sound runs faster than time. */

import type { App, Caller } from '#app'
import type { Cost } from '#core/models'
import { SharedHold } from '#core/paid'
import { resample } from '#core/sound'
import { Failure } from '#platform/errors'
import { uuidv7 } from '#platform/ids'
import { planLiveSpeech } from '#voice/live-speech'
import {
  type CallMoney,
  CallSession,
  type EndReason,
  freshSettings,
  Pipeline,
  type RealtimeEvent,
  type StepKind,
  type StepLine,
} from '#voice/realtime'
import { PacedSpeaker } from '../../src/voice/realtime/speak/speaker.ts'
import { startMs, until } from '../harness/until.ts'

export interface DoneStep {
  kind: StepKind
  model: string
  quantities: StepLine['quantities']
  isDiscarded: boolean
}

/** Real holds of the ledger, without the records of a call. */
class TestMoney implements CallMoney {
  readonly steps: DoneStep[] = []
  readonly spent = 0n
  readonly held = 0n
  open = 0
  reserved: bigint[] = []
  /** What `reserve` answers. */
  bears = true
  /** Whether a step can be paid. */
  pays = true
  /** Transcriptions that were begun. */
  transcriptions = 0
  readonly #app: App
  readonly hold: SharedHold

  constructor(app: App) {
    this.#app = app
    this.hold = new SharedHold(app.ledger, { model: 'test', otherCallsMicrocredits: 0n, parts: 100 })
  }

  async reserve(worst: bigint): Promise<boolean> {
    this.reserved.push(worst)
    return this.bears
  }

  async ensureFree(): Promise<boolean> {
    return this.pays
  }

  async step({ kind, model }: Parameters<CallMoney['step']>[0]) {
    if (!this.pays)
      throw new Failure('INSUFFICIENT_CREDITS', { needMicrocredits: 1n, haveMicrocredits: 0n }, {})
    this.open += 1
    if (kind === 'transcription') this.transcriptions += 1
    const stepId = uuidv7(this.#app.clock.nowMs())
    return {
      stepId,
      part: this.hold.part(stepId),
      done: (_cost: Cost | undefined, { quantities }: StepLine, { discarded = false } = {}) => {
        this.open -= 1
        this.steps.push({ kind, model, quantities, isDiscarded: discarded })
      },
    }
  }

  /** All steps together. */
  async settle(): Promise<void> {
    const parts = this.hold.settled
    if (parts.length === 0) return
    const microcredits = parts.reduce((sum, { settlement }) => sum + settlement.microcredits, 0n)
    const end = {
      microcredits,
      withinHold: true,
      state: 'completed',
      statusCode: 200,
      model: 'test',
    } as const
    await this.hold.settle(end, { writes: false })
  }
}

export interface TestCall extends AsyncDisposable {
  session: CallSession
  money: TestMoney
  /** All that the client was told, in order. */
  events: RealtimeEvent[]
  ended: Promise<EndReason>
  /** Samples of sound that were played, of whichever item. */
  played(): number
  send(event: RealtimeEvent): void
  /** Speech at 16 kHz, then so much silence. */
  say(samples: Float32Array, silenceMs?: number): void
  /** Resolves with the first event of this type from `from` on. */
  event(type: string, from?: number): Promise<RealtimeEvent>
  types(): string[]
  /** Called with the next event of this type, at once. */
  once(type: string, then: () => void): void
  /** Frames that were heard so far. */
  frames(): number
  heard(frames: number): Promise<void>
  /** 20 ms of sound pass, in both directions. */
  tick(): void
  /** From now on no sound passes while this is true: somebody is waited for who takes time of the machine. */
  standsWhile(condition: () => boolean): void
  /** Ends it; resolves when every step of it is done. */
  stop(): Promise<void>
}

/** Frames of 20 ms pass at this pace, in ms. */
const paceMs = 4
const frameSamples = 320

const optionsOf = (app: App, model: string) => ({
  callId: 'test',
  settings: freshSettings('realtime', model),
  ignored: [],
  transcriptionModel: (name: string) => name,
  language: 'en' as const,
  clock: app.clock,
  log: app.log,
  idleMs: 60_000,
  expiresAtMs: app.clock.nowMs() + 600_000,
})

/** Sound passes as time does, unless it stands. */
function openPace(tick: () => void): Disposable & Pick<TestCall, 'standsWhile'> {
  let stands = (): boolean => false
  const ticking = setInterval(() => {
    if (!stands()) tick()
  }, paceMs)
  return {
    standsWhile: (condition) => {
      stands = condition
    },
    [Symbol.dispose]: () => clearInterval(ticking),
  }
}

/** `isPaced: false`: no time passes but by `tick`. */
export async function startCall(
  app: App,
  caller: Caller,
  model: string,
  session: Record<string, unknown> = {},
  { isPaced = true }: { isPaced?: boolean } = {},
): Promise<TestCall> {
  const realtime = app.models.realtimeOf(app.models.find(model)!)!
  if (realtime.engine !== 'pipeline') throw new Error(`${model} is no pipeline`)
  const events: RealtimeEvent[] = []
  const ended = Promise.withResolvers<EndReason>()
  const money = new TestMoney(app)
  const waiting: Float32Array[] = []
  const awaited = new Map<string, () => void>()
  let played = 0
  let frames = 0
  let speaker: PacedSpeaker | undefined
  const call = new CallSession({
    ...optionsOf(app, model),
    transport: {
      kind: 'webrtc',
      play: (frame, itemId) => {
        if (itemId !== undefined) played += frame.length
      },
      send: (event) => {
        events.push(structuredClone(event))
        const then = awaited.get(event.type)
        awaited.delete(event.type)
        then?.()
      },
      end: (reason) => ended.resolve(reason),
    },
    money,
    openSound: (play) => {
      speaker = new PacedSpeaker({ play, tailMs: () => 0 })
      return { speaker, [Symbol.dispose]: () => undefined }
    },
    openEngine: (view) =>
      new Pipeline(app, view, {
        live: { caller, endpoint: 'realtime' },
        model: realtime,
        settings: { endOfTurn: 'words' },
        language: 'en',
      }),
    settle: async () => undefined,
  })
  await call.start()
  const tick = (): void => {
    call.frame(waiting.shift() ?? new Float32Array(frameSamples))
    speaker!.tick()
    frames += 1
  }
  const pace = isPaced ? openPace(tick) : undefined
  const send = (event: RealtimeEvent): void => call.event(event)
  if (Object.keys(session).length > 0) send({ type: 'session.update', session })
  return {
    session: call,
    money,
    events,
    ended: ended.promise,
    played: () => played,
    send,
    say: (samples, silenceMs = 0) => {
      for (let at = 0; at + frameSamples <= samples.length; at += frameSamples)
        waiting.push(samples.subarray(at, at + frameSamples))
      for (let ms = 0; ms < silenceMs; ms += 20) waiting.push(new Float32Array(frameSamples))
    },
    event: async (type, from = 0) => {
      const find = () => events.slice(from).find((event) => event.type === type)
      await until(() => find() !== undefined)
      return find()!
    },
    types: () => events.map(({ type }) => type),
    once: (type, then) => void awaited.set(type, then),
    frames: () => frames,
    tick,
    standsWhile: (condition) => pace?.standsWhile(condition),
    heard: async (count) => void (await until(() => frames >= count, 2 * startMs)),
    stop: async () => {
      call.end('client')
      await call.ended
    },
    [Symbol.asyncDispose]: async () => {
      pace?.[Symbol.dispose]()
      call.end('client')
      await call.ended
      await money.settle()
    },
  }
}

/** Speech of the sandbox at 16 kHz, which its transcription understands. */
export async function sandboxSpeech(app: App, caller: Caller, text: string): Promise<Float32Array> {
  const model = app.models.find('sandbox/speech')
  if (model?.kind !== 'audio') throw new Error('no sandbox')
  const live = { caller, endpoint: 'test', signal: new AbortController().signal }
  const hold = new SharedHold(app.ledger, { model: model.id, otherCallsMicrocredits: 0n, parts: 1 })
  const stepId = uuidv7(app.clock.nowMs())
  const pieces: Float32Array[] = []
  await planLiveSpeech(app, { ...live, model, text }).run({ stepId, part: hold.part(stepId) }, (samples) =>
    pieces.push(samples),
  )
  await hold.settle(hold.settled[0]!.settlement, { writes: false })
  const heard: number[] = []
  for await (const { samples } of resample(
    pieces.map((samples) => ({ rate: 24_000, samples })),
    16_000,
  ))
    heard.push(...samples)
  return new Float32Array(heard)
}
