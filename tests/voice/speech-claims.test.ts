/** Speech in calls that a vendor draws out: a multiple of what was held is paid, and slow speech is whole. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Caller } from '#app'
import { chunk, done, type FakeUpstream, fakeUpstream, stream } from '../harness/upstream.ts'
import { boot, type World } from '../harness/world.ts'
import { callConfig } from './call-config.ts'
import { startCall } from './pipeline-call.ts'

/** A credit a second. */
const models = `
  - id: voices/minutes
    kind: audio
    deployments: [{ provider: voices, model: minutes-x }]
    audio: { does: [speech], voices: [{ id: nava }], formats: [pcm] }
    pricing: { per_minute: 0.06 }
  - { id: acme/minutes, kind: realtime, text_model: words/one, speech_model: voices/minutes }
`

let world: World
let caller: Caller
let texts: FakeUpstream
let voices: FakeUpstream
const stack = new AsyncDisposableStack()
beforeAll(async () => {
  texts = stack.use(await fakeUpstream())
  voices = stack.use(await fakeUpstream())
  const config = callConfig({ texts: texts.url, voices: voices.url, ears: texts.url }, { models })
  world = stack.use(await boot({ config, credits: 10_000 }))
  caller = await world.app.keys.caller((await world.key()).secret)
})
afterAll(() => stack.disposeAsync())

/** What the speech of one answer cost, in micro-credits. */
async function costOf(seconds: number): Promise<bigint> {
  voices.replyOnce(stream([Buffer.alloc(seconds * 48_000, 7)], { 'content-type': 'audio/pcm' }))
  texts.replyOnce(stream([chunk({ content: 'سلام.' }), chunk({}, 'stop'), done]))
  await using call = await startCall(world.app, caller, 'acme/minutes')
  call.send({
    type: 'conversation.item.create',
    item: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'سلام' }] },
  })
  call.send({ type: 'response.create' })
  await call.event('response.done')
  await call.stop()
  const [spoken] = call.money.hold.settled.filter(({ settlement }) => settlement.model === 'voices/minutes')
  return spoken!.settlement.microcredits
}

const alarms = async (): Promise<string[]> =>
  (await (await fetch(`${world.url}/metrics`)).text())
    .split('\n')
    .filter(
      (line) => line.startsWith('kherad_upstream_disbelieved_total{') && line.includes('what="seconds"'),
    )

test('a word that is spoken slowly is paid as it came', async () => {
  const before = await alarms()
  // Four seconds are held.
  expect(await costOf(6)).toBe(6_000_000n)
  expect(await alarms()).toEqual(before)
})

test('a word that is drawn out for ninety seconds is paid as eight, twice what was held, and alarmed', async () => {
  expect(await costOf(90)).toBe(8_000_000n)
  expect(await alarms()).toEqual([
    'kherad_upstream_disbelieved_total{deployment="voices/minutes-x",what="seconds"} 1',
  ])
})
