import { expect, test } from 'vitest'
import { resultOf } from '../../spending/result.ts'
import { resultWords } from '../../spending/result.words.ts'
import { failedAttempts, readDetails, stepsOf } from './details.ts'
import { type Explained, reasonsOf } from './reasons.ts'

const tokens = { input: 17, cachedInput: 0, output: 7 }
const answered = { model: 'a/one', deployment: 'p/one', provider: 'p', outcome: 'answered', started_ms: 900 }
const failed = {
  ...answered,
  deployment: 'q/one',
  outcome: 'overloaded',
  status: 503,
  started_ms: 0,
  ended_ms: 800,
}
const receipt: Explained = {
  ...{ state: 'completed', status_code: 200, microcredits: '4500', reserved_microcredits: '9000' },
  ambiguous: false,
  charge: { lines: [{ unit: 'input_tokens' }, { unit: 'output_tokens' }], adjustment: null },
}
const reasons = (change: Partial<Explained>, details: object = { attempts: [answered], tokens }) =>
  reasonsOf({ ...receipt, ...change }, readDetails(details))
const free = { microcredits: '0', state: 'failed', status_code: 503 } as const

test('a plain call is explained by its tokens, others by the lines of their charge', () => {
  expect(reasons({})).toEqual([{ kind: 'tokens', input: 17, output: 7 }])
  expect(reasons({ charge: null })).toEqual([{ kind: 'tokens', input: 17, output: 7 }])
  const pictures = { lines: [{ unit: 'pictures' }], adjustment: null }
  expect(reasons({ charge: pictures })).toEqual([{ kind: 'byLines' }])
  expect(reasons({ charge: pictures }, { usageSource: 'estimated' })).toEqual([{ kind: 'byLines' }])
})

test('attempts that failed are named for who answered in their place', () => {
  expect(reasons({}, { attempts: [failed, answered] })).toEqual([{ kind: 'otherProvider' }])
  expect(reasons({}, { attempts: [failed, failed, answered] })).toEqual([{ kind: 'retried', failed: 2 }])
  const other = { ...answered, model: 'b/two' }
  expect(reasons({}, { attempts: [failed, other] })).toEqual([
    { kind: 'otherModel', asked: 'a/one', answered: 'b/two' },
  ])
  expect(
    reasons(
      {},
      {
        attempts: [
          { ...failed, outcome: 'cut' },
          { ...answered, resumed: true },
        ],
      },
    ),
  ).toEqual([{ kind: 'resumed' }])
})

test('what was free says why', () => {
  expect(reasons(free, { attempts: [failed, failed] })).toEqual([{ kind: 'failed', attempts: 2 }])
  expect(reasons(free, {})).toEqual([{ kind: 'refused' }])
  const declined = { ...failed, outcome: 'invalid_request', status: 400 }
  expect(reasons(free, { attempts: [failed, declined] })).toEqual([{ kind: 'declined' }])
  expect(reasons({ ...free, status_code: 499 }, { outcome: 'client_left' })).toEqual([{ kind: 'leftFree' }])
  expect(reasons({ microcredits: '0' })).toEqual([{ kind: 'free' }])
})

test('what still runs, what was never seen to end and who left are told before all else', () => {
  expect(reasons({ state: 'running', microcredits: '0' })).toEqual([{ kind: 'running' }])
  expect(reasons({ ambiguous: true, state: 'failed' })).toEqual([{ kind: 'ambiguous' }])
  expect(reasons({ state: 'failed', status_code: 499 }, { outcome: 'client_left' })[0]).toEqual({
    kind: 'left',
  })
})

test('cached input, corrected claims, and what passed the hold', () => {
  const cachedLine = { lines: [{ unit: 'input_tokens' }, { unit: 'cached_input_tokens' }], adjustment: null }
  expect(reasons({ charge: cachedLine }, { tokens: { input: 532, cachedInput: 120, output: 151 } })).toEqual([
    { kind: 'cached', cached: 120, input: 532 },
  ])
  const claims = [
    { deployment: 'p/one', claimed: { input: 17, output: 9_000 }, believed: { input: 17, output: 50 } },
  ]
  expect(reasons({}, { attempts: [answered], claims })).toEqual([
    { kind: 'claim', what: 'output', claimed: 9_000, believed: 50 },
  ])
  const capped = { lines: receipt.charge!.lines, adjustment: { kind: 'within_hold', microcredits: '-300' } }
  expect(reasons({ charge: capped })).toEqual([{ kind: 'within_hold', microcredits: 300n }])
  expect(reasons({ microcredits: '9500' }, { hold_raised_from: '9000' })).toEqual([
    { kind: 'raised', microcredits: 500n },
  ])
})

test('tools, steps of durable work and estimates are told, three sentences at most', () => {
  expect(reasons({}, { steps: 3, tools: [{ tool: 'web_search', uses: 2 }] })).toEqual([
    { kind: 'tools', turns: 3, uses: 2 },
  ])
  const steps = [
    { step: 'turn', microcredits: 5 },
    { step: 'speech', steps: 40, microcredits: 9 },
  ]
  expect(reasons({}, { steps, usage_source: 'estimated' })).toEqual([
    { kind: 'steps', count: 41 },
    { kind: 'estimated' },
  ])
  const all = { attempts: [failed, answered], steps, usage_source: 'estimated', outcome: 'client_left' }
  expect(reasons({ microcredits: '9999' }, all)).toHaveLength(3)
})

test('a call of several steps is not called one that was tried again', () => {
  const badge = (value: object, locale: 'fa' | 'en' = 'en') => {
    const details = readDetails(value)
    const counts = { attempts: details.attempts.length, failed_attempts: failedAttempts(details) }
    const of = { state: 'completed' as const, status_code: 200, ambiguous: false, tokens: null, ...counts }
    return resultOf({ ...of, steps: stepsOf(details) }, resultWords[locale], locale)
  }
  const steps = [{ step: '1' }, { step: 'turn', steps: 2 }]
  const thrice = [answered, answered, answered]
  expect(badge({ steps, attempts: thrice })).toEqual(['good', 'Succeeded · 3 steps'])
  expect(badge({ steps, attempts: thrice }, 'fa')).toEqual(['good', 'موفق · ۳ گام'])
  expect(badge({ steps: 2, attempts: [answered, answered] })).toEqual(['good', 'Succeeded · 2 steps'])
  expect(badge({ steps: 2, attempts: [answered, failed, answered] })).toEqual([
    'attention',
    '2 steps, 3 attempts',
  ])
  expect(badge({ attempts: [failed, answered] })).toEqual(['attention', '2 attempts'])
  expect(badge({ attempts: [answered] })).toEqual(['good', 'Succeeded'])
})

test('tokens of reasoning are told apart from the output they belong to', () => {
  expect(readDetails({ tokens: { ...tokens, reasoning: 5 } }).tokens).toMatchObject({
    output: 7,
    reasoning: 5,
  })
  expect(readDetails({ tokens }).tokens).toMatchObject({ output: 7, reasoning: 0 })
})

test('details of any shape are read without a fault', () => {
  for (const details of [
    null,
    7,
    [],
    { attempts: 'x', steps: [null, 3], claims: [{ claimed: 1 }], tools: {} },
  ])
    expect(reasonsOf(receipt, readDetails(details))).toHaveLength(1)
})
