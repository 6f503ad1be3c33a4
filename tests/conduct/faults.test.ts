/**
 * Every upstream fault: the calls that the upstream sees, their timing, and the caller's answer, streamed and non-streamed, with a fallback
 * and without. Each case has its own upstreams in one world, so that all run concurrently.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chunk, cut, done, json, reset, type Script, silence, stall, stream } from '../harness/upstream.ts'
import {
  bootConduct,
  type Conduct,
  gapsOf,
  type Impatience,
  type ModelEntry,
  outcomesOf,
} from './conduct-world.ts'

const complaint = (code: string) => ({ error: { message: 'no', code, type: 'invalid_request_error' } })
const three = [chunk({ content: 'one' }), chunk({ content: ' two' }), chunk({ content: ' three' })]
const opened = chunk({ role: 'assistant', content: '' })
const junk = 'data: {"torn\n\n'
const once = (first: Script): Script[] => [first]

interface Fault {
  name: string
  /** A list: its calls are answered so one after the other, then well. */
  script: Script | Script[]
  /** How the attempts at the first deployment end. */
  outcomes: string[]
  /** At least these milliseconds lie between them. */
  gapsMs?: number[]
  /** What the caller waits for: at least so long does the call take. */
  timeouts?: Impatience
  /** What the caller gets of the fallback: its answer, or nothing since it is not asked. */
  fallback: 'answers' | 'not asked'
  /** What the caller gets where there is no fallback, or it is not asked; a status of 200 is an answer. */
  alone: { status: number; code?: string; outcomes?: string[] }
  /** Where a stream has begun, the caller keeps what was said and gets the error as its last event. */
  streamed?: { text: string; code: string }
}

const backoff = [50, 200]
const failed = { status: 502, code: 'UPSTREAM_FAILED' }
const refused = { status: 502, code: 'UPSTREAM_MISCONFIGURED' }
const late = { status: 504, code: 'UPSTREAM_TIMEOUT' }
const thrice = (outcome: string): string[] => [outcome, outcome, outcome]

const faults: Fault[] = [
  {
    name: '429 without a time',
    script: json(429, {}),
    outcomes: thrice('rate_limited'),
    gapsMs: backoff,
    fallback: 'answers',
    alone: { status: 429, code: 'UPSTREAM_RATE_LIMITED' },
  },
  {
    name: '429 with a short time, once',
    script: once(json(429, {}, { 'retry-after-ms': '350' })),
    outcomes: ['rate_limited', 'answered'],
    gapsMs: [350],
    fallback: 'not asked',
    alone: { status: 200 },
  },
  {
    name: '429 with a time in whole seconds, once',
    script: once(json(429, {}, { 'retry-after': '1' })),
    outcomes: ['rate_limited', 'answered'],
    gapsMs: [1_000],
    fallback: 'not asked',
    alone: { status: 200 },
  },
  {
    name: '429 until a date that is past, once',
    script: once(json(429, {}, { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' })),
    outcomes: ['rate_limited', 'answered'],
    gapsMs: [50],
    fallback: 'not asked',
    alone: { status: 200 },
  },
  {
    name: '500 once',
    script: once(json(500, 'oops')),
    outcomes: ['unavailable', 'answered'],
    gapsMs: [50],
    fallback: 'not asked',
    alone: { status: 200 },
  },
  {
    name: '502 twice',
    script: [json(502, ''), json(502, '')],
    outcomes: ['unavailable', 'unavailable', 'answered'],
    gapsMs: backoff,
    fallback: 'not asked',
    alone: { status: 200 },
  },
  {
    name: '503 for ever',
    script: json(503, 'no'),
    outcomes: thrice('unavailable'),
    gapsMs: backoff,
    fallback: 'answers',
    alone: failed,
  },
  {
    name: '503 that asks for a minute',
    script: json(503, 'no', { 'retry-after': '60' }),
    outcomes: ['unavailable'],
    fallback: 'answers',
    alone: failed,
  },
  {
    name: '529 for ever',
    script: json(529, {}),
    outcomes: thrice('overloaded'),
    gapsMs: backoff,
    fallback: 'answers',
    alone: { status: 529, code: 'UPSTREAM_OVERLOADED' },
  },
  {
    name: 'a reset before the headers, once',
    script: once(reset),
    outcomes: ['reset', 'answered'],
    gapsMs: [50],
    fallback: 'not asked',
    alone: { status: 200 },
  },
  {
    name: 'a reset before the headers, for ever',
    script: reset,
    outcomes: thrice('reset'),
    gapsMs: backoff,
    fallback: 'answers',
    alone: failed,
  },
  {
    name: 'silence',
    script: silence,
    outcomes: ['timeout'],
    timeouts: { first_byte_ms: 3_000 },
    fallback: 'answers',
    alone: late,
  },
  {
    name: 'a first token that does not come',
    script: stream([opened, stall]),
    outcomes: ['timeout'],
    timeouts: { first_token_ms: 3_000 },
    fallback: 'answers',
    alone: late,
  },
  {
    name: 'a cut before the first token',
    script: stream([opened, cut]),
    outcomes: ['cut'],
    fallback: 'answers',
    alone: { ...failed, outcomes: ['cut', 'cut'] },
  },
  {
    name: 'a cut before the first token, once',
    script: once(stream([opened, cut])),
    outcomes: ['cut'],
    fallback: 'answers',
    alone: { status: 200, outcomes: ['cut', 'answered'] },
  },
  {
    name: 'an end before the first token without a reason',
    script: stream([opened, done]),
    outcomes: ['cut'],
    fallback: 'answers',
    alone: { ...failed, outcomes: ['cut', 'cut'] },
  },
  {
    name: 'a cut while it reasons for itself',
    script: stream([chunk({ reasoning_content: 'let me see' }), cut]),
    outcomes: ['cut'],
    fallback: 'answers',
    alone: { ...failed, outcomes: ['cut', 'cut'] },
  },
  {
    name: 'a cut after three tokens',
    script: stream([...three, cut]),
    outcomes: ['cut'],
    fallback: 'answers',
    alone: { ...failed, outcomes: ['cut', 'cut'] },
    streamed: { text: 'one two three', code: 'UPSTREAM_FAILED' },
  },
  {
    name: 'a stall after three tokens',
    script: stream([...three, stall]),
    outcomes: ['timeout'],
    timeouts: { idle_ms: 3_000 },
    fallback: 'answers',
    alone: late,
    streamed: { text: 'one two three', code: 'UPSTREAM_TIMEOUT' },
  },
  {
    name: 'an overload in the middle',
    script: stream([...three, { error: { type: 'overloaded_error', message: 'Overloaded' } }]),
    outcomes: thrice('overloaded'),
    gapsMs: backoff,
    fallback: 'answers',
    alone: { status: 529, code: 'UPSTREAM_OVERLOADED' },
    streamed: { text: 'one two three', code: 'UPSTREAM_OVERLOADED' },
  },
  {
    name: 'one malformed chunk',
    script: stream([three[0]!, junk, three[1]!, chunk({}, 'stop'), done]),
    outcomes: ['answered'],
    fallback: 'not asked',
    alone: { status: 200 },
  },
  {
    name: 'nothing but malformed chunks',
    script: stream([junk, junk, done]),
    outcomes: ['malformed'],
    fallback: 'answers',
    alone: { ...failed, outcomes: ['malformed', 'malformed'] },
  },
  {
    name: 'malformed chunks after three tokens',
    script: stream([...three, junk, junk, chunk({ content: ' four' }, 'stop'), done]),
    outcomes: ['malformed'],
    fallback: 'answers',
    alone: { ...failed, outcomes: ['malformed', 'malformed'] },
    streamed: { text: 'one two three', code: 'UPSTREAM_FAILED' },
  },
  {
    name: 'an answer that is a web page',
    script: json(200, '<html>welcome</html>'),
    outcomes: ['malformed'],
    fallback: 'answers',
    alone: { ...failed, outcomes: ['malformed', 'malformed'] },
  },
  {
    name: 'a missing end marker',
    script: stream([...three, chunk({}, 'stop')]),
    outcomes: ['answered'],
    fallback: 'not asked',
    alone: { status: 200 },
  },
  {
    name: 'a cut after the finish reason',
    script: stream([...three, chunk({}, 'stop'), cut]),
    outcomes: ['answered'],
    fallback: 'not asked',
    alone: { status: 200 },
  },
  {
    name: 'a full context, with a fallback of a larger one',
    script: json(400, complaint('context_length_exceeded')),
    outcomes: ['context_overflow'],
    fallback: 'answers',
    alone: { status: 400, code: 'CONTEXT_LENGTH_EXCEEDED' },
  },
  {
    name: 'a refused content',
    script: json(400, complaint('content_policy_violation')),
    outcomes: ['content_refused'],
    fallback: 'not asked',
    alone: { status: 400, code: 'CONTENT_REFUSED' },
  },
  {
    name: 'a refused request',
    script: json(400, complaint('bad_parameter')),
    outcomes: ['invalid_request'],
    fallback: 'not asked',
    alone: { status: 400, code: 'UPSTREAM_INVALID_REQUEST' },
  },
  {
    name: '401',
    script: json(401, complaint('invalid_api_key')),
    outcomes: ['authentication'],
    fallback: 'answers',
    alone: refused,
  },
  {
    name: '404',
    script: json(404, complaint('model_not_found')),
    outcomes: ['not_found'],
    fallback: 'answers',
    alone: refused,
  },
]

interface Case extends Fault {
  label: string
  slug: string
  streams: boolean
  backed: boolean
}

const cases: Case[] = faults.flatMap((fault, index) =>
  [false, true].flatMap((streams) =>
    [false, true].map((backed) => ({
      ...fault,
      streams,
      backed,
      slug: `f${index}${streams ? 's' : 'w'}${backed ? 'b' : 'a'}`,
      label: `${fault.name} (${streams ? 'streamed' : 'whole'}, ${backed ? 'with a fallback' : 'alone'})`,
    })),
  ),
)

const modelsOf = ({ slug, backed }: Case): ModelEntry[] => [
  {
    id: `test/${slug}`,
    deployments: [{ on: slug }],
    fallbacks: backed ? [`backup/${slug}`] : [],
  },
  ...(backed
    ? [{ id: `backup/${slug}`, deployments: [{ on: `${slug}-backup` }], context: 200_000 } as ModelEntry]
    : []),
]

let at: Conduct
beforeAll(async () => {
  at = await bootConduct({
    models: cases.flatMap(modelsOf),
    credits: 100_000,
    // A refusal keeps its status however long it takes to come.
    timing: { streamOpenMs: 60_000 },
    timeouts: (upstream) => cases.find(({ slug }) => slug === upstream)?.timeouts,
  })
})
afterAll(() => at[Symbol.asyncDispose]())

function play(one: Case): void {
  const upstream = at.on(one.slug)
  if (Array.isArray(one.script)) upstream.replyOnce(...one.script)
  else upstream.reply(one.script)
}

describe.concurrent('an upstream with', () => {
  test.each(cases)('$label', async (one) => {
    const { slug, streams, backed, alone } = one
    const cutOff = streams ? one.streamed : undefined
    const rescued = backed && one.fallback === 'answers' && !cutOff
    const outcomes = cutOff
      ? one.outcomes.slice(0, 1)
      : ((backed ? undefined : alone.outcomes) ?? one.outcomes)
    play(one)
    const got = await at.ask(`test/${slug}`, streams)

    expect(outcomesOf(got)).toEqual(rescued ? [...outcomes, 'answered'] : outcomes)
    expect(at.on(slug).calls).toHaveLength(outcomes.length)
    for (const [position, gapMs] of gapsOf(at.on(slug)).entries())
      expect(gapMs).toBeGreaterThanOrEqual((one.gapsMs ?? backoff)[position]!)
    expect(got.tookMs).toBeGreaterThanOrEqual(Math.max(0, ...Object.values(one.timeouts ?? {})) - 1)
    if (backed) expect(at.on(`${slug}-backup`).calls).toHaveLength(rescued ? 1 : 0)

    if (cutOff) {
      expect(got).toMatchObject({ status: 200, content: cutOff.text, error: { code: cutOff.code } })
      expect(got.finish).toBeUndefined()
      expect(got.receipt).toMatchObject({ state: 'failed', model: `test/${slug}` })
    } else if (rescued || alone.status === 200) {
      const model = rescued ? `backup/${slug}` : `test/${slug}`
      expect(got).toMatchObject({ status: 200, models: [model], error: undefined })
      expect(['stop', 'length']).toContain(got.finish)
      expect(got.content.length).toBeGreaterThan(5)
      expect(got.receipt).toMatchObject({ state: 'completed', model })
    } else {
      expect(got).toMatchObject({ status: alone.status, content: '', error: { code: alone.code } })
      expect(got.receipt).toMatchObject({ state: 'failed', microcredits: '0' })
    }
    await at.isWellAgain(`test/${slug}`, { names: backed ? [slug, `${slug}-backup`] : [slug] })
  })
})
