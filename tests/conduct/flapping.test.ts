/** A primary that fails intermittently: the circuit breaker as the caller and the upstreams see it. */
import { describe, expect, test } from 'vitest'
import { answer, chunk, done, json, stream } from '../harness/upstream.ts'
import { MovableClock } from '../harness/world.ts'
import { bootConduct, type ConductOptions, outcomesOf } from './conduct-world.ts'

const backed: ConductOptions['models'] = [
  { id: 'test/model', deployments: [{ on: 'primary' }], fallbacks: ['test/backup'] },
  { id: 'test/backup', deployments: [{ on: 'backup' }] },
]
const down = json(503, 'down')

describe.concurrent('a primary that', () => {
  test('flaps for a minute costs no caller an answer, is asked seldom while it is down, and serves again when it is back', async () => {
    const clock = new MovableClock()
    await using at = await bootConduct({ clock, models: backed })
    const startMs = clock.nowMs()
    const primary = at.on('primary')
    const second = (): number => (clock.nowMs() - startMs) / 1_000
    const isDown = (): boolean => second() < 20 || second() >= 40
    primary.reply(() => (isDown() ? down : answer('primary')))
    at.on('backup').reply(answer('backup'))

    const served: { second: number; model: string }[] = []
    const asked = { firstOutage: 0, secondOutage: 0 }
    primary.calls.length = 0
    for (; second() < 60; clock.moveMs(500)) {
      const before = primary.calls.length
      const got = await at.ask('test/model', served.length % 2 === 0)
      expect(got.status).toBe(200)
      expect(got.content).toBe(got.models[0] === 'test/model' ? 'primary' : 'backup')
      expect(got.receipt.model).toBe(got.models[0])
      served.push({ second: second(), model: got.models[0]! })
      if (second() < 20) asked.firstOutage += primary.calls.length - before
      else if (second() >= 40) asked.secondOutage += primary.calls.length - before
    }
    // Five failures open it for 5 s; the probes of second 5 and 15 fail, so the next is in second 35; then all anew.
    expect(asked).toEqual({ firstOutage: 7, secondOutage: 7 })
    const byPrimary = served.filter(({ model }) => model === 'test/model').map(({ second }) => second)
    expect(byPrimary[0]).toBeGreaterThanOrEqual(20)
    expect(byPrimary[0]).toBeLessThanOrEqual(36)
    const until40 = served.filter(({ second }) => second >= byPrimary[0]! && second < 40)
    expect(until40.every(({ model }) => model === 'test/model')).toBe(true)
    clock.moveMs(120_000)
    await at.isWellAgain('test/model')
  })

  test('may be back is probed by one call, while the others are served by the fallback', async () => {
    const clock = new MovableClock()
    await using at = await bootConduct({ clock, models: backed })
    const primary = at.on('primary')
    primary.reply(down)
    for (let call = 0; call < 2; call++) await at.ask('test/model', false)
    expect(primary.calls).toHaveLength(5)
    expect(outcomesOf(await at.ask('test/model', false))).toEqual(['answered'])
    expect(primary.calls).toHaveLength(5)

    clock.moveMs(5_000)
    const release = Promise.withResolvers<void>()
    primary.reply(async () => {
      await release.promise
      return answer('primary')
    })
    const probe = at.ask('test/model', false)
    await primary.call(5)
    const others = await Promise.all(Array.from({ length: 8 }, () => at.ask('test/model', false)))
    for (const { models } of others) expect(models).toEqual(['test/backup'])
    expect(primary.calls).toHaveLength(6)
    release.resolve()
    expect((await probe).models).toEqual(['test/model'])
    const after = await Promise.all(Array.from({ length: 4 }, () => at.ask('test/model', false)))
    for (const { models } of after) expect(models).toEqual(['test/model'])
    await at.isWellAgain('test/model', { idle: 8 })
  })

  test('is back lets the others in with the first token of a long answer', async () => {
    const clock = new MovableClock()
    await using at = await bootConduct({ clock, models: backed })
    const primary = at.on('primary')
    primary.reply(down)
    for (let call = 0; call < 2; call++) await at.ask('test/model', false)
    clock.moveMs(5_000)
    const release = Promise.withResolvers<void>()
    primary.replyOnce(stream([chunk({ content: 'long' }), release.promise, chunk({}, 'stop'), done]))
    primary.reply(answer('primary'))
    const body = JSON.stringify({
      model: 'test/model',
      stream: true,
      messages: [{ role: 'user', content: 'hello' }],
    })
    const long = await at.key.raw('POST', '/v1/chat/completions', body)
    const reader = long.body!.getReader()
    await reader.read()
    expect((await at.ask('test/model', false)).models).toEqual(['test/model'])
    release.resolve()
    while (!(await reader.read()).done);
    await at.isWellAgain('test/model', { idle: 2 })
  })

  test('is the only one is asked although its breaker is open, once a call, and serves the moment it is back', async () => {
    const clock = new MovableClock()
    await using at = await bootConduct({
      clock,
      models: [{ id: 'test/model', deployments: [{ on: 'primary' }] }],
    })
    at.on('primary').reply(down)
    const seen = []
    for (let call = 0; call < 4; call++)
      seen.push(outcomesOf(await at.ask('test/model', call % 2 === 0)).length)
    expect(seen).toEqual([3, 2, 1, 1])
    await at.isWellAgain('test/model')
  })
})
