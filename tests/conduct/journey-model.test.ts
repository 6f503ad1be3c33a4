/** The states of one turn on its way through deployments: whatever happens in whatever order, it ends once, and nothing is left behind. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Deployment, Model } from '#core/models'
import { type Inference, openInference, type RunListener, type TurnRun, type Upstream } from '#core/routing'
import { type PartSink, type TextCall, type TextRun, UpstreamError, type UpstreamFault } from '#core/spec'
import type { AnswerPart, Turn } from '#core/turn'
import { Deadlines, deadlines } from '#platform/clock'
import { Failure } from '#platform/errors'
import { openMetrics } from '#platform/metrics'
import { makeSeries } from '../../src/metrics.ts'
import fc from '../harness/fast-check.ts'

const metrics = openMetrics(makeSeries)

// A wheel of its own: that of the process may be set to ring in real time by tests that ran before in it.
beforeEach(() => {
  vi.useFakeTimers()
  const wheel = new Deadlines()
  vi.spyOn(deadlines, 'in').mockImplementation((ms, ring) => wheel.in(ms, ring))
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

/** A call as the upstream sees it; the test decides what it does. */
class FakeCall implements TextRun {
  readonly sink: PartSink
  readonly deployment: string
  state: 'running' | 'ended' | 'stopped' = 'running'
  isPaused = false

  constructor(deployment: string, sink: PartSink) {
    this.deployment = deployment
    this.sink = sink
  }

  pause(): void {
    this.isPaused = true
  }

  resume(): void {
    this.isPaused = false
  }

  stop(): void {
    if (this.state !== 'running') return
    this.state = 'stopped'
    this.sink.failed(new UpstreamError('aborted', { executed: true }))
  }

  part(part: AnswerPart): void {
    if (this.state === 'running') this.sink.part(part)
  }

  end(failure?: UpstreamError): void {
    if (this.state !== 'running') return
    this.state = 'ended'
    if (failure) this.sink.failed(failure)
    else this.sink.done()
  }
}

/** Everything that the receiver of a run is told. */
class Heard implements RunListener {
  readonly parts: AnswerPart[] = []
  readonly ends: string[] = []
  afterTheEnd = 0
  /** Throws at a text that holds this. */
  poison: string | undefined

  part(part: AnswerPart): void {
    if (this.ends.length > 0) this.afterTheEnd++
    if (this.poison !== undefined && part.type === 'text' && part.text.includes(this.poison))
      throw new Error('a defect of ours')
    this.parts.push(part)
  }

  flush(): void {
    if (this.ends.length > 0) this.afterTheEnd++
  }

  done(): void {
    this.ends.push('done')
  }

  failed(error: UpstreamError): void {
    this.ends.push(error.fault)
  }

  failedInternally(): void {
    this.ends.push('broke')
  }

  get text(): string {
    return this.parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
  }
}

interface Terms {
  stream?: boolean
  resumes?: boolean
  onDisconnect?: 'cancel' | 'drain'
  deployments?: number
  mayCall?: () => Promise<void>
}

const timeouts = { connectMs: 9e5, firstByteMs: 9e5, firstTokenMs: 9e5, idleMs: 9e5, totalMs: 9e5 }

class World {
  readonly calls: FakeCall[] = []
  readonly heard = new Heard()
  readonly run: TurnRun
  readonly inference: Inference

  constructor({ stream = true, resumes = false, onDisconnect = 'cancel', deployments = 2, mayCall }: Terms) {
    const ids = Array.from({ length: deployments }, (_, index) => `p${index}`)
    const provider = (id: string): Upstream => ({
      provider: {
        wires: ['chat'],
        generate: (_call: TextCall, sink: PartSink) => {
          const call = new FakeCall(id, sink)
          this.calls.push(call)
          return call
        },
        ping: async () => undefined,
      },
      orders: {},
      timeouts,
      onDisconnect,
    })
    const deployment = (id: string, priority: number): Deployment => ({
      id: `${id}/m`,
      provider: id,
      model: 'm',
      weight: 1,
      priority,
    })
    const model = {
      kind: 'text',
      id: 'test/model',
      deployments: ids.map(deployment),
      fallbacks: [],
      resumes,
      contextLength: 1_000,
      maxOutputTokens: 100,
      inputModalities: ['text'],
      features: [],
      supportedEfforts: [],
    } as unknown as Model
    const turn: Turn = {
      messages: [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }],
      tools: [],
      toolChoice: { type: 'auto' },
      parallelToolCalls: true,
      output: { type: 'text' },
      maxOutputTokens: 64,
      stop: [],
      stream,
      source: { wire: 'chat' },
    }
    this.inference = openInference({
      upstreams: new Map(ids.map((id) => [id, provider(id)])),
      models: { find: () => undefined },
      clock: { nowMs: () => Date.now() },
      metrics,
      random: () => 0.5,
    })
    this.run = this.inference.start({
      model,
      turn,
      allowed: undefined,
      showsReasoning: false,
      receivedMs: Date.now(),
      requestId: 'test',
      ...(mayCall && { mayCall }),
    })
  }

  get running(): FakeCall[] {
    return this.calls.filter(({ state }) => state === 'running')
  }
}

/** One event of the outside: of the upstream that is called, of the caller, or of time. */
type Event =
  | { do: 'start' | 'text' | 'usage' | 'finish' | 'flush' | 'done' | 'leave' | 'pause' | 'resume' }
  | { do: 'fail'; fault: UpstreamFault; executed: boolean }
  | { do: 'time'; ms: number }

const faults: readonly UpstreamFault[] = [
  'connect',
  'reset',
  'timeout',
  'rate_limited',
  'unavailable',
  'invalid_request',
  'content_refused',
  'authentication',
  'cut',
  'malformed',
]
const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom<Event[]>({ do: 'start' }, { do: 'text' }, { do: 'flush' }) },
  { weight: 2, arbitrary: fc.constantFrom<Event[]>({ do: 'usage' }, { do: 'finish' }, { do: 'done' }) },
  { weight: 2, arbitrary: fc.constantFrom<Event[]>({ do: 'leave' }, { do: 'pause' }, { do: 'resume' }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('fail' as const),
      fault: fc.constantFrom(...faults),
      executed: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('time' as const), ms: fc.constantFrom(1, 60, 500) }) },
)

const usage = { input: 1, cachedInput: 0, cacheWriteInput: 0, mediaInput: 0, output: 1, reasoning: 0 }
let said = 0

async function happen(world: World, one: Event): Promise<void> {
  const [call] = world.running
  if (one.do === 'start') call?.part({ type: 'start', upstreamId: `${said++}` })
  // Each text names the call that said it.
  else if (one.do === 'text') call?.part({ type: 'text', text: `${world.calls.indexOf(call)}:${said++} ` })
  else if (one.do === 'usage') call?.part({ type: 'usage', usage })
  else if (one.do === 'finish') call?.part({ type: 'finish', reason: 'stop' })
  else if (one.do === 'flush') call?.sink.flush()
  else if (one.do === 'done') call?.end()
  else if (one.do === 'fail') call?.end(new UpstreamError(one.fault, { executed: one.executed }))
  else if (one.do === 'leave') world.run.leave()
  else if (one.do === 'pause') world.run.pause()
  else if (one.do === 'resume') world.run.resume()
  else if (one.do === 'time') await vi.advanceTimersByTimeAsync(one.ms)
  await vi.advanceTimersByTimeAsync(0)
}

/** What holds after every event. */
function expectSound(world: World, left: { calls: number } | undefined, onDisconnect: string): void {
  const { heard, running, calls, run } = world
  expect(running.length, 'one call at a time').toBeLessThanOrEqual(1)
  expect(heard.ends.length, 'one end').toBeLessThanOrEqual(1)
  expect(heard.afterTheEnd, 'nothing after the end').toBe(0)
  if (heard.ends.length > 0) {
    expect(running, 'no call outlives the answer').toHaveLength(0)
    for (const attempt of run.attempts) {
      expect(attempt.outcome, 'every attempt has its outcome').not.toBe('running')
      expect(attempt.ended_ms).toBeDefined()
    }
  }
  if (left) {
    expect(calls.length, 'nobody is asked for a caller who left').toBe(left.calls)
    if (onDisconnect === 'cancel')
      expect(heard.ends, 'a caller who left ends a cancelled call').toHaveLength(1)
  }
}

test('in any order of data, ends, failures, leaving, waiting and time a turn ends once, asks one upstream at a time and leaves nothing running', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(event, { maxLength: 30 }),
      fc.record({
        stream: fc.boolean(),
        resumes: fc.boolean(),
        onDisconnect: fc.constantFrom('cancel' as const, 'drain' as const),
        deployments: fc.integer({ min: 1, max: 3 }),
        leavesFirst: fc.boolean(),
      }),
      async (events, { leavesFirst, ...terms }) => {
        const world = new World(terms)
        let left: { calls: number } | undefined
        if (leavesFirst && events.length % 5 === 0) {
          world.run.leave()
          left = { calls: 0 }
        }
        world.run.start(world.heard)
        expectSound(world, left, terms.onDisconnect)
        for (const one of events) {
          if (one.do === 'leave') left ??= { calls: world.calls.length }
          await happen(world, one)
          expectSound(world, left, terms.onDisconnect)
          const [call] = world.running
          if (left && call) expect(call.isPaused, 'what is drained is read on').toBe(false)
        }
        // The rest of the world's time: all pauses pass, and whatever is asked answers.
        for (let round = 0; round < 20 && world.heard.ends.length === 0; round++) {
          await vi.advanceTimersByTimeAsync(5_000)
          world.running[0]?.end()
          await vi.advanceTimersByTimeAsync(0)
        }
        expect(world.heard.ends).toHaveLength(1)
        expectSound(world, left, terms.onDisconnect)
        expectDelivered(world, terms)
        await world.inference[Symbol.asyncDispose]()
      },
    ),
    { numRuns: 1_500 },
  )
})

/** What the caller gets is of one call, or of one that went on where another broke off; whole answers are of one call always. */
function expectDelivered({ heard }: World, { stream, resumes }: Terms): void {
  const callers = [...heard.text.matchAll(/(\d+):\d+ /g)].map(([, call]) => Number(call))
  expect(callers, 'in the order of the calls').toEqual([...callers].sort((a, b) => a - b))
  const texts = heard.parts.flatMap((part) =>
    part.type === 'text' ? [part.text] : part.type === 'start' ? [part.upstreamId] : [],
  )
  expect(new Set(texts).size, 'nothing twice').toBe(texts.length)
  const [end] = heard.ends
  const isWhole = end === 'done'
  // Who is not streamed to gets a failure in place of an answer; what was written for one who left is metered.
  if (!stream && !isWhole && end !== 'aborted') expect(heard.parts).toEqual([])
  if (isWhole && (!stream || !resumes)) expect(new Set(callers).size).toBeLessThanOrEqual(1)
}

test('a receiver that is behind pauses the next upstream too', async () => {
  const world = new World({ resumes: true })
  world.run.start(world.heard)
  world.calls[0]!.part({ type: 'text', text: 'half' })
  world.run.pause()
  expect(world.calls[0]!.isPaused).toBe(true)
  world.calls[0]!.end(new UpstreamError('cut'))
  await vi.advanceTimersByTimeAsync(1)
  expect(world.calls).toHaveLength(2)
  expect(world.calls[1]!.isPaused).toBe(true)
  world.run.resume()
  expect(world.calls[1]!.isPaused).toBe(false)
})

test('a defect of ours ends the answer: the upstream is stopped, not asked again and not blamed', async () => {
  const world = new World({})
  world.heard.poison = 'bad'
  world.run.start(world.heard)
  world.calls[0]!.part({ type: 'text', text: 'good' })
  world.calls[0]!.part({ type: 'text', text: 'bad' })
  await vi.advanceTimersByTimeAsync(5_000)
  expect(world.heard.ends).toEqual(['broke'])
  expect(world.calls).toHaveLength(1)
  expect(world.calls[0]!.state).toBe('stopped')
  expect(world.run.failures).toEqual([])
  expect(world.run.attempts).toMatchObject([{ outcome: 'aborted' }])
})

test('a key that was revoked between two attempts pays for no other', async () => {
  const revoked = new Failure('INVALID_API_KEY', {}, {})
  const world = new World({ mayCall: () => Promise.reject(revoked) })
  world.run.start(world.heard)
  world.calls[0]!.end(new UpstreamError('timeout'))
  await vi.advanceTimersByTimeAsync(1)
  expect(world.heard.ends).toEqual(['not_allowed'])
  expect(world.calls).toHaveLength(1)
})
